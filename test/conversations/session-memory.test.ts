import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newUuid } from '../../server/schema/ids.ts';
import { withSessionsInMemory } from '../../server/store/session-memory.ts';
import type { Store, StoredSession } from '../../server/store/store.ts';
import type { StoreFixture } from '../store/contract.ts';
import { lowdbFolder } from '../store/lowdb-fixture.ts';
import { aChatbot, aMessage, anAgent, aSession } from '../store/records.ts';

describe('a new session that stays in memory', () => {
  let folder: StoreFixture;
  let stored: Store;
  let store: Store;
  let session: StoredSession;
  beforeEach(async () => {
    folder = await lowdbFolder()();
    stored = await folder.open();
    store = withSessionsInMemory(stored);
    const chatbot = aChatbot(store.owner.user.uuid);
    await store.createChatbot(chatbot, [anAgent(chatbot.uuid)]);
    session = aSession(chatbot.uuid);
  });
  afterEach(async () => {
    await stored.close();
    await folder.clear();
  });

  it('is found with its messages, and not stored', async () => {
    const [first, second] = [aMessage(session.uuid), aMessage(session.uuid)];
    expect(await store.saveMessage(first, session)).toBe(true);
    expect(await store.saveMessage(second)).toBe(true);
    expect(await store.messages(session.uuid)).toEqual([first, second]);
    expect([await stored.session(session.uuid), await stored.message(first.uuid)]).toEqual([undefined, undefined]);
  });

  it('refuses what is written of a deleted message', async () => {
    const message = aMessage(session.uuid);
    await store.saveMessage(message, session);
    expect([await store.deleteMessage(message.uuid), await store.deleteMessage(message.uuid)]).toEqual([true, false]);
    expect(await store.updateMessage(message.uuid, (one) => one)).toBeUndefined();
    expect(await store.saveMessage(message)).toBe(false);
    expect(await store.messages(session.uuid)).toEqual([]);
  });

  it('refuses what is written of it once it is deleted', async () => {
    const message = aMessage(session.uuid);
    await store.saveMessage(message, session);
    expect([await store.deleteSession(session.uuid), await store.deleteSession(session.uuid)]).toEqual([true, false]);
    expect(await store.saveMessage(aMessage(session.uuid))).toBe(false);
    expect(await store.updateMessage(message.uuid, (one) => one)).toBeUndefined();
    expect(await store.updateSession(session.uuid, (one) => one)).toBeUndefined();
  });

  it('needs its chatbot', async () => {
    expect(await store.createSession(aSession(newUuid()))).toBe(false);
  });
});
