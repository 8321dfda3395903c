import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { lockFolder } from '../../../server/store/lowdb/files/lock.ts';
import { startTcpProxy } from '../../fakes/tcp-proxy.ts';
import { start, until, type Running } from '../../running.ts';
import { makeSchema, type Schema } from '../../store/postgres/fixture.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import { startPostgres } from '../../store/postgres/server.ts';
import { aChatbot } from '../../store/records.ts';

/** `docent export` and `docent import`. */

const server = await startPostgres();
afterAll(() => server?.stop());

let dir: string;
beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'docent-moving-'))));
afterEach(() => rm(dir, { recursive: true, force: true }));

interface Said {
  code: number;
  out: string;
  err: string;
}

async function docent(words: string[], env: NodeJS.ProcessEnv, stdin = '', isTerminal = false): Promise<Said> {
  const said = { out: '', err: '' };
  const stdout = new Writable({
    write(chunk: Buffer, _, done) {
      said.out += chunk.toString();
      done();
    },
  });
  const terminal = {
    out: (text: string) => (said.out += text),
    err: (text: string) => (said.err += text),
    showsProgress: () => isTerminal,
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout,
  };
  return { code: await runCommand(words, { DATA_DIR: dir, ...env }, terminal), ...said };
}

const question = 'When does the last ferry leave?';

