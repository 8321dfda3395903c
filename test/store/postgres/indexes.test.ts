import postgres from 'postgres';
import { afterAll, describe, expect, it } from 'vitest';
import { messageUuid } from '../../../server/schema/ids.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { Store } from '../../../server/store/store.ts';
import { aChatbot, aDocument, aFunction, aMessage, anAgent, aSession, aSite, aSource, aTag } from '../records.ts';
import { makeSchema } from './fixture.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

/** Rows of each table that grows: those of another chatbot. The planner reads smaller tables whole, which costs less. */
const ROWS = 20_000;
const LARGE = [
  'agents',
  'tags',
  'sites',
  'sources',
  'source_names',
  'agent_sources',
  'tag_sources',
  'files',
  'documents',
];
const LARGER = ['vectors', 'sessions', 'messages', 'answer_pieces', 'replies', 'usage', 'visits', 'settlements'];

/** Fills the tables, beside what one chatbot has. */
async function fill(sql: postgres.Sql, chatbot: string): Promise<void> {
  const each = sql`from generate_series(1, ${ROWS}) i`;
  const uuid = sql`md5(i::text)`;
  const record = sql`repeat('x', 500)`;
  await sql`insert into agents (uuid, n, chatbot, record) select ${uuid}, i, ${chatbot}, ${record} ${each}`;
  await sql`insert into tool_functions (uuid, agent) select ${uuid}, ${uuid} ${each}`;
  await sql`insert into tags (uuid, n, chatbot, record) select ${uuid}, i, ${chatbot}, ${record} ${each}`;
  await sql`
    insert into sites (uuid, n, chatbot, status, record) select ${uuid}, i, ${chatbot}, 'done', ${record} ${each}`;
  await sql`
    insert into sources (uuid, n, chatbot, status, embedded_by, record)
    select ${uuid}, i, ${chatbot}, 'success', 'small', ${record} ${each}`;
  await sql`
    insert into source_names (chatbot, digest, source) select ${chatbot}, sha256(i::text::bytea), ${uuid} ${each}`;
  for (const table of ['agent_sources', 'tag_sources'])
    await sql`insert into ${sql(table)} (part, place, source) select ${uuid}, 1, ${uuid} ${each}`;
  await sql`insert into files (source, bytes) select ${uuid}, '' ${each}`;
  await sql`insert into documents (source, document) select ${uuid}, ${record} ${each}`;
  await sql`insert into vectors (source, model, dimensions, rows) select ${uuid}, 'small', 3, '' ${each}`;
  await sql`insert into sessions (uuid, n, chatbot, record) select ${uuid}, i, ${chatbot}, ${record} ${each}`;
  await sql`
    insert into messages (uuid, n, session, has_response, outcome, record)
    select ${uuid}, i, ${uuid}, true, '', ${record} ${each}`;
  await sql`insert into answer_pieces (message, start, text) select ${uuid}, 0, '""' ${each}`;
  await sql`
    insert into replies (key, created_at, record) select ${uuid}, to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), ${record} ${each}`;
  await sql`
    insert into usage (owner, day, chatbot, model, messages, credits, tokens, n)
    select ${uuid}, '2026-01-01', ${chatbot}, '', 1, 1, 1, i ${each}`;
  await sql`insert into visits (key, times, is_counted) select sha256(i::text::bytea), '{}', true ${each}`;
  await sql`insert into settlements (id) select ${uuid} ${each}`;
  await sql`analyze`;
}

