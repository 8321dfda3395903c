import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import type { Store } from '../../server/store/store.ts';
import { forgetfulDisk, type ForgetfulDisk } from './forgetful-disk.ts';
import { aChatbot, aDocument, aFunction, aMessage, anAgent, aSession, aSource, aTag } from './records.ts';

describe('lowdb: a power cut, after which only what was synced is there', { timeout: 30_000 }, () => {
  let dir: string;
  let disk: ForgetfulDisk;
  let store: Store;
  let left: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-store-'));
    left = await mkdtemp(join(tmpdir(), 'docent-store-'));
    disk = forgetfulDisk(dir);
    store = await openLowdbStore({ dir, clock: Date.now, disk, maxIdleCharacters: 3000 });
  });
  afterEach(async () => {
    await store.close();
    for (const folder of [dir, left]) await rm(folder, { recursive: true, force: true });
  });

  let cuts = 0;
  /** The store as it would come up after a cut at this moment. */
  const afterCut = async <T>(look: (store: Store) => Promise<T>): Promise<T> => {
    const target = join(left, String(cuts++));
    await disk.cutInto(target);
    const later = await openLowdbStore({ dir: target, clock: Date.now });
    try {
      return await look(later);
    } finally {
      await later.close();
    }
  };

  it('leaves the owner, keys and facts', async () => {
    await store.setFact('demo', 'x');
    expect(await afterCut(async (later) => [later.owner, await later.fact('demo')])).toEqual([store.owner, 'x']);
  });

  it('leaves what answers have cost, each counted once', async () => {
    const usage = { owner: 'a'.repeat(32), chatbot: 'b'.repeat(32), day: '2026-01-31', model: 'm' };
    for (let messages = 1; messages <= 5; messages++) {
      await Promise.all([1, 2].map((n) => store.addUsage({ ...usage, messages: n, credits: 1, tokens: 5 })));
      expect(await afterCut((later) => later.usage(usage.owner, usage.day, usage.day))).toEqual([
        { ...usage, messages: messages * 3, credits: messages * 2, tokens: messages * 10 },
      ]);
    }
  });

  it('leaves every record as it was last acknowledged', async () => {
    const chatbot = aChatbot(store.owner.user.uuid);
    const agents = [anAgent(chatbot.uuid)];
    await store.createChatbot(chatbot, agents);
    expect(await afterCut((later) => later.chatbot(chatbot.uuid))).toEqual(chatbot);
    const renamed = await store.updateChatbot(chatbot.uuid, (one) => ({ ...one, name: 'newer' }));
    expect(await afterCut((later) => later.chatbot(chatbot.uuid))).toEqual(renamed);
    const source = aSource(chatbot.uuid);
    await store.createSource(source);
    await store.putDocument(source.uuid, aDocument('text'));
    expect(await afterCut((later) => later.sources(chatbot.uuid))).toEqual([source]);
    expect(await afterCut((later) => later.document(source.uuid))).toEqual(aDocument('text'));
    await store.deleteSource(source.uuid);
    expect(await afterCut((later) => later.sources(chatbot.uuid))).toEqual([]);
    await store.deleteChatbot(chatbot.uuid);
    expect(await afterCut((later) => later.chatbots(chatbot.owner))).toEqual([]);
  });

  it('leaves users, keys, agents, tags and uploads as they were last acknowledged', async () => {
    const user = { uuid: 'c'.repeat(32), email: 'ann@shop.example', created_at: '2026-01-02T03:04:05Z' };
    const key = { hash: 'a'.repeat(64), user: user.uuid, name: 'n', hint: 'dk_abcd', created_at: user.created_at };
    await store.addUser(user);
    expect(await afterCut((later) => later.users())).toEqual([store.owner.user, user]);
    await store.addKey({ ...key, last_used_at: '' });
    expect(await afterCut((later) => later.keyOwner(key.hash))).toEqual(user);
    await store.removeKey(key.hash);
    expect(await afterCut((later) => later.keyOwner(key.hash))).toBeUndefined();
    const chatbot = aChatbot(user.uuid);
    await store.createChatbot(chatbot, []);
    const upload = aSource(chatbot.uuid, { type: 'upload' });
    await store.createSource(upload, Buffer.from('bytes'));
    expect(String(await afterCut((later) => later.file(upload.uuid)))).toBe('bytes');
    const agent = anAgent(chatbot.uuid, { data_source_uuids: [upload.uuid], tool_functions: [aFunction()] });
    await store.createAgent(agent);
    expect(await afterCut((later) => later.agents(chatbot.uuid))).toEqual([agent]);
    const tag = aTag(chatbot.uuid, { data_source_uuids: [upload.uuid] });
    await store.createTag(tag);
    const renamed = await store.updateTag(tag.uuid, (one) => ({ ...one, name: 'newer' }));
    expect(await afterCut((later) => later.tags(chatbot.uuid))).toEqual([renamed]);
    await store.deleteSource(upload.uuid);
    expect((await afterCut((later) => later.tag(tag.uuid)))?.data_source_uuids).toEqual([]);
    await Promise.all([store.deleteTag(tag.uuid), store.deleteAgent(agent.uuid)]);
    const left = await afterCut(async (later) => [await later.agents(chatbot.uuid), await later.tags(chatbot.uuid)]);
    expect(left).toEqual([[], []]);
  });

  it('leaves no deleted message, and all the others', async () => {
    const chatbot = aChatbot(store.owner.user.uuid);
    await store.createChatbot(chatbot, []);
    const session = aSession(chatbot.uuid);
    const messages = Array.from({ length: 3 }, () => aMessage(session.uuid));
    for (const message of messages) await store.saveMessage(message, session);
    await store.deleteMessage(messages[1]!.uuid);
    const next = aMessage(session.uuid);
    expect(await afterCut((later) => later.messages(session.uuid))).toEqual([messages[0], messages[2]]);
    await store.saveMessage(next);
    const found = await afterCut(async (later) => [
      await later.saveMessage(messages[1]!),
      await later.messages(session.uuid),
    ]);
    expect(found).toEqual([false, [messages[0], messages[2], next]]);
  });

  it('leaves every message as it was last acknowledged, while others are being written', async () => {
    const chatbot = aChatbot(store.owner.user.uuid);
    await store.createChatbot(chatbot, []);
    const sessions = Array.from({ length: 4 }, () => aSession(chatbot.uuid));
    let checks = 0;
    const visitor = async (session: (typeof sessions)[number]) => {
      const acknowledged = [];
      for (let i = 0; i < 3; i++) {
        const message = aMessage(session.uuid, { finish_reason: '', response: '' });
        await store.saveMessage(message, i === 0 ? session : undefined);
        const done = { ...message, finish_reason: 'stop' as const, response: 'x'.repeat(i * 300) };
        await store.saveMessage(done);
        acknowledged.push(done);
        const found = await afterCut(async (later) => [
          await later.session(session.uuid),
          await later.messages(session.uuid),
        ]);
        expect(found).toEqual([session, acknowledged]);
        checks++;
      }
    };
    await Promise.all(sessions.map(visitor));
    expect(checks).toBe(12);
    const [gone, changed] = sessions;
    await store.deleteSession(gone!.uuid);
    const newer = await store.updateSession(changed!.uuid, (one) => ({ ...one, foreign: 'abc' }));
    expect(await afterCut((later) => later.sessions(chatbot.uuid))).toEqual([newer, ...sessions.slice(2)]);
    expect(await afterCut((later) => later.messages(changed!.uuid))).toHaveLength(3);
  });
});
