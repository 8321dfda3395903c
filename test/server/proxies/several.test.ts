import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBuiltServer, until, type BuiltServer } from '../../browser/built-server.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { blocksOf, textOf } from '../../readme/texts.ts';
import { startPostgres } from '../../store/postgres/server.ts';
import { open, send, startNginx, type Proxy } from './proxies.ts';

/** The guide for several servers, its lines run as a reader would: only ports, folders and the installation are others. */

const database = await startPostgres();
// Roles are of the whole server: one that others use gets none.
const isPossible = database?.pid !== undefined && spawnSync('nginx', ['-v']).status === 0;
const guide = textOf('scaling');
const shell = blocksOf(guide, 'sh');
const blockWith = (words: string): string => shell.find((block) => block.includes(words)) ?? '';
const starts = blockWith('PORT=8081').trim().split('\n');
const JSON_TYPE = { 'Content-Type': 'application/json' };

afterAll(() => database?.stop());

test('CI installs what the guide installs', async () => {
  expect(blockWith('create role')).toMatch(/^sudo apt-get install postgresql$/m);
  expect(await readFile('.ci/run', 'utf8')).toMatch(/^debian=\(.*\bpostgresql\b.*\)$/m);
});

test.runIf(process.env['REQUIRE_PROXIES'] === '1')('CI has PostgreSQL and nginx', () => expect(isPossible).toBe(true));

