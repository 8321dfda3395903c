import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { Store } from '../../../server/store/store.ts';
import { aChatbot, aMessage, aSession } from '../records.ts';
import { makeSchema, type Schema } from '../postgres/fixture.ts';
import { startPostgres } from '../postgres/server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(!server)('messages that a version before has stored', () => {
  let [schema, store, sql]: [Schema, Store, postgres.Sql] = [] as never;
  let chatbot: string;
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    store = await openPostgresStore({ url: schema.url, clock: Date.now });
    sql = postgres(schema.url, { max: 1, onnotice: () => {} });
    const made = aChatbot(store.owner.user.uuid);
    chatbot = made.uuid;
    await store.createChatbot(made, []);
  });
  afterEach(async () => {
    await sql.end();
    await store.close();
    await schema.drop();
  });
  /** As the version before leaves it. */
  const forget = async () => {
    await sql`delete from message_entries`;
    await sql`update sessions set is_dry = null`;
    await sql`update chatbots set words_from = null`;
  };
  const find = (after?: string) => store.findMessages(chatbot, { text: 'parcel' }, { limit: 1000, after });
  const ask = async (more: object = {}) => {
    const session = aSession(chatbot, more);
    await store.saveMessage(aMessage(session.uuid, { query: 'parcel' }), session);
  };

  it('are found, some at a time, and once all have been looked at at once', async () => {
    for (let made = 0; made < 1200; made += 100) await Promise.all(Array.from({ length: 100 }, () => ask()));
    await ask({ dry_run: true });
    await forget();
    const first = (await find())!;
    expect(first.messages.length).toBeLessThan(1200);
    expect(first.next).not.toBe('');
    const found = [...first.messages];
    for (let { next } = first; next !== '';) {
      const page = (await find(next))!;
      found.push(...page.messages);
      ({ next } = page);
    }
    expect(new Set(found.map(({ uuid }) => uuid)).size).toBe(1200);
    expect(found).toHaveLength(1200);
    const [row] = await sql`select words_from::text as from from chatbots where uuid = ${chatbot}`;
    expect(row!['from']).toBe('0');
  });

  it('wait until no server of the version before runs', async () => {
    await ask();
    await forget();
    await sql`insert into processes (uuid) values ('older')`;
    await ask();
    expect((await find())!.messages).toHaveLength(1);
    await sql`delete from processes where uuid = 'older'`;
    expect(await find()).toMatchObject({ messages: [{}, {}], next: '' });
  });
});