/** Each verb of the port that works with one chatbot, session or record; and those of the site of a chatbot that has all rows. */
async function useAll(store: Store, filled: string): Promise<void> {
  const owner = store.owner.user.uuid;
  const chatbot = aChatbot(owner);
  await store.createChatbot(chatbot, []);
  const source = aSource(chatbot.uuid);
  await store.createSource(source, Buffer.from('a file'));
  await store.createSource({ ...source, uuid: '9'.repeat(32) });
  await store.claimIdentity(source.uuid, 'another', (one) => ({ ...one, identity: 'another' }));
  await store.putDocument(source.uuid, aDocument('The ferry leaves at noon.'));
  await store.putVectors(source.uuid, { model: 'small', dimensions: 3, rows: Int8Array.of(1, 2, 3) });
  await store.updateSource(source.uuid, (one) => ({ ...one, title: 'Ferries' }));
  for (const read of [store.file, store.source, store.document, store.vectors]) await read(source.uuid);
  await store.unfinishedSources();
  for (const count of [store.sources, store.sourceCount, store.agents, store.tags, store.sites, store.sessions])
    await count(chatbot.uuid);

  const [tool, tag, site] = [aFunction(), aTag(chatbot.uuid), aSite(chatbot.uuid)];
  const agent = anAgent(chatbot.uuid, { tool_functions: [tool], data_source_uuids: [source.uuid] });
  await store.createAgent(agent);
  await store.agentWithFunction(tool.uuid);
  await store.updateAgent(agent.uuid, (one) => ({ ...one, name: 'Desk' }));
  await store.agent(agent.uuid);
  await store.createTag({ ...tag, data_source_uuids: [source.uuid] });
  await store.updateTag(tag.uuid, (one) => ({ ...one, name: 'Policies' }));
  await store.tag(tag.uuid);
  await store.createSite(site);
  await store.updateSite(site.uuid, (one) => one);
  await store.site(site.uuid);
  await store.unfinishedSites();

  const large = aSite(filled);
  await store.createSite(large);
  for (const own of [0, 1] as const) {
    const { uuid } = aSource(filled);
    await store.createSource(aSource(filled, { uuid, identity: uuid, site: large.uuid, own }));
  }
  expect(await store.pageCounts([large.uuid])).toEqual(new Map([[large.uuid, 1]]));
  expect(await store.deleteSite(large.uuid)).toHaveLength(1);

  const session = aSession(chatbot.uuid);
  await store.createSession(session);
  await store.updateSession(session.uuid, (one) => one);
  await store.session(session.uuid);
  const message = aMessage(session.uuid, { uuid: messageUuid(session.uuid) });
  const begun = { ...message, uuid: messageUuid(session.uuid), finish_reason: '' as const, response: '' };
  await store.saveMessage(message);
  await store.updateMessage(message.uuid, (one) => one);
  for (const read of [store.message, store.messages]) await read(message.uuid);
  await store.messages(session.uuid);
  await store.hasOutcome(session.uuid, 'unsure');
  await store.lastMessages(session.uuid, 5);
  const { answers, visits, passages } = store;
  const visit = { key: 'a visitor', count: 5, seconds: 60 };
  expect(await answers!.begin({ chatbot: chatbot.uuid, message: begun, visit })).toMatchObject({ isStored: true });
  await answers!.write([begun.uuid], [{ message: begun.uuid, start: 0, text: 'At noon' }]);
  await answers!.read(new Map([[begun.uuid, 0]]));
  await answers!.follow([begun.uuid]);
  await answers!.stop(begun.uuid);
  await answers!.end({ ...begun, finish_reason: 'stop', response: 'At noon.' });
  await visits!.take('a visitor', 5, 60);
  expect(passages).toBeDefined();

  const created_at = new Date().toISOString().replace(/\.\d+Z/, 'Z');
  await store.saveReply({ key: 'a key', request: 'a request', status: 200, body: '', created_at });
  await store.reply('a key');
  const cost = { owner, chatbot: chatbot.uuid, day: '2026-01-01', model: 'small', messages: 1, credits: 1, tokens: 1 };
  await store.addUsage(cost);
  await store.usage(owner, '2026-01-01', '2026-01-31');

  await store.deleteMessage(message.uuid);
  await store.deleteSession(session.uuid, '2000-01-01T00:00:00Z');
  await store.deleteSession(session.uuid);
  await store.deleteSource(source.uuid);
  await store.deleteAgent(agent.uuid);
  await store.deleteTag(tag.uuid);
  await store.deleteChatbot(chatbot.uuid);
}

// Other tests may have connections to the database that DATABASE_URL names: whether ours have ended is not seen there.
describe.skipIf(!server || process.env['DATABASE_URL'])('on a filled database', () => {
  it('no verb reads a large table from end to end', async () => {
    const schema = await makeSchema(server!.url);
    const sql = postgres(schema.url, { max: 1, onnotice: () => {} });
    const open = () => openPostgresStore({ url: schema.url, clock: Date.now });
    const first = await open();
    const chatbot = aChatbot(first.owner.user.uuid);
    await first.createChatbot(chatbot, []);
    await first.close();
    await fill(sql, chatbot.uuid);

    /** Rows that were read by sequential scans; connections tell them when they end. */
    const scanned = async (): Promise<Record<string, number>> => {
      await sql`select pg_stat_clear_snapshot()`;
      const rows = await sql<{ name: string; count: number }[]>`
        select relname as name, seq_tup_read::float8 as count from pg_stat_user_tables
        where schemaname = current_schema() and relname in ${sql([...LARGE, ...LARGER])}`;
      return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
    };
    await sql`select pg_stat_force_next_flush()`;
    const before = await scanned();
    expect(Object.values(before)).toHaveLength(LARGE.length + LARGER.length);
    const store = await open();
    await useAll(store, chatbot.uuid);
    await store.close();
    const ends = sql`
      select count(*)::integer as left from pg_stat_activity
      where application_name = 'docent' and datname = current_database() and pid <> pg_backend_pid()`;
    await expect.poll(async () => (await sql`${ends}`)[0]!['left']).toBe(0);
    expect(await scanned()).toEqual(before);
    await sql.end();
    await schema.drop();
  });
});
