import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../running.ts';
import { startOwnPostgres } from '../../store/postgres/server.ts';
import { API_KEY, makeChatbot, startCluster, type Cluster } from '../cluster.ts';

const server = await startOwnPostgres();
afterAll(() => server?.stop());

/** Reads of /readyz, a tenth of a second apart: longer than two signs of life of a process. */
const LOOKS = 60;

describe.skipIf(!server)('a server whose database only reads', { timeout: 60_000 }, () => {
  let cluster: Cluster;
  let chatbot: string;
  let sql: postgres.Sql;
  beforeEach(async () => {
    cluster = await startCluster(server!.url, 1);
    chatbot = await makeChatbot(cluster);
    sql = postgres(cluster.database, { max: 1, onnotice: () => {} });
  });
  afterEach(async () => {
    await sql.end();
    await cluster.stop();
  });

  const readiness = async (): Promise<{ status: string; reasons?: string[] }> =>
    (await fetch(`${cluster.servers[0]!.base}/readyz`)).json() as never;
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  const call = async (method: string, path: string): Promise<{ status: number; body: Record<string, unknown> }> => {
    const body = method === 'POST' ? '{"name": "New"}' : null;
    const reply = await fetch(`${cluster.servers[0]!.base}/api/v1${path}`, { method, headers, body });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  };
  /** What the log has of the database's outage, without the requests that were refused. */
  const told = (): string[] =>
    cluster.servers[0]!.log.map(({ msg }) => msg).filter((msg) => /nothing can be stored|stores again/.test(msg));

  async function staysUnwritable(sentence: string): Promise<void> {
    const reason = `nothing can be stored: ${sentence}`;
    await until(readiness, ({ status }) => status === 'failing');
    for (let n = 0; n < LOOKS; n++) {
      expect((await call('GET', `/chatbot/${chatbot}`)).status).toBe(200);
      expect((await call('GET', '/chatbots')).status).toBe(200);
      expect(await readiness()).toEqual({ status: 'failing', reasons: [reason] });
      await new Promise((done) => setTimeout(done, 100));
    }
    expect(await call('POST', '/chatbot/create')).toEqual({
      status: 503,
      body: { error: `${sentence}; nothing was stored`, code: 'unavailable' },
    });
    expect(told()).toEqual([reason]);
  }

  async function goesOn(sentence: string): Promise<void> {
    await until(readiness, ({ status }) => status === 'ok');
    expect((await call('POST', '/chatbot/create')).status).toBe(200);
    const lines = [`nothing can be stored: ${sentence}`, 'the database stores again'];
    expect(
      await until(
        async () => told(),
        ({ length }) => length === lines.length,
      ),
    ).toEqual(lines);
  }

  it('says so until it can write again, whatever is read meanwhile', async () => {
    const sentence = 'the database is read-only (a standby?)';
    const setReadOnly = async (how: 'on' | 'off'): Promise<void> => {
      await sql.begin('read write', async (tx) => {
        await tx.unsafe(`alter database postgres set default_transaction_read_only = ${how}`);
      });
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'docent' and pid <> pg_backend_pid()`;
    };
    await setReadOnly('on');
    try {
      await staysUnwritable(sentence);
    } finally {
      await setReadOnly('off');
    }
    await goesOn(sentence);
  });

  it('says that the disk is full until there is room, though a sign of life finds room in pages that are there', async () => {
    const sentence = 'the disk of the database is full';
    await sql.unsafe(`
      create function refuse() returns trigger language plpgsql as $$
        begin raise 'could not extend file' using errcode = 'disk_full'; end $$;
      create function refuse_table() returns event_trigger language plpgsql as $$
        begin raise 'could not create file' using errcode = 'disk_full'; end $$;
      create trigger full_disk before insert on chatbots for each row execute function refuse();
      create event trigger full_disk on ddl_command_start when tag in ('CREATE TABLE AS') execute function refuse_table()`);
    expect((await call('POST', '/chatbot/create')).status).toBe(503);
    await staysUnwritable(sentence);
    await sql.unsafe('drop event trigger full_disk; drop trigger full_disk on chatbots');
    await goesOn(sentence);
  });
});
