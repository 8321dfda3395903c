import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { startTcpProxy, type TcpProxy } from '../../fakes/tcp-proxy.ts';
import { API_KEY, start, until, type Running } from '../../running.ts';
import { makeSchema, type Schema } from './fixture.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();

describe.skipIf(!server)('a server with DATABASE_URL', () => {
  let schema: Schema;
  let network: TcpProxy;
  let docent: Running;
  let DATABASE_URL: string;

  afterAll(() => server!.stop());
  beforeAll(async () => {
    network = await startTcpProxy(Number(new URL(server!.url).port));
  });
  afterAll(() => network.close());
  beforeEach(async () => {
    network.mend();
    schema = await makeSchema(server!.url);
    const url = new URL(schema.url);
    url.port = String(network.port);
    DATABASE_URL = url.href;
    docent = await start({ DATABASE_URL });
  });
  afterEach(async () => {
    await docent.stop();
    await schema.drop();
  });

  const question = 'When does the last ferry leave?';

  async function teach(): Promise<string> {
    const chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Ferries' })).body.uuid;
    const answer = 'The last ferry leaves at ten to nine.';
    await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, { question, answer });
    await until(
      async () => (await docent.api('GET', `/chatbot/${chatbot}/data-sources`)).body,
      ([source]) => source.status === 'success',
    );
    return chatbot;
  }

  async function ask(chatbot: string): Promise<string> {
    const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
    return (await docent.api('POST', `/session/${session}/message/non-stream`, { query: question })).body.response;
  }

  it('stores everything there, and nothing in its folder', async () => {
    const chatbot = await teach();
    expect(await ask(chatbot)).toContain('at ten to nine');
    const files = (await readdir(docent.dataDir, { recursive: true, withFileTypes: true })).filter((one) =>
      one.isFile(),
    );
    for (const file of files) expect(await readFile(join(file.parentPath, file.name), 'utf8')).not.toContain('ferry');

    await docent.stop();
    docent = await start({ DATABASE_URL });
    expect(await ask(chatbot)).toContain('at ten to nine');
  });

  it('answers beside another server, which may have the same folder', async () => {
    const other = await start({ DATABASE_URL, DATA_DIR: docent.dataDir });
    const chatbot = await teach();
    const session = (await other.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
    const reply = await other.api('POST', `/session/${session}/message/non-stream`, { query: question });
    expect(reply.body.response).toContain('at ten to nine');
    expect((await docent.api('GET', `/session/${session}/messages`)).body).toHaveLength(1);

    const env = { DATABASE_URL, DATA_DIR: docent.dataDir, API_KEY: 'the-key-of-the-tests' };
    expect(await command(['chatbot', 'list'], env)).toContain('Ferries');
    await other.stop();
  });

  it('answers commands, which without it open the database themselves', async () => {
    await teach();
    const env = { DATABASE_URL, DATA_DIR: docent.dataDir, API_KEY: 'the-key-of-the-tests' };
    expect(await command(['chatbot', 'list'], env)).toContain('Ferries');
    await docent.stop();
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'docent-'));
    expect(await command(['chatbot', 'list'], { ...env, DATA_DIR })).toContain('Ferries');
    await rm(DATA_DIR, { recursive: true });
    docent = await start({ DATABASE_URL });
  });

  it('refuses while the database is away, says so at /readyz, and goes on by itself', async () => {
    const chatbot = await teach();
    network.cut();
    const refused = await docent.api('GET', `/chatbot/${chatbot}`);
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ code: 'unavailable', error: expect.stringContaining('database') });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await readiness()).toMatchObject({ status: 'failing', reasons: [expect.stringContaining('database')] });

    network.mend();
    expect(await until(readiness, ({ status }) => status === 'ok')).toEqual({ status: 'ok' });
    expect(await ask(chatbot)).toContain('at ten to nine');
  });

  it('says that a record may be stored where the database is lost in the middle', async () => {
    const chatbot = await teach();
    const sql = postgres(schema.url, { max: 1, onnotice: () => {} });
    await sql`create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(1); return new; end'`;
    await sql`create trigger wait before insert on sessions for each row execute function wait()`;
    const create = async (headers: Record<string, string> = {}) => {
      const reply = await fetch(`${docent.base}/api/v1/chatbot/${chatbot}/session/create`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${API_KEY}`, ...headers },
      });
      return { status: reply.status, body: (await reply.json()) as Record<string, string> };
    };
    const withKey = { 'Idempotency-Key': 'k'.repeat(20) };
    const creating = [create(), create(withKey)];
    await until(
      () => sql`select 1 from pg_stat_activity where wait_event = 'PgSleep'`,
      ({ length }) => length === 2,
    );
    network.loseReplies();
    await until(
      () => sql`select 1 from sessions`,
      ({ length }) => length === 2,
    );
    network.cut();
    const [lost, lostWithKey] = await Promise.all(creating);
    for (const { status, body } of [lost!, lostWithKey!]) expect([status, body['code']]).toEqual([503, 'unavailable']);
    expect(lost!.body['error']).toContain('what was sent may be stored, look before you send it again');
    expect(lostWithKey!.body['error']).toContain('send it again with the same Idempotency-Key, which stores it once');
    // Where it cannot be reached at all, nothing was sent: once the pool has found its connections broken.
    const refused = 'the database of the server does not answer; try again';
    await until(
      () => docent.api('POST', `/chatbot/${chatbot}/session/create`, {}),
      ({ body: { error } }) => error === refused,
    );
    network.mend();
    const again = await until(
      () => create(withKey),
      ({ status }) => status === 200,
    );
    const stored = await sql`select uuid from sessions`;
    expect(stored).toHaveLength(2);
    expect(stored.map(({ uuid }) => uuid)).toContain(again.body['uuid']);
    await sql.end();
  });

  const readiness = async (): Promise<{ status: string; reasons?: string[] }> =>
    (await fetch(`${docent.base}/readyz`)).json() as never;
});

it('does not start where no database answers, and keeps the password to itself', async () => {
  const DATABASE_URL = 'postgres://docent:a-secret@127.0.0.1:1/docent';
  const starting = start({ DATABASE_URL });
  await expect(starting).rejects.toThrow(/^DATABASE_URL: the database does not answer: .*ECONNREFUSED/);
  await expect(starting).rejects.not.toThrow('a-secret');
});

async function command(words: string[], env: NodeJS.ProcessEnv): Promise<string> {
  let said = '';
  const terminal = {
    out: (text: string) => (said += text),
    err: (text: string) => (said += text),
    columns: () => undefined,
    onInterrupt: () => () => {},
  };
  await runCommand(words, env, terminal as never);
  return said;
}
