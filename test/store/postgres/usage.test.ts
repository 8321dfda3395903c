import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import { connect } from '../../../server/store/postgres/connection.ts';
import { makeSchema, type Schema } from './fixture.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();

describe.skipIf(!server)('the usage of answers that end at the same moment', () => {
  let schema: Schema;
  beforeAll(async () => {
    schema = await makeSchema(server!.url);
  });
  afterAll(async () => {
    await schema.drop();
    await server!.stop();
  });

  it('is stored in two statements, and the close of the store waits for both', async () => {
    const store = await openPostgresStore({ url: schema.url, clock: Date.now });
    const sql = connect({ url: schema.url, max: 1 });
    await sql`create table writes (messages bigint)`;
    await sql`
      create function note() returns trigger language plpgsql as
      'begin insert into writes values (new.messages); return new; end'`;
    await sql`create trigger note before insert on usage for each row execute function note()`;
    const usage = { owner: 'o', chatbot: 'c', day: '2026-01-01', model: '', messages: 1, credits: 0.5, tokens: 2 };
    const added = Array.from({ length: 50 }, () => store.addUsage(usage));
    await store.close();
    await Promise.all(added);
    expect(await sql`select messages::integer as messages from writes order by messages`).toEqual([
      { messages: 1 },
      { messages: 49 },
    ]);
    expect(await sql`select messages::integer as messages, credits, tokens::integer as tokens from usage`).toEqual([
      { messages: 50, credits: 25, tokens: 100 },
    ]);
    await sql.end();
  });
});
