import { Refusal } from '../schema/errors.ts';
import { readUuid } from '../schema/ids.ts';

const foldName = (name: string): string => name.normalize('NFC').trim().toLowerCase();

/** Those of that very name, or where there is none, those of that name in another case. */
export function filterByName<T extends { name: string }>(name: string, all: T[]): T[] {
  const exact = all.filter((one) => one.name === name);
  return exact.length > 0 ? exact : all.filter((one) => foldName(one.name) === foldName(name));
}

const MAX_LISTED = 10;

/** The chatbot of this uuid, or of a name that no other has. Throws a `Refusal` that lists the candidates. */
export function findChatbot<T extends { uuid: string; name: string }>(nameOrUuid: string, all: T[]): T {
  const uuid = readUuid(nameOrUuid);
  const byUuid = all.filter((one) => one.uuid === uuid);
  const found = byUuid.length > 0 ? byUuid : filterByName(nameOrUuid, all);
  const [chatbot] = found;
  if (chatbot && found.length === 1) return chatbot;
  const candidates = found.length > 0 ? found : all;
  const list = candidates.slice(0, MAX_LISTED).map((one) => `${one.name} (${one.uuid})`);
  if (candidates.length > MAX_LISTED) list.push(`and ${candidates.length - MAX_LISTED} more`);
  if (chatbot)
    throw new Refusal('conflict', `"${nameOrUuid}" could be any of ${found.length} chatbots: ${list.join(', ')}`);
  throw new Refusal(
    'not_found',
    list.length > 0
      ? `there is no chatbot "${nameOrUuid}"; there are: ${list.join(', ')}`
      : `there is no chatbot "${nameOrUuid}"; "docent chatbot add NAME" makes one`,
  );
}