async function teach({ api }: Running): Promise<{ chatbot: string; session: string }> {
  const chatbot = (await api('POST', '/chatbot/create', { name: 'Ferries' })).body.uuid;
  await api('POST', `/chatbot/${chatbot}/data-source/qa`, {
    question,
    answer: 'The last ferry leaves at ten to nine.',
  });
  await until(
    async () => (await api('GET', `/chatbot/${chatbot}/data-sources`)).body,
    ([source]) => source.status === 'success',
  );
  const session = (await api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
  await api('POST', `/session/${session}/message/non-stream`, { query: question });
  return { chatbot, session };
}

const kinds = server ? (['files', 'postgres'] as const) : (['files'] as const);

describe.each(kinds)('from a running server on %s', (engine) => {
  it('exports all of it, and a server with what was imported answers from it', async () => {
    const from = engine === 'postgres' ? await makeSchema(server!.url) : undefined;
    const to = engine === 'files' && server ? await makeSchema(server.url) : undefined;
    const env = from ? { DATABASE_URL: from.url } : {};
    const running = await start(env);
    const { chatbot, session } = await teach(running);
    const messages = (await running.api('GET', `/session/${session}/messages`)).body;
    const file = join(dir, 'all.jsonl.gz');
    const exported = await docent(['export', file], { ...env, DATA_DIR: running.dataDir });
    expect(exported).toEqual({
      code: 0,
      out: '',
      err: 'exported 1 chatbot, 1 source, 1 conversation, 1 message\n',
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(gunzipSync(await readFile(file)).toString()).toMatch(/^\{"archive":[^]*\n\{"end":[^\n]*\n$/);
    // With a server of the same data elsewhere there is only the database.
    if (from) expect((await docent(['export', '-'], env)).out).toMatch(/^\{"archive":/);
    await running.stop();
    await from?.drop();

    const target = { DATA_DIR: join(dir, 'data'), ...(to ? { DATABASE_URL: to.url } : {}) };
    const imported = await docent(['import', file], target, '', true);
    expect(imported).toMatchObject({ code: 0, out: '' });
    expect(imported.err).toMatch(/imported 1 chatbot, 1 source, 1 conversation, 1 message\n$/);
    const moved = await start(target);
    expect((await moved.api('GET', `/session/${session}/messages`)).body).toEqual(messages);
    const again = await moved.api('POST', `/session/${session}/message/non-stream`, { query: question });
    expect(again.body.response).toContain('ten to nine');
    expect((await moved.api('GET', `/chatbot/${chatbot}`)).body.name).toBe('Ferries');
    await moved.stop();
    await to?.drop();
  });
});

describe.skipIf(!server)('from a database itself', () => {
  let schema: Schema;
  let sql: postgres.Sql;
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    sql = postgres(schema.url, { max: 1, onnotice: () => {} });
  });
  afterEach(async () => {
    await sql.end();
    await schema.drop();
  });
  const exportAll = (DATABASE_URL = schema.url): Promise<Said> => docent(['export', '-'], { DATABASE_URL });

  it('changes nothing', async () => {
    const store = await openPostgresStore({ url: schema.url, clock: Date.now });
    const [kept, marked] = [aChatbot(store.owner.user.uuid), aChatbot(store.owner.user.uuid)];
    for (const one of [kept, marked]) await store.createChatbot(one, []);
    await store.close();
    await sql`update chatbots set is_deleted = true where uuid = ${marked.uuid}`;
    // Stalled for longer than a process is taken for alive.
    await sql`insert into processes (uuid, seen_at) values ('stalled', now() - interval '1 hour')`;
    const rows = async () => [await sql`select uuid from chatbots order by n`, await sql`select * from processes`];
    const before = await rows();
    expect(before[0]).toHaveLength(2);
    // The database refuses whatever it writes.
    const url = new URL(schema.url);
    url.searchParams.set('default_transaction_read_only', 'on');
    expect(await exportAll(url.href)).toMatchObject({ code: 0, err: expect.stringContaining('exported 1 chatbot, ') });
    expect(await exportAll()).toMatchObject({ code: 0 });
    expect(await rows()).toEqual(before);
  });

  it('through the socket says that the database is away', async () => {
    const url = new URL(schema.url);
    const network = await startTcpProxy(Number(url.port || 5432));
    [url.hostname, url.port] = ['127.0.0.1', String(network.port)];
    const running = await start({ DATABASE_URL: url.href });
    network.cut();
    expect(await docent(['export', '-'], { DATA_DIR: running.dataDir })).toEqual({
      code: 1,
      out: '',
      err: 'docent: the database of the server does not answer; try again\n',
    });
    network.mend();
    await running.stop();
    await network.close();
  });

  it('says so where it has no tables, or those of another version', async () => {
    expect(await exportAll()).toMatchObject({ code: 1, err: 'docent: the database holds no data of docent\n' });
    expect(await sql`select 1 from pg_tables where schemaname = current_schema()`).toHaveLength(0);
    await (await openPostgresStore({ url: schema.url, clock: Date.now })).close();
    await sql`update schema_version set version = 1`;
    expect((await exportAll()).err).toMatch(/older version of docent \(schema 1\): start a server/);
    await sql`update schema_version set version = 1000`;
    expect((await exportAll()).err).toMatch(/newer version of docent \(schema 1000\): install that version/);
  });
});

it('waits for a server that is starting', async () => {
  const starting = await lockFolder(dir);
  const exporting = docent(['export', '-'], {});
  await new Promise((done) => setTimeout(done, 300));
  await starting.release();
  expect(await exporting).toMatchObject({ code: 0 });
});

it('needs the server to be stopped for an import, and a folder without data or --replace', async () => {
  const running = await start();
  await teach(running);
  const { out } = await docent(['export', '-'], { DATA_DIR: running.dataDir });
  const into = { DATA_DIR: running.dataDir };
  expect((await docent(['import', '-'], into, out)).err).toContain('is in use by process');
  await running.booted.close();
  expect(await docent(['import', '-'], into, out)).toMatchObject({
    code: 1,
    err: expect.stringContaining('--replace'),
  });
  expect(await docent(['import', '-', '--replace'], into, out)).toMatchObject({ code: 0 });
  await running.stop();
});

it('leaves an older export as it was where the new one fails, and says why', async () => {
  const file = join(dir, 'old.jsonl');
  await writeFile(file, 'old');
  const failed = await docent(['export', file], { DATABASE_URL: 'postgres://x@127.0.0.1:1/x' });
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('the database does not answer') });
  expect(await readFile(file, 'utf8')).toBe('old');
  expect(await docent(['import', join(dir, 'none')], {})).toMatchObject({ code: 1 });
  expect(await docent(['import', file], {})).toMatchObject({ code: 1, err: expect.stringContaining('cut off') });
  expect(await docent(['export', join(dir, 'no', 'folder')], {})).toMatchObject({
    code: 1,
    err: expect.stringContaining('ENOENT'),
  });
});
