import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { forEachConcurrent } from '../../server/async/for-each-concurrent.ts';
import { realDisk } from '../../server/store/lowdb/files/disk.ts';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import type { Store, StoredMessage, StoredSession } from '../../server/store/store.ts';
import { mostInOneTurn } from '../turns.ts';
import { aChatbot, aMessage, aSession, aSource } from './records.ts';

const MANY = 10_000;

/** Characters of JSON: a few milliseconds' work. */
const ONE_TURN = 100_000;

describe('lowdb: lists of ten thousand', { timeout: 120_000 }, () => {
  let dir: string;
  let store: Store;
  const chatbot = aChatbot('f'.repeat(32));
  const sources = Array.from({ length: MANY }, () => aSource(chatbot.uuid));
  const sessions = Array.from({ length: MANY }, () => aSession(chatbot.uuid));
  const [long] = sessions;
  const messages: StoredMessage[] = [];
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-store-'));
    const nothing = () => Promise.resolve();
    const hasty = { ...realDisk, sync: nothing, datasync: nothing };
    store = await openLowdbStore({ dir, clock: Date.now, disk: hasty });
    await store.createChatbot(chatbot, []);
    await forEachConcurrent(sessions, async (session) => void (await store.createSession(session)));
    await forEachConcurrent(sources, async (source) => void (await store.createSource(source)));
    await store.close();
    const file = (await readdir(join(dir, 'sessions'), { recursive: true })).find((name) => name.includes(long!.uuid));
    let lines = '';
    for (let i = 0; i < MANY; i++) {
      const message = aMessage(long!.uuid, { response: 'Ünï wörds of an answer. '.repeat(40) });
      messages.push(message);
      lines += `${JSON.stringify({ ...message, response: '', finish_reason: '' })}\n${JSON.stringify(message)}\n`;
    }
    await appendFile(join(dir, 'sessions', file!), lines);
    store = await openLowdbStore({ dir, clock: Date.now });
  }, 120_000);
  afterAll(async () => {
    await store.close();
    await rm(dir, { recursive: true, force: true });
  });

  it('of sources come whole and in order', async () => {
    expect((await store.sources(chatbot.uuid)).map(({ uuid }) => uuid)).toEqual(sources.map(({ uuid }) => uuid));
  });

  it('of sessions come whole and in order, and yield the event loop', async () => {
    expect(await mostInOneTurn(() => store.sessions(chatbot.uuid))).toBeLessThan(ONE_TURN);
    expect((await store.sessions(chatbot.uuid)).map(({ uuid }) => uuid)).toEqual(sessions.map(({ uuid }) => uuid));
  });

  it('of sessions are put in order once, not for each page', async () => {
    const parse = vi.spyOn(globalThis, 'parseInt');
    const sort = vi.spyOn(Array.prototype, 'sort');
    const page = async (at: number) => {
      parse.mockClear();
      sort.mockClear();
      const batches = (await store.sessionBatches(chatbot.uuid, sessions[at]!.uuid))!;
      const { value } = await batches[Symbol.asyncIterator]().next();
      expect((value as StoredSession[])[0]?.uuid).toBe(sessions[at + 1]!.uuid);
      return { read: parse.mock.calls.length, sorted: sort.mock.calls.length };
    };
    await page(0);
    for (const at of [10, MANY / 2, MANY - 100]) {
      const { read, sorted } = await page(at);
      expect(sorted).toBeLessThan(5);
      expect(read).toBeGreaterThan(0);
      expect(read).toBeLessThan(MANY / 2);
    }
    vi.restoreAllMocks();
  });

  it('of sessions follow what is made and deleted, also while they are read', async () => {
    const bot = aChatbot('e'.repeat(32));
    await store.createChatbot(bot, []);
    const some = Array.from({ length: 300 }, () => aSession(bot.uuid));
    for (const session of some) await store.createSession(session);
    const uuids = async () => (await store.sessions(bot.uuid)).map(({ uuid }) => uuid);
    expect(await uuids()).toEqual(some.map(({ uuid }) => uuid));
    const read: string[] = [];
    for await (const batch of (await store.sessionBatches(bot.uuid))!) {
      if (read.length === 0) {
        await Promise.all(some.splice(0, 128).map(({ uuid }) => store.deleteSession(uuid)));
        for (let i = 0; i < 30; i++) await store.createSession(aSession(bot.uuid));
      }
      read.push(...batch.map(({ uuid }) => uuid));
    }
    expect(read.slice(64)).toEqual(some.map(({ uuid }) => uuid));
    const after = await uuids();
    expect(after.slice(0, some.length)).toEqual(some.map(({ uuid }) => uuid));
    expect(after).toHaveLength(some.length + 30);
    await store.deleteChatbot(bot.uuid);
  });

  it('of messages come whole and in order, and yield the event loop, also four at once', async () => {
    expect(await mostInOneTurn(() => store.messages(long!.uuid))).toBeLessThan(ONE_TURN);
    expect(await mostInOneTurn(() => Promise.all([1, 2, 3, 4].map(() => store.messages(long!.uuid))))).toBeLessThan(
      ONE_TURN,
    );
    expect(await store.messages(long!.uuid)).toEqual(messages);
  });

  it('of messages are as they were when they were asked for', async () => {
    await store.message(messages[0]!.uuid);
    const made = aMessage(long!.uuid, { finish_reason: '', response: '' });
    await store.saveMessage(made);
    const reading = store.messages(long!.uuid);
    await store.saveMessage({ ...made, finish_reason: 'stop', response: 'done' });
    expect((await reading).at(-1)).toEqual(made);
    expect(await store.deleteMessage(made.uuid)).toBe(true);
  });

  it('of messages give the last few at the cost of a short session', async () => {
    const parsed = async (session: string, many: number) => {
      const made = Array.from({ length: many }, (_, n) => aMessage(session, { response: `answer ${n}` }));
      await Promise.all(made.map((message) => store.saveMessage(message)));
      const parse = vi.spyOn(JSON, 'parse');
      const last = await store.lastMessages(session, 6);
      const lengths = parse.mock.calls.map(([line]) => line.length);
      parse.mockRestore();
      expect(last).toEqual(made.slice(-6));
      expect(lengths).toHaveLength(6);
      return Math.max(...lengths);
    };
    const short = await parsed(sessions[1]!.uuid, 8);
    expect(await parsed(sessions[2]!.uuid, 5000)).toBeLessThan(short + 10);
  });

  it('of messages have one deleted, and yield the event loop', async () => {
    const doomed = messages.splice(100, 6).map(({ uuid }) => uuid);
    expect(await mostInOneTurn(() => store.deleteMessage(doomed.pop()!))).toBeLessThan(ONE_TURN);
    for (const uuid of doomed) await store.deleteMessage(uuid);
    expect(await store.messages(long!.uuid)).toEqual(messages);
  });
});

it('lowdb: stores a text of 20 MB in several turns, and reads the same', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'docent-store-'));
  const store = await openLowdbStore({ dir, clock: Date.now });
  const [chatbot, text] = [aChatbot('f'.repeat(32)), `a${'\u{1f600}"\n\\ sea'.repeat(2_000_000)}`];
  const source = aSource(chatbot.uuid);
  await store.createChatbot(chatbot, []);
  await store.createSource(source);
  const passages = [{ headings: ['Sea'], start: 0, end: text.length }];
  const put = () => store.putDocument(source.uuid, { title: 'The sea', text, passages });
  expect(await mostInOneTurn(put)).toBeLessThan(text.length / 20);
  const read = await store.document(source.uuid);
  expect(read?.text === text).toBe(true);
  expect({ ...read, text: '' }).toEqual({ title: 'The sea', text: '', passages });
  await store.close();
  await rm(dir, { recursive: true, force: true });
}, 60_000);
