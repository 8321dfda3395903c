import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHealth, type Health } from '../../../server/health/health.ts';
import { Damage } from '../../../server/store/lowdb/files/damage.ts';
import { UsageFiles } from '../../../server/store/lowdb/usage.ts';
import type { Usage } from '../../../server/store/store.ts';
import { faultyDisk } from '../faulty-disk.ts';

describe('lowdb: usage on the disk', () => {
  const disk = faultyDisk();
  let root: string;
  let usage: UsageFiles;
  let health: Health;
  const open = () => {
    health = createHealth();
    const damage = new Damage({ disk, dir: root, health });
    usage = new UsageFiles({ disk, damage, root: join(root, 'usage'), maxSpareLines: 20 });
  };
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'docent-usage-'));
    open();
  });
  afterEach(async () => {
    disk.heal();
    await usage.close();
    await rm(root, { recursive: true, force: true });
  });
  const OWNER = 'a'.repeat(32);
  const path = () => join(root, 'usage', '2026-03.jsonl');
  const ofModel = (model: string, messages = 1): Usage => ({
    owner: OWNER,
    chatbot: 'b'.repeat(32),
    day: '2026-03-05',
    model,
    messages,
    credits: messages,
    tokens: messages * 10,
  });
  const add = (...models: string[]) => Promise.all(models.map((model) => usage.add(ofModel(model))));
  const messagesOf = async () =>
    Object.fromEntries(
      (await usage.between(OWNER, '2026-03-01', '2026-03-31')).map(({ model, messages }) => [model, messages]),
    );
  const reopen = async () => {
    await usage.close();
    open();
  };

  it('takes a bounded number of lines, however many answers there are', async () => {
    for (let n = 0; n < 200; n++) await add('m', 'n');
    for (const again of [false, true]) {
      if (again) await reopen();
      expect(await messagesOf()).toEqual({ m: 200, n: 200 });
    }
    expect((await readFile(path(), 'utf8')).split('\n').length).toBeLessThan(30);
  });

  it('takes a line for answers of one kind that end together', async () => {
    await add('m');
    await add(...Array.from({ length: 100 }, () => 'm'));
    expect((await readFile(path(), 'utf8')).split('\n')).toHaveLength(3);
    expect(await messagesOf()).toEqual({ m: 101 });
  });

  it.each(['write', 'datasync', 'truncate'] as const)(
    'counts once what a failing %s has refused, with the next write',
    async (verb) => {
      await add('m');
      if (verb === 'truncate') disk.failing('datasync', 'EIO');
      disk.failing(verb, 'ENOSPC');
      await expect(add('m', 'n')).rejects.toThrow();
      expect(await messagesOf()).toEqual({ m: 1 });
      disk.heal();
      await add('m');
      for (const again of [false, true]) {
        if (again) await reopen();
        expect(await messagesOf()).toEqual({ m: 3, n: 1 });
      }
    },
  );

  it('counts once what a failing rewrite has refused', async () => {
    for (let n = 0; n < 23; n++) await add('m');
    for (const verb of ['rename', 'sync'] as const) {
      disk.failing(verb, 'ENOSPC');
      await expect(add('m')).rejects.toThrow();
      disk.heal();
    }
    await add('m');
    for (const again of [false, true]) {
      if (again) await reopen();
      expect(await messagesOf()).toEqual({ m: 26 });
    }
    expect((await readFile(path(), 'utf8')).split('\n')).toHaveLength(2);
  });

  it('stores the other months where one cannot be written', async () => {
    await mkdir(path(), { recursive: true });
    await writeFile(join(path(), 'kept'), '');
    await expect(add('m')).rejects.toThrow();
    const april = { ...ofModel('m'), day: '2026-04-01' };
    await expect(usage.add(april)).rejects.toThrow();
    expect(await usage.between(OWNER, '2026-04-01', '2026-04-30')).toEqual([april]);
    await rm(path(), { recursive: true });
    await add('m');
    for (const again of [false, true]) {
      if (again) await reopen();
      expect(await messagesOf()).toEqual({ m: 2 });
      expect(await usage.between(OWNER, '2026-04-01', '2026-04-30')).toEqual([april]);
    }
  });

  it('stores at its end what the disk has refused before', async () => {
    disk.failing('write', 'ENOSPC', 1);
    await expect(add('m')).rejects.toThrow();
    await reopen();
    expect(await messagesOf()).toEqual({ m: 1 });
  });

  it.each([
    ['a torn last line', (text: string) => `${text}{"owner":"aa`, { m: 1, n: 1, o: 1 }],
    ['a torn first line alone', () => '{"owner":"aa', { o: 1 }],
  ])('goes on behind %s, which is no damage', async (_, change, left) => {
    await add('m', 'n');
    await usage.close();
    await writeFile(path(), change(await readFile(path(), 'utf8')));
    open();
    await add('o');
    for (const again of [false, true]) {
      if (again) await reopen();
      expect(await messagesOf()).toEqual(left);
    }
    expect(health.state().status).toBe('ok');
  });

  it.each([
    ['a changed number', (text: string) => text.replace('"credits":1', '"credits":9'), { n: 1, o: 1 }],
    ['a line of other JSON', (text: string) => text.replace(/^.*\n/, '{}\n'), { n: 1, o: 1 }],
    ['zeros in all of it', (text: string) => '\0'.repeat(text.length), { o: 1 }],
    ['bytes behind its last line', (text: string) => `${text}J`, { m: 1, n: 1, o: 1 }],
  ])('with %s is kept aside, and named by /readyz', async (_, change, left) => {
    await add('m');
    await add('n');
    await usage.close();
    const damaged = change(await readFile(path(), 'utf8'));
    await writeFile(path(), damaged);
    open();
    await add('o');
    for (const again of [false, true]) {
      if (again) await reopen();
      expect(await messagesOf()).toEqual(left);
      expect(await readFile(`${path()}.damaged`, 'utf8')).toBe(damaged);
      expect(health.state().reasons).toEqual([expect.stringMatching(/^usage\/2026-03\.jsonl.* cannot be read/)]);
    }
  });

  it('of other months is there, where a folder stands in place of a file', async () => {
    await mkdir(path(), { recursive: true });
    await usage.add({ ...ofModel('m'), day: '2026-04-01' });
    expect(await usage.between(OWNER, '2026-03-01', '2026-04-30')).toEqual([{ ...ofModel('m'), day: '2026-04-01' }]);
    expect(health.state().reasons).toEqual([expect.stringContaining('2026-03.jsonl is a folder')]);
    expect(await readdir(join(root, 'usage'))).toEqual(['2026-03.jsonl', '2026-04.jsonl']);
  });
});
