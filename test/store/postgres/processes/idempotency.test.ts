import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newUuid } from '../../../../server/schema/ids.ts';
import { API_KEY, start, until, type Running } from '../../../running.ts';
import { makeSchema, type Schema } from '../fixture.ts';
import { startPostgres } from '../server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(!server)('an Idempotency-Key that comes to several servers', () => {
  let schema: Schema;
  let sql: postgres.Sql;
  let servers: Running[];
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    sql = postgres(schema.url, { max: 1, onnotice: () => {} });
    servers = await Promise.all([1, 2, 3].map(() => start({ DATABASE_URL: schema.url })));
  });
  afterEach(async () => {
    await Promise.all(servers.map((one) => one.stop()));
    await sql.end();
    await schema.drop();
  });

  async function create({ base }: Running, key: string, name: string) {
    const headers = {
      Authorization: `Bearer ${API_KEY}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    };
    const body = JSON.stringify({ name });
    const reply = await fetch(`${base}/api/v1/chatbot/create`, { method: 'POST', headers, body });
    return { status: reply.status, body: await reply.json() };
  }
  const chatbots = async () => (await servers[0]!.api('GET', '/chatbots')).body as { name: string }[];

  it('creates one record, of which each gets the same reply', async () => {
    for (let n = 1; n <= 10; n++) {
      const key = newUuid();
      const [first, ...others] = await Promise.all(servers.map((one) => create(one, key, 'Ferries')));
      expect(first!.status).toBe(200);
      for (const other of others) expect(other).toEqual(first);
      expect(await chatbots()).toHaveLength(n);
    }
  });

  it('is answered by one that finds the process gone which had it', async () => {
    const key = newUuid();
    const first = await create(servers[0]!, key, 'Ferries');
    // As it is where a process is killed before it saves the reply.
    await sql`insert into processes (uuid) values ('killed')`;
    await sql`insert into reply_claims (key, process) select key, 'killed' from replies`;
    await sql`delete from replies`;
    let isAnswered = false;
    const waiting = create(servers[1]!, key, 'Ferries').finally(() => (isAnswered = true));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(isAnswered).toBe(false);
    await sql`delete from processes where uuid = 'killed'`;
    expect(await waiting).toEqual(first);
    expect(await chatbots()).toHaveLength(1);
    await until(
      () => sql`select 1 from reply_claims`,
      ({ length }) => length === 0,
    );
  });

  it('is free again where the request was refused', async () => {
    const key = newUuid();
    expect((await create(servers[0]!, key, '')).status).toBe(422);
    expect((await create(servers[1]!, key, 'Ferries')).status).toBe(200);
    expect((await create(servers[2]!, key, 'Buses')).body).toMatchObject({ code: 'invalid_field' });
    expect(await chatbots()).toMatchObject([{ name: 'Ferries' }]);
  });
});
