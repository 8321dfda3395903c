import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';

/** With real processes: Node runs no TypeScript, so the child is bundled first. */
let bundle: string;
beforeAll(async () => {
  await mkdir('node_modules/.cache', { recursive: true });
  bundle = await mkdtemp(join('node_modules', '.cache', 'store-child-'));
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: { ssr: 'test/store/child.ts', outDir: bundle, target: 'node20', emptyOutDir: false },
  });
}, 30_000);
afterAll(() => rm(bundle, { recursive: true, force: true }));

interface Child {
  process: ChildProcess;
  lines: string[];
  /** The first line that starts like this. */
  says(start: string): Promise<string>;
  /** kill -9; resolves when the process is gone and all it said is read. */
  kill(): Promise<void>;
}

function start(task: string, dir: string): Child {
  const child = spawn(process.execPath, [join(bundle, 'child.js'), task, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const watchers = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const watcher of watchers) watcher();
  });
  const closed = new Promise<void>((done) => child.once('close', () => done()));
  return {
    process: child,
    lines,
    says: (prefix) =>
      new Promise((done) => {
        const look = () => {
          const found = lines.find((line) => line.startsWith(prefix));
          if (found !== undefined) done(found);
        };
        watchers.add(look);
        look();
      }),
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

describe('lowdb: processes on one data folder', { timeout: 60_000 }, () => {
  let dir: string;
  const children: Child[] = [];
  const run = (task: string, folder = dir) => {
    const child = start(task, folder);
    children.push(child);
    return child;
  };
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-store-'));
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map((child) => child.kill()));
    await rm(dir, { recursive: true, force: true });
  });
  const open = () => openLowdbStore({ dir, clock: Date.now });
  const claims = async () => {
    const entries = await readdir(join(dir, 'lock'), { recursive: true, withFileTypes: true });
    const found = entries.filter((entry) => !entry.isDirectory());
    return found.map(({ parentPath, name }) => relative(dir, join(parentPath, name)));
  };

  it('are refused but for the first, with the folder and the process named', async () => {
    const first = run('hold');
    await first.says('open');
    await expect(open()).rejects.toThrow(
      `${dir} is in use by process ${first.process.pid}: stop that one (a command ends by itself) or use another folder`,
    );
    expect(await run('hold').says('refused')).toContain(dir);
  });

  it('are refused within one process, too, until the first store is closed', async () => {
    const store = await open();
    await expect(open()).rejects.toThrow(`in use by process ${process.pid}`);
    await store.close();
    await (await open()).close();
  });

  it('are refused while the first one is stopped and answers nothing', async () => {
    const first = run('hold');
    await first.says('open');
    first.process.kill('SIGSTOP');
    await expect(open()).rejects.toThrow(`process ${first.process.pid}`);
  });

  it('follow one that was killed, and leave nothing of its lock', async () => {
    const first = run('hold');
    await first.says('open');
    await first.kill();
    const store = await open();
    expect(await claims()).toHaveLength(1);
    await store.close();
    expect(await claims()).toEqual([]);
  });

  it('are refused over a claim of another host, with the host named and what to remove, though nobody answers', async () => {
    const theirs = join(dir, 'lock', 'web-2');
    await mkdir(theirs, { recursive: true });
    for (const claim of ['abc-17-0123abcd-ffffffff', 'abc-17-0123abcd']) {
      await writeFile(join(theirs, claim), '');
      await expect(open()).rejects.toThrow(
        `process 17 of the host web-2: stop it there; if it does not run any more, remove ${theirs}`,
      );
      expect(await claims()).toEqual([join('lock', 'web-2', claim)]);
      await rm(join(theirs, claim));
    }
    await (await open()).close();
  });

  it.runIf(process.platform === 'linux')(
    'follow a dead one of this machine that had another name, as a container has',
    async () => {
      await run('hold').says('open');
      const [claim] = await claims();
      await children[0]!.kill();
      await rename(dirname(join(dir, claim!)), join(dir, 'lock', 'container'));
      const store = await open();
      expect(await claims()).toHaveLength(1);
      await store.close();
      const living = run('hold');
      await living.says('open');
      await rename(dirname(join(dir, (await claims())[0]!)), join(dir, 'lock', 'other'));
      await expect(open()).rejects.toThrow(`in use by process ${living.process.pid} of other`);
    },
  );

  it('are refused while one of the first version runs, whose claim bore no host', async () => {
    await mkdir(join(dir, 'lock'));
    const old = createServer().listen(join(dir, 'lock', 'abc-17-0123abcd'));
    await once(old, 'listening');
    await expect(open()).rejects.toThrow('in use by process 17');
    await new Promise((done) => old.close(done));
    await writeFile(join(dir, 'lock', 'abc-17-0123abcd'), '');
    await (await open()).close();
    expect(await claims()).toEqual([]);
  });

  it('are let in one at a time where many start at the same moment over a dead one', async () => {
    for (let round = 0; round < 5; round++) {
      const dead = run('hold');
      await dead.says('open');
      await dead.kill();
      const starters = Array.from({ length: 4 }, () => run('hold'));
      const said = await Promise.all(
        starters.map((child) => Promise.race([child.says('open'), child.says('refused')])),
      );
      expect(said.filter((line) => line === 'open').length).toBeLessThanOrEqual(1);
      await Promise.all(starters.map((child) => child.kill()));
    }
  });

  it('find each other in a folder with a long name, and under another name of it', async () => {
    const long = join(dir, 'a'.repeat(100), 'b'.repeat(100));
    await mkdir(long, { recursive: true });
    await symlink(long, join(dir, 'short'));
    await run('hold', long).says('open');
    await expect(openLowdbStore({ dir: long, clock: Date.now })).rejects.toThrow('in use');
    await expect(openLowdbStore({ dir: join(dir, 'short'), clock: Date.now })).rejects.toThrow('in use');
  });

  it('lose nothing acknowledged when they are killed while they write', async () => {
    for (let round = 0; round < 6; round++) {
      const child = run('write');
      await child.says('source');
      await wait(50 + round * 40);
      await child.kill();
      await check(child.lines);
    }
  });

  /** The newest acknowledged version of each record is there, or one that was being written after it. */
  async function check(ledger: string[]): Promise<void> {
    const newest = new Map(
      ledger.map((line) => line.split(' ')).map(([kind, uuid, ...rest]) => [uuid!, { kind, rest }]),
    );
    expect(newest.size).toBeGreaterThan(3);
    const store = await open();
    for (const [uuid, { kind, rest }] of newest) {
      if (kind === 'chatbot') expect((await store.chatbot(uuid))?.uuid).toBe(uuid);
      if (kind === 'deleted') expect(await store.message(uuid)).toBeUndefined();
      if (kind === 'tag') expect((await store.tag(uuid))?.data_source_uuids).toEqual(rest);
      if (kind === 'source') {
        expect(String(await store.file(uuid))).toBe(uuid);
        const title = (await store.source(uuid))?.title;
        if (rest[0] === 'Returns') expect(title).toMatch(/^Returns$|^[0-9a-f]{32}$/);
        else expect(title).toBe(rest[0]);
      }
      if (kind === 'message') {
        const message = await store.message(uuid);
        expect(message?.response).toBe(rest[0]);
        if (rest[1] === 'stop') expect(message?.finish_reason).toBe('stop');
        else expect(message?.finish_reason).toMatch(/^interrupted$|^stop$/);
      }
    }
    await store.close();
  }
});
