import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newUuid } from '../../../server/schema/ids.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { aChatbot, aMessage, aSession } from '../../store/records.ts';

export const MESSAGES = 10;
const CHATBOTS = 20;

export interface Folder {
  dir: string;
  chatbots: string[];
  sessions: string[];
  remove(): void;
}

/** A data folder with that many sessions of ten messages each. The files are written directly: it is much faster. */
export async function folderWith(count: number): Promise<Folder> {
  const dir = mkdtempSync(join(tmpdir(), 'docent-bench-store-'));
  const store = await openLowdbStore({ dir, clock: Date.now });
  const chatbots = Array.from({ length: CHATBOTS }, () => aChatbot(store.owner.user.uuid));
  for (const chatbot of chatbots) await store.createChatbot(chatbot, []);
  await store.close();
  const root = join(dir, 'sessions');
  mkdirSync(root, { mode: 0o700 });
  for (let i = 0; i < 256; i++) mkdirSync(join(root, i.toString(16).padStart(2, '0')), { mode: 0o700 });
  const uuids = chatbots.map(({ uuid }) => uuid);
  const sessions = Array.from({ length: count }, (_, order) => writeSession(root, uuids[order % CHATBOTS]!, order));
  return { dir, chatbots: uuids, sessions, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

function writeSession(root: string, chatbot: string, order: number): string {
  const session = aSession(chatbot, { uuid: newUuid() });
  const messages = Array.from({ length: MESSAGES }, (_, i) => aMessage(session.uuid, { query: `question ${i}` }));
  const lines = [session, ...messages].map((record) => `${JSON.stringify(record)}\n`);
  const name = `${session.uuid}.${chatbot}.${order.toString(36)}.jsonl`;
  writeFileSync(join(root, session.uuid.slice(0, 2), name), lines.join(''), { mode: 0o600 });
  return session.uuid;
}