describe.skipIf(!isPossible)('the guide for several servers', () => {
  let folder: string;
  let url: string;
  let model: FakeModel;
  let servers: BuiltServer[];
  let proxy: Proxy;
  let chatbot: string;

  /** Resolves with the standard output. The superuser of the tests' own database stands in for Debian's. */
  async function run(script: string): Promise<string> {
    const own = new URL(database!.url);
    const program =
      `npx() { [ "$1" = docent ] && shift && '${process.execPath}' "${process.cwd()}/dist/server/main.js" "$@"; }\n` +
      'sudo() { [ "$1" != -u ] || "${@:3}"; }\n';
    const lines = script
      .replaceAll('postgres://docent:a-password@127.0.0.1:5432/docent', url)
      .replaceAll('/var/lib/docent', join(folder, 'data'));
    const env = { ...process.env, PGHOST: own.hostname, PGPORT: own.port, PGUSER: 'postgres' };
    const child = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', program + lines], { cwd: folder, env });
    return (await child).stdout;
  }

  /** Of a line of the guide; `more`: variables that are others. */
  function startAs(line: string, more: Record<string, string> = {}): Promise<BuiltServer> {
    const env = Object.fromEntries([...line.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!]));
    const { PORT, DATA_DIR, ...rest } = env;
    expect(DATA_DIR).toBe(`/var/lib/docent/${PORT}`);
    // The name says whose request it is.
    const ofModel = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: `fake-${PORT}` };
    return startBuiltServer({ ...rest, ...ofModel, DATABASE_URL: url, DATA_DIR: join(folder, PORT!), ...more });
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'docent-several-'));
    const own = new URL(database!.url);
    url = `postgres://docent:a-password@${own.host}/docent`;
    model = await startFakeModel();
    const before = await startBuiltServer({ DATA_DIR: join(folder, 'data'), DEMO: '0' });
    const made = await call(before.base, '/chatbot/create', before.key, { name: 'Ferries', visibility: 'public' });
    chatbot = made.uuid;
    await call(before.base, `/chatbot/${chatbot}/data-source/qa`, before.key, {
      question: 'When does the last ferry leave?',
      answer: 'The last ferry leaves at ten to nine.',
    });
    await before.stop();
    await run(blockWith('create role'));
    await run(blockWith('docent import'));
    servers = [];
    for (const line of starts) servers.push(await startAs(line));
    const [first, second] = servers as [BuiltServer, BuiltServer];
    const [block = ''] = blocksOf(guide, 'nginx');
    proxy = await startNginx({ folder, block, path: '', servers: { 8080: first.port, 8081: second.port } });
  });
  afterAll(async () => {
    await proxy?.stop();
    for (const server of servers ?? []) await server.stop();
    await model?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (query: string, from = '127.0.0.1', more: object = {}) =>
    send(proxy, `/chat/${chatbot}/ask`, { body: JSON.stringify({ query, ...more }), headers: JSON_TYPE, from });

  test('answers what was moved, through both servers', async () => {
    for (const { base } of servers) {
      const reply = await fetch(`${base}/chat/${chatbot}/ask`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify({ query: 'When does the last ferry leave?' }),
      });
      expect(await reply.text()).toMatch(/event: done\n.*at ten to nine/);
    }
    expect((await ask('When does the last ferry leave?')).text).toMatch(/event: done\n.*at ten to nine/);
  });

  test('counts a visitor once, whichever server the proxy chooses', async () => {
    await call(servers[0]!.base, `/chatbot/${chatbot}/update`, servers[0]!.key, { rate_limit: [3, 240] });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await ask('Is anybody there?', '127.0.0.9')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    await call(servers[0]!.base, `/chatbot/${chatbot}/update`, servers[0]!.key, { rate_limit: [100, 240] });
  });

  test('passes an answer on in pieces, while the model still writes', async () => {
    let goOn = (): void => {};
    const hold = new Promise<void>((done) => (goOn = done));
    model.next({ pieces: ['Ferries ', 'leave ', 'at noon.'], beforeHold: 3, hold });
    const body = JSON.stringify({ query: 'What about the harbour?' });
    const stream = await open(proxy, `/chat/${chatbot}/ask`, { body, headers: JSON_TYPE });
    let got = '';
    for await (const piece of stream) {
      got += String(piece);
      if (/event: delta\n.*Ferries/.test(got)) goOn();
    }
    expect(got).toMatch(/^event: done$/m);
  });

  test('answers each question while one server is restarted after the other', async () => {
    const statuses: number[] = [];
    const over = new AbortController();
    const asking = (async () => {
      // From as many addresses as need be: the limit is of each.
      for (let n = 0; !over.signal.aborted; n++)
        statuses.push((await ask('When does the last ferry leave?', `127.0.1.${(n % 250) + 1}`)).status);
    })();
    for (const [place, line] of starts.entries()) {
      const { port, stop } = servers[place]!;
      await stop();
      const before = statuses.length;
      await until(async () => statuses.length > before + 3);
      servers[place] = await startAs(line, { PORT: String(port) });
    }
    over.abort();
    await asking;
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  test('waits for each server after its restart, and backs up', async () => {
    // Nothing is restarted by this, but the line is bash, and ends.
    const loop = blockWith('systemctl restart').replace(
      'in 8080 8081',
      `in ${servers.map(({ port }) => port).join(' ')}`,
    );
    expect((await run(loop)).match(/"status":"ok"/g)).toHaveLength(2);
    await run(blockWith('pg_dump'));
    expect(await readFile(join(folder, 'backup.sql'), 'utf8')).toContain('at ten to nine');
    await run(
      blockWith('create role')
        .replace(/-c "create role[^"]*" /, '')
        .replace('database docent', 'database again'),
    );
    const restored = url.replace(/docent$/, 'again');
    await run(`psql --quiet --file backup.sql '${restored}'`);
    const doctor = await run(`DATABASE_URL='${restored}' npx docent doctor --dry-run`);
    expect(doctor).toMatch(/^checked 1 chatbot, 1 source, .* 0 left$/m);
  });

  test('sends a question that a killed server has got to no other, and new ones past it', async () => {
    model.requests.splice(0);
    model.next({ hangAfter: 0 });
    const body = JSON.stringify({ query: 'What about the island?' });
    const cut = open(proxy, `/chat/${chatbot}/ask`, { body, headers: JSON_TYPE }).then(async (stream) => {
      for await (const _ of stream) continue;
    });
    const ended = cut.then(
      () => 'ended',
      () => 'cut',
    );
    await until(async () => model.requests.length === 1);
    const killed = model.requests[0]!.body.model === 'fake-8080' ? 0 : 1;
    await servers[killed]!.kill();
    expect(await ended).toMatch(/ended|cut/);
    expect(model.requests).toHaveLength(1);
    for (let n = 0; n < 6; n++)
      expect((await ask('When does the last ferry leave?')).text).toMatch(/event: done\n.*at ten to nine/);
  });
});

async function call(base: string, path: string, key: string, body: object): Promise<{ uuid: string }> {
  const headers = { ...JSON_TYPE, Authorization: `Bearer ${key}` };
  const reply = await fetch(`${base}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(reply.status).toBe(200);
  return (await reply.json()) as { uuid: string };
}
