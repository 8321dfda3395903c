import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { connect } from '../../../server/store/postgres/connection.ts';
import { migrate, SCHEMA_VERSION } from '../../../server/store/postgres/migrations.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { Store } from '../../../server/store/store.ts';
import { makeSchema, type Schema } from '../postgres/fixture.ts';
import { startPostgres } from '../postgres/server.ts';

/** `folder-1` is a data folder of format 1, as it was written when PostgreSQL was not yet there. */

const server = await startPostgres();
afterAll(() => server?.stop());

const FOLDER = join(import.meta.dirname, 'folder-1');
const text = 'The last ferry leaves at nine.';

/** The records of the folder, by every verb that reads them. */
async function expectAll(store: Store): Promise<void> {
  const owner = store.owner.user.uuid;
  expect(await store.keys()).toMatchObject([{ hash: '1'.repeat(64), user: owner, hint: 'dk_abc' }]);
  expect(await store.fact('demo')).toBe('none');
  const [chatbot] = await store.chatbots(owner);
  expect(chatbot).toMatchObject({ name: 'Ferries', owner });
  const { uuid } = chatbot!;
  expect(await store.agents(uuid)).toMatchObject([{ name: 'General Q&A' }]);
  const [source] = await store.sources(uuid);
  expect(source).toMatchObject({ type: 'upload', status: 'success' });
  expect(Buffer.from((await store.file(source!.uuid))!).toString()).toBe(text);
  expect(await store.document(source!.uuid)).toMatchObject({ text });
  expect((await store.vectors(source!.uuid))?.rows).toEqual(Int8Array.of(1, -2, 127, -128, 0, 5));
  expect(await store.tags(uuid)).toMatchObject([{ data_source_uuids: [source!.uuid] }]);
  expect(await store.sites(uuid)).toHaveLength(1);
  const [session] = await store.sessions(uuid);
  expect(await store.messages(session!.uuid)).toMatchObject([{ response: 'At nine.', finish_reason: 'stop' }]);
  expect(await store.usage(owner, '2026-11-01', '2026-11-30')).toMatchObject([{ messages: 1, credits: 1 }]);
}

describe('data folders of earlier formats', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-formats-'));
    await cp(FOLDER, dir, { recursive: true });
  });
  afterEach(() => rm(dir, { recursive: true }));
  const open = () => openLowdbStore({ dir, clock: Date.now });

  it('reads format 1, and reads again what it has written then', async () => {
    for (let times = 0; times < 2; times++) {
      const store = await open();
      await expectAll(store);
      await store.setFact('another', String(times));
      await store.close();
    }
  });

  it('refuses a newer one and changes nothing', async () => {
    const path = join(dir, 'store.json');
    const newer = (await readFile(path, 'utf8')).replace('"format":1', '"format":1000');
    await writeFile(path, newer);
    await expect(open()).rejects.toThrow(
      'was written by a newer version of docent (format 1000): install that version, or restore a backup that was made before',
    );
    expect(await readFile(path, 'utf8')).toBe(newer);
  });
});

describe.skipIf(!server)('schemas of earlier versions', () => {
  let schema: Schema;
  let sql: postgres.Sql;
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    sql = connect({ url: schema.url, max: 1 });
  });
  afterEach(async () => {
    await sql.end();
    await schema.drop();
  });

  const read = async (...names: string[]) => JSON.parse(await readFile(join(FOLDER, ...names), 'utf8'));

  /** Puts the records of the folder into the tables that the first version has. */
  async function fill(): Promise<void> {
    const { home, users, keys, facts } = await read('store.json');
    const [user] = users;
    await sql`insert into users (uuid, email, created_at) values (${user.uuid}, ${user.email}, ${user.created_at})`;
    await sql`insert into installation (owner, secret) values (${home.user}, ${home.secret})`;
    const { hash, name, hint, created_at, last_used_at } = keys[0];
    await sql`insert into keys ${sql({ hash, user_uuid: user.uuid, name, hint, created_at, last_used_at })}`;
    await sql`insert into facts values ('"demo"', ${JSON.stringify(facts.demo)})`;

    const CHATBOT = '66313728708d42cb8829eec7edcace35';
    const { chatbot, agents, tags, sites } = await read('chatbots', '66', `${CHATBOT}.json`);
    const row = (record: { uuid: string }) => ({ uuid: record.uuid, n: 1, record: JSON.stringify(record) });
    await sql`insert into chatbots ${sql({ ...row(chatbot), owner: home.user })}`;
    await sql`insert into agents ${sql({ ...row(agents[0]), chatbot: CHATBOT })}`;
    await sql`insert into sites ${sql({ ...row(sites[0]), chatbot: CHATBOT, status: sites[0].status })}`;

    const SOURCE = 'adf689a0e00446da8b018e968a8dbfbe';
    const { source } = await read('sources', 'ad', `${SOURCE}.source.json`);
    const { status, embedded_by } = source;
    await sql`insert into sources ${sql({ ...row(source), chatbot: CHATBOT, status, embedded_by })}`;
    await sql`insert into files values (${SOURCE}, ${Buffer.from(text)})`;
    await sql`insert into documents values (${SOURCE}, ${JSON.stringify(await read('sources', 'ad', `${SOURCE}.document.json`))})`;
    const rows = Buffer.from(Int8Array.of(1, -2, 127, -128, 0, 5).buffer);
    await sql`insert into vectors values (${SOURCE}, 'small', 3, ${rows})`;
    await sql`insert into tags ${sql({ ...row(tags[0]), chatbot: CHATBOT })}`;
    await sql`insert into tag_sources values (${tags[0].uuid}, 1, ${SOURCE})`;

    const file = join(FOLDER, 'sessions', '32', `32ca346b7e224c87b417e2209f739d83.${CHATBOT}.1z141z6.jsonl`);
    const [session, message] = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    await sql`insert into sessions ${sql({ ...row(session), chatbot: CHATBOT, last_message_at: message.modified_at })}`;
    const columns = { session: session.uuid, has_response: true, outcome: '' };
    await sql`insert into messages ${sql({ ...row(message), ...columns })}`;
    const [line] = (await readFile(join(FOLDER, 'usage', '2026-11.jsonl'), 'utf8')).split('\n');
    const { sum: _, ...usage } = JSON.parse(line!);
    await sql`insert into usage ${sql({ ...usage, n: 1 })}`;
  }

  it.each(Array.from({ length: SCHEMA_VERSION }, (_, n) => n + 1))('reads schema %i', async (version) => {
    await migrate(sql, version);
    await fill();
    for (let times = 0; times < 2; times++) {
      const store = await openPostgresStore({ url: schema.url, clock: Date.now });
      await expectAll(store);
      await store.close();
    }
    expect(await sql`select version from schema_version`).toMatchObject([{ version: SCHEMA_VERSION }]);
  });

  it('refuses a newer one and changes nothing', async () => {
    await migrate(sql);
    await sql`update schema_version set version = 1000`;
    await expect(openPostgresStore({ url: schema.url, clock: Date.now })).rejects.toThrow(
      'the database was written by a newer version of docent (schema 1000): install that version, or restore a backup that was made before',
    );
    expect(await sql`select version from schema_version`).toMatchObject([{ version: 1000 }]);
    expect(await sql`select 1 from installation`).toHaveLength(0);
  });
});
