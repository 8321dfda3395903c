import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CHATBOT_META } from '../../../server/api/resources/chatbots.ts';
import { runCommand } from '../../../server/cli/run.ts';
import { startRetention } from '../../../server/control/retention.ts';
import { newUuid, timestamp } from '../../../server/schema/ids.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { StoredSession } from '../../../server/store/store.ts';
import { start, until, type Running } from '../../running.ts';
import { makeSchema, type Schema } from '../../store/postgres/fixture.ts';
import { startPostgres } from '../../store/postgres/server.ts';
import { aChatbot, aSession } from '../../store/records.ts';
import { tracesOf } from './traces.ts';

/** What was deleted is in no file of the folder and in no table. */

const CANARY = 'KanarienvogelXylophon';
const database = await startPostgres();
afterAll(() => database?.stop());

describe.each(database ? ['files', 'postgres'] : ['files'])('on %s', (engine) => {
  let schema: Schema | undefined;
  let docent: Running;
  let env: NodeJS.ProcessEnv;
  beforeEach(async () => {
    schema = engine === 'postgres' ? await makeSchema(database!.url) : undefined;
    env = schema ? { DATABASE_URL: schema.url } : {};
    docent = await start(env);
  });
  afterEach(async () => {
    await docent.stop();
    await schema?.drop();
  });

  async function command(...words: string[]): Promise<string> {
    let said = '';
    const write = (text: string): void => void (said += text);
    await runCommand(words, { ...env, DATA_DIR: docent.dataDir }, { out: write, err: write });
    return said;
  }

  const traces = (word = CANARY): Promise<string[]> => tracesOf(word, docent.dataDir, schema?.url);

  async function chatbotWithAnswers(): Promise<string> {
    const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Ferries', visibility: 'public' })).body;
    const answer = 'The last ferry leaves at ten to nine.';
    await docent.api('POST', `/chatbot/${uuid}/data-source/qa`, {
      question: 'When does the last ferry leave?',
      answer,
    });
    await until(
      async () => (await docent.api('GET', `/chatbot/${uuid}/data-sources`)).body,
      ([source]) => source.status === 'success',
    );
    return uuid;
  }

  /** A visitor's conversation with the canary in all that they can say. Resolves with its session. */
  async function talk(chatbot: string): Promise<string> {
    const post = (path: string, body: object) =>
      fetch(`${docent.base}/chat/${chatbot}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { uuid } = await (await post('/session', { variables: { name: CANARY } })).json();
    for (const query of [`When does the last ferry leave, ${CANARY}?`, CANARY]) {
      const events = await (await post('/ask', { query, session: uuid })).text();
      const [, message] = /event: message\ndata: \{"uuid":"([0-9a-f]{32})"/.exec(events) ?? [];
      await post(`/session/${uuid}/message/${message}/feedback`, { rating: -1, comment: CANARY });
    }
    expect(await traces()).not.toEqual([]);
    return uuid;
  }

  it('a visitor deletes a conversation', async () => {
    const chatbot = await chatbotWithAnswers();
    const session = await talk(chatbot);
    const url = `${docent.base}/chat/${chatbot}/session/${session}/delete`;
    expect(await (await fetch(url, { method: 'POST' })).json()).toEqual({ success: true });
    expect(await traces()).toEqual([]);
  });

  it('an owner deletes a message', async () => {
    const session = await talk(await chatbotWithAnswers());
    for (const { uuid } of (await docent.api('GET', `/session/${session}/messages`)).body)
      await docent.api('POST', `/message/${uuid}/delete`);
    expect(await traces(`ferry leave, ${CANARY}`)).toEqual([]);
  });

  it('docent forget removes a conversation, with a copy that was set aside, and says what', async () => {
    const session = await talk(await chatbotWithAnswers());
    if (!schema) {
      await docent.booted.close();
      const [name] = (await readdir(join(docent.dataDir, 'sessions', session.slice(0, 2)))).filter((one) =>
        one.startsWith(session),
      );
      await appendFile(join(docent.dataDir, 'sessions', session.slice(0, 2), name!), `{"damaged ${CANARY}\u0000\n`);
      docent = await start({ ...env, DATA_DIR: docent.dataDir });
      await docent.api('POST', `/session/${session}/message/non-stream`, { query: CANARY });
      expect((await traces()).filter((path) => path.endsWith('.damaged'))).toHaveLength(1);
    }
    const count = schema ? 2 : 3;
    expect(await command('forget', session)).toMatch(
      new RegExp(
        `^deleted the conversation ${session.slice(0, 8)}… of Ferries: ${count} messages, \\d{4}-.*Z to \\d{4}-.*Z\\n$`,
      ),
    );
    expect(await traces()).toEqual([]);
    expect(await command('forget', session)).toContain('docent: no such session');
    expect(await command('forget', '..')).toContain('must be the whole identifier');
  });

  it('a user goes with chatbots, pages, files, indexes and conversations', async () => {
    await command('user', 'add', `${CANARY}@example.com`);
    const key = (await command('key', 'add', `${CANARY}@example.com`, '--name', CANARY)).split('\n')[0]!;
    const headers = { authorization: `Bearer ${key}` };
    const post = async (path: string, body: object | FormData) => {
      const sent = body instanceof FormData ? body : new Blob([JSON.stringify(body)], { type: 'application/json' });
      const reply = await fetch(`${docent.base}/api/v1${path}`, { method: 'POST', headers, body: sent });
      return reply.json();
    };
    const { uuid } = await post('/chatbot/create', { name: CANARY, visibility: 'public' });
    const form = new FormData();
    form.set('file', new Blob([`# ${CANARY}\n\nThe ${CANARY} leaves at nine.\n`.repeat(400)]), 'canary.md');
    await post(`/chatbot/${uuid}/data-source/upload`, form);
    await post(`/chatbot/${uuid}/data-source/qa`, { question: `${CANARY}?`, answer: CANARY });
    await post(`/chatbot/${uuid}/source-tags/create`, { name: CANARY, color: '#000000' });
    await talk(uuid);
    expect(await command('user', 'remove', `${CANARY}@example.com`, '--with-chatbots')).toContain('removed');
    expect(await traces()).toEqual([]);
    expect(await traces(CANARY.toLowerCase())).toEqual([]);
  });

  it('conversations go when they are older than their chatbot keeps them', async () => {
    const chatbot = await chatbotWithAnswers();
    const [old, recent] = [await talk(chatbot), await talk(chatbot)];
    const days = (count: number): string => timestamp(() => Date.now() - count * 86_400_000);
    await docent.booted.close();
    await age(old, days(31));
    await age(recent, days(29));
    docent = await start({ ...env, DATA_DIR: docent.dataDir });
    expect(await command('chatbot', 'update', 'Ferries', '--keep-days', '30')).toBe(
      'Ferries keeps conversations for 30 days after the last message; deleted 1 conversation\n',
    );
    expect((await docent.api('GET', `/session/${old}`)).status).toBe(404);
    expect((await docent.api('GET', `/session/${recent}`)).status).toBe(200);
    expect(await command('chatbot', 'update', 'Ferries', '--keep-days', '0')).toBe(
      'Ferries keeps conversations until they are deleted; deleted 0 conversations\n',
    );
    for (const wrong of ['-1', 'x', '1.5', '40000'])
      expect(await command('chatbot', 'update', 'Ferries', `--keep-days=${wrong}`)).toContain('--keep-days must be');
    expect(await command('chatbot', 'update', 'Ferries', '--keep-days', '-1')).toBe(
      "docent: the value of '--keep-days' must not begin with '-'; it is: docent chatbot update CHATBOT [--visibility VALUE] [--keep-days DAYS]\n",
    );
    expect(await command('chatbot', 'update', 'Ferries')).toContain('needs --visibility or --keep-days');
  });

  it.skipIf(engine === 'postgres')(
    'docent forget removes what is left of a conversation that cannot be read',
    async () => {
      const session = await talk(await chatbotWithAnswers());
      await docent.booted.close();
      const [path = ''] = await traces();
      await writeFile(path, `no JSON, ${CANARY}\n`);
      docent = await start({ ...env, DATA_DIR: docent.dataDir });
      expect((await docent.api('GET', `/session/${session}`)).status).toBe(404);
      expect(await traces()).toEqual([`${path}.damaged`]);
      expect(await command('forget', session)).toBe(
        `deleted the conversation ${session.slice(0, 8)}… that could not be read: 0 messages\n`,
      );
      expect(await traces()).toEqual([]);
    },
  );

  describe.skipIf(engine === 'files')('where rows cannot be read', () => {
    let sql: postgres.Sql;
    beforeEach(() => void (sql = postgres(schema!.url, { max: 1, onnotice: () => {} })));
    afterEach(() => sql.end());

    it.each(['{', 'null', '[]'])('docent forget removes a conversation of which parts are %s', async (record) => {
      const chatbot = await chatbotWithAnswers();
      const [one, other] = [await talk(chatbot), await talk(chatbot)];
      const first = sql`select uuid from messages where session = ${one} order by n limit 1`;
      await sql`update messages set record = ${record} where uuid = (${first})`;
      expect(await command('forget', one)).toMatch(
        /^deleted the conversation \w{8}… of Ferries: [12] messages?, .*Z\n$/,
      );
      await sql`update sessions set record = ${record}`;
      expect(await command('forget', other)).toMatch(
        /^deleted the conversation \w{8}… that could not be read: 2 messages, .*Z to .*Z\n$/,
      );
      expect(await traces()).toEqual([]);
    });

    it.each(['{', 'null', '[]'])('a visitor and an owner delete a conversation whose record is %s', async (record) => {
      const [chatbot, other] = [await chatbotWithAnswers(), await chatbotWithAnswers()];
      const [one, another] = [await talk(chatbot), await talk(chatbot)];
      await sql`update sessions set record = ${record}`;
      const remove = async (from: string): Promise<unknown[]> => {
        const reply = await fetch(`${docent.base}/chat/${from}/session/${one}/delete`, { method: 'POST' });
        return [reply.status, await reply.json()];
      };
      expect((await remove(other))[0]).toBe(404);
      expect(await remove(chatbot)).toEqual([200, { success: true }]);
      expect((await remove(chatbot))[0]).toBe(404);
      const path = `/session/${another}/delete`;
      expect(await docent.api('POST', path)).toMatchObject({ status: 200, body: { success: true } });
      expect((await docent.api('POST', path)).status).toBe(404);
      expect(await traces()).toEqual([]);
    });

    it('old conversations go, and those too that cannot be read', async () => {
      const chatbot = await chatbotWithAnswers();
      const [old, torn, recent, tornRecent] = [
        await talk(chatbot),
        await talk(chatbot),
        await talk(chatbot),
        await talk(chatbot),
      ];
      const time = (days: number): number => Date.now() - days * 86_400_000;
      await docent.booted.close();
      await age(
        old,
        timestamp(() => time(31)),
      );
      await age(
        torn,
        timestamp(() => time(31)),
      );
      await age(
        recent,
        timestamp(() => time(29)),
      );
      await age(
        tornRecent,
        timestamp(() => time(29)),
      );
      await sql`update sessions set record = '{' where uuid in (${torn}, ${tornRecent})`;
      await sql`update messages set record = '{' where session in (${old}, ${recent})`;
      for (const [uuid, days] of [
        ['a'.repeat(32), 31],
        ['b'.repeat(32), 29],
      ] as const)
        await sql`insert into sessions (uuid, n, chatbot, record) values (${uuid}, ${time(days) * 1000}, ${chatbot}, '')`;
      const odd = JSON.stringify(
        aSession(chatbot, { initial_variables: { name: '\0' }, modified_at: timestamp(() => time(31)) }),
      );
      await sql`insert into sessions (uuid, n, chatbot, record) values (${'c'.repeat(32)}, 1, ${chatbot}, ${odd})`;
      docent = await start({ ...env, DATA_DIR: docent.dataDir });
      expect(await command('chatbot', 'update', 'Ferries', '--keep-days', '30')).toContain('deleted 4 conversations\n');
      const left = await sql<{ uuid: string }[]>`select uuid from sessions`;
      expect(left.map(({ uuid }) => uuid).sort()).toEqual([recent, tornRecent, 'b'.repeat(32)].sort());
    });
  });

  it.skipIf(engine === 'postgres')('docent forget leaves damaged files of other records', async () => {
    const chatbot = await chatbotWithAnswers();
    await docent.booted.close();
    const path = join(docent.dataDir, 'chatbots', chatbot.slice(0, 2), `${chatbot}.json`);
    await writeFile(path, 'no JSON');
    docent = await start({ ...env, DATA_DIR: docent.dataDir });
    expect(await command('forget', chatbot)).toContain('docent: no such session');
    expect(await readFile(`${path}.damaged`, 'utf8')).toBe('no JSON');
  });

  /** Sets the times of a conversation, while no server runs. */
  async function age(session: string, time: string): Promise<void> {
    const { openStore } = await import('../../../server/control/open-store.ts');
    const location = { dataDir: docent.dataDir, databaseUrl: schema?.url, databasePool: 2 };
    const store = await openStore(location, { clock: Date.now });
    const [head, messages] = [(await store.session(session))!, await store.messages(session)];
    await store.deleteSession(session);
    const aged = { ...head, created_at: time, modified_at: time };
    for (const message of messages) await store.saveMessage({ ...message, created_at: time, modified_at: time }, aged);
    await store.close();
  }
});

