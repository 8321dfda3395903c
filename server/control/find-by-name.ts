import { Refusal } from '../schema/errors.ts';
import { readUuid } from '../schema/ids.ts';
import type { Store, StoredChatbot } from '../store/store.ts';

/** What people type to tell one record of many. */

const folded = (name: string): string => name.normalize('NFC').trim().toLowerCase();

/** Those of that very name, or where there is none, those of that name in another case. */
export function withName<T extends { name: string }>(name: string, all: T[]): T[] {
  const exact = all.filter((one) => one.name === name);
  return exact.length > 0 ? exact : all.filter((one) => folded(one.name) === folded(name));
}

/** The chatbots of all users. */
export async function allChatbots(store: Store): Promise<StoredChatbot[]> {
  const owned = await Promise.all((await store.users()).map(({ uuid }) => store.chatbots(uuid)));
  return owned.flat();
}

const LISTED = 10;

/** A chatbot by its uuid, or by a name that is its alone. Throws a `Refusal` that lists those it could be. */
export async function namedChatbot(store: Store, named: string): Promise<StoredChatbot> {
  const all = await allChatbots(store);
  const uuid = readUuid(named);
  const byUuid = all.filter((one) => one.uuid === uuid);
  const meant = byUuid.length > 0 ? byUuid : withName(named, all);
  const [chatbot] = meant;
  if (chatbot && meant.length === 1) return chatbot;
  const candidates = meant.length > 0 ? meant : all;
  const list = candidates.slice(0, LISTED).map((one) => `${one.name} (${one.uuid})`);
  if (candidates.length > LISTED) list.push(`and ${candidates.length - LISTED} more`);
  if (chatbot) throw new Refusal('conflict', `"${named}" could be any of ${meant.length} chatbots: ${list.join(', ')}`);
  throw new Refusal(
    'not_found',
    list.length > 0
      ? `there is no chatbot "${named}"; there are: ${list.join(', ')}`
      : `there is no chatbot "${named}"; "docent chatbot add NAME" makes one`,
  );
}
