import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runCommand } from '../../../server/cli/run.ts';
import { createChatbot } from '../../../server/api/resources/chatbots.ts';
import { createOperator } from '../../../server/control/operator.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { start, type Running } from '../../running.ts';

/** A user is removed while a request with their key creates a chatbot. */

let running: Running;
beforeEach(async () => void (running = await start()));
afterEach(() => running.stop());

async function docent(...words: string[]): Promise<string> {
  let out = '';
  const code = await runCommand(words, { DATA_DIR: running.dataDir }, { out: (text) => (out += text), err: () => {} });
  expect(code).toBe(0);
  return out;
}

const chatbotFiles = async (dir: string): Promise<string[]> =>
  (await readdir(dir, { recursive: true })).filter((name) => /chatbots.*[0-9a-f]{32}\.json$/.test(name));

it('refuses a chatbot whose creation was authorized before its user was removed', async () => {
  await docent('user', 'add', 'ann@example.com');
  const key = (await docent('key', 'add', 'ann@example.com', '--name', 'laptop')).trim();
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const creating = request(`${running.base}/api/v1/chatbot/create`, { method: 'POST', headers });
  creating.write('{"name":');
  // The key is checked before the body is read.
  await vi.waitFor(async () => expect(await docent('key', 'list')).toMatch(/laptop .*Z.*Z/));
  await docent('user', 'remove', 'ann@example.com');
  creating.end('"Hers"}');
  const [reply] = (await once(creating, 'response')) as [{ statusCode: number; resume(): void }];
  reply.resume();
  expect(reply.statusCode).toBe(401);
  expect(await chatbotFiles(running.dataDir)).toEqual([]);
});

it('deletes a chatbot that is created while those of its user are being deleted', async () => {
  const log = { info() {}, warn() {}, error() {} } as never;
  const dir = `${running.dataDir}/other`;
  const store = await openLowdbStore({ dir, clock: Date.now, log });
  const user = { uuid: 'a'.repeat(32), email: 'ann@example.com', created_at: '2026-01-02T03:04:05Z' };
  await store.addUser(user);
  const create = (name: string) => createChatbot(store, Date.now, { owner: user.uuid, name, meta: {} });
  await create('First');
  expect(await chatbotFiles(dir)).toHaveLength(1);
  const removed = store.removeUser.bind(store);
  store.removeUser = async (uuid) => {
    await create('Second');
    return removed(uuid);
  };
  const runs = { stopChatbot: () => Promise.resolve() };
  const operator = createOperator({ store, runs, knowledge: { removeChatbot() {} }, clock: Date.now } as never);
  const { chatbots } = await operator.removeUser(user.email, true);
  expect(chatbots).toEqual(['First', 'Second']);
  expect(await chatbotFiles(dir)).toEqual([]);
  await store.close();
});
