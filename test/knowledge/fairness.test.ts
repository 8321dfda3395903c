import { afterEach, expect, it } from 'vitest';
import type { StoredSource } from '../../server/store/store.ts';
import { aChatbot, aSource, anAgent } from '../store/records.ts';
import { openKnowledge, pages } from './knowledge-fixture.ts';

let fixture: Awaited<ReturnType<typeof openKnowledge>>;
afterEach(() => fixture.close());

const BYTES = new TextEncoder().encode('The museum opens at nine on weekdays.');

/** Uploads wait at the gate until it is opened, and are then learned in turn; `begun` is the order in which they started. */
async function openWithGate() {
  fixture = await openKnowledge(pages({}));
  const { store } = fixture;
  const begun: StoredSource[] = [];
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const read = store.file.bind(store);
  store.file = async (uuid) => {
    begun.push((await store.source(uuid))!);
    await gate;
    return read(uuid);
  };
  return { begun, open };
}

async function upload(chatbot: string): Promise<StoredSource> {
  const source = aSource(chatbot, { type: 'upload', file_name: 'hours.txt' });
  await fixture.store.createSource({ ...source, identity: source.uuid }, BYTES);
  await fixture.knowledge.ingest(source);
  return source;
}

async function userWithChatbots(count: number): Promise<string[]> {
  const user = { uuid: crypto.randomUUID(), email: `${count}@shop.example`, created_at: '2026-01-02T03:04:05Z' };
  await fixture.store.addUser(user);
  const chatbots = Array.from({ length: count }, () => aChatbot(user.uuid));
  for (const chatbot of chatbots) await fixture.store.createChatbot(chatbot, [anAgent(chatbot.uuid)]);
  return chatbots.map(({ uuid }) => uuid);
}

it('starts a user’s file after at most one more of a user with a hundred chatbots', async () => {
  const { begun, open } = await openWithGate();
  const many = await userWithChatbots(100);
  for (const chatbot of many) await upload(chatbot);
  const [own = ''] = await userWithChatbots(1);
  const waiting = begun.length;
  expect(waiting).toBe(6);
  const last = await upload(own);
  open();
  await fixture.ended(last.uuid);
  const before = begun.findIndex(({ uuid }) => uuid === last.uuid) - waiting;
  expect(before).toBeLessThanOrEqual(1);
});

it('takes the chatbots of one user in rotation', async () => {
  const { begun, open } = await openWithGate();
  const many = await userWithChatbots(10);
  const sources = [];
  for (const chatbot of many) for (let n = 0; n < 5; n++) sources.push(await upload(chatbot));
  open();
  for (const { uuid } of sources) await fixture.ended(uuid);
  const first = begun.slice(0, 20).map(({ chatbot }) => chatbot);
  expect(new Set(first)).toEqual(new Set(many));
  expect(begun).toHaveLength(50);
});

it('calls off the waiting files of a deleted chatbot, and no others of its owner', async () => {
  const { begun, open } = await openWithGate();
  const [kept = '', other = '', deleted = '', more = ''] = await userWithChatbots(4);
  for (const chatbot of [kept, other, more]) for (let n = 0; n < 2; n++) await upload(chatbot);
  await upload(deleted);
  const last = await upload(kept);
  await fixture.store.deleteChatbot(deleted);
  fixture.knowledge.removeChatbot(deleted);
  open();
  await fixture.ended(last.uuid);
  expect(begun.map(({ chatbot }) => chatbot)).not.toContain(deleted);
});