describe('while a server runs', () => {
  afterEach(() => void vi.useRealTimers());

  it('old conversations go within an hour, and none that is asked on', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'docent-'));
    let now = Date.now();
    const clock = (): number => now;
    const store = await openLowdbStore({ dir, clock });
    const stamps = () => ({ created_at: timestamp(clock), modified_at: timestamp(clock) });
    const [chatbot, ...sessions] = Array.from({ length: 3 }, newUuid) as [string, string, string];
    const meta = { ...CHATBOT_META };
    await store.createChatbot(
      { uuid: chatbot, owner: newUuid(), name: 'Ferries', meta, keep_days: 2, ...stamps() },
      [],
    );
    const settings = { source: 'widget', initial_variables: {}, title: '' };
    for (const uuid of sessions)
      await store.createSession({ uuid, chatbot, ...settings, ...stamps() } as StoredSession);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const log = { info: vi.fn(), error: vi.fn() };
    const retention = startRetention({ auditDays: 400, store, snapshots: store, clock, log });
    const left = async () => (await store.sessions(chatbot)).map(({ uuid }) => uuid);
    await vi.advanceTimersByTimeAsync(60_000);
    now += 3 * 86_400_000;
    await store.updateSession(sessions[1]!, (session) => ({ ...session, modified_at: timestamp(clock) }));
    expect(await left()).toEqual(sessions);
    await vi.advanceTimersByTimeAsync(3_600_000);
    await vi.waitFor(async () => expect(await left()).toEqual([sessions[1]]));
    await vi.waitFor(() => expect(log.info.mock.lastCall).toEqual([{ chatbot, deleted: 1 }, expect.any(String)]));
    await retention.close();
    expect([vi.getTimerCount(), log.error.mock.calls]).toEqual([0, []]);
    await store.close();
    await rm(dir, { recursive: true });
  });

  it.skipIf(!database)('a chatbot that cannot be read does not keep those of others', async () => {
    const schema = await makeSchema(database!.url);
    let now = Date.now();
    const clock = (): number => now;
    const store = await openPostgresStore({ url: schema.url, clock });
    const [torn, whole] = [aChatbot(store.owner.user.uuid), aChatbot(store.owner.user.uuid, { keep_days: 2 })];
    await store.createChatbot(torn, []);
    await store.createChatbot(whole, []);
    await store.createSession(aSession(whole.uuid, { modified_at: timestamp(clock) }));
    const sql = postgres(schema.url, { max: 1, onnotice: () => {} });
    await sql`update chatbots set record = '{' where uuid = ${torn.uuid}`;
    now += 3 * 86_400_000;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const log = { info: vi.fn(), error: vi.fn() };
    const retention = startRetention({ auditDays: 400, store, snapshots: store, clock, log });
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    await until(
      () => store.sessions(whole.uuid),
      ({ length }) => length === 0,
    );
    await vi.waitFor(() => expect(log.info).toHaveBeenCalled());
    await retention.close();
    expect([log.info.mock.lastCall, log.error.mock.calls]).toEqual([
      [{ chatbot: whole.uuid, deleted: 1 }, expect.any(String)],
      [],
    ]);
    await store.close();
    await sql.end();
    await schema.drop();
  });
});
