import { inSlices } from './slices.ts';
import type { StoredMessage } from './store.ts';

/** The lines of a session's file behind its head: versions of messages, and graves. */

/** A version of a message, as it was when it was given to the store. */
export interface MessageLine {
  line: string;
  uuid: string;
  finished: boolean;
}

const START = '{"uuid":"';

/** With the uuid first, so that a line need not be parsed to know whose it is. */
export const messageLine = (message: StoredMessage): MessageLine => ({
  line: JSON.stringify(Object.assign({ uuid: message.uuid }, message)),
  uuid: message.uuid,
  finished: message.finish_reason !== '',
});

const GRAVE = '{"deleted":"';

/** What stays of a deleted message: no later version of it is taken. */
const graveOf = (uuid: string): string => `${GRAVE}${uuid}"}`;

/** The uuid of the deleted message, where the line is a grave. */
const buriedIn = (line: string): string | undefined =>
  line.startsWith(GRAVE) ? line.slice(GRAVE.length, -2) : undefined;

/** Of the message in the line, '' without one. */
export function uuidOf(line: string): string {
  if (line.startsWith(START)) return line.slice(START.length, START.length + 32);
  return line.startsWith(GRAVE) ? '' : (parsed<StoredMessage>(line)?.uuid ?? '');
}

/** The lines without these messages, and their graves. */
export function without(lines: string[], removed: Set<string>): string[] {
  if (removed.size === 0) return lines;
  return [...lines.filter((line) => !removed.has(uuidOf(line))), ...Array.from(removed, graveOf)];
}

/** Which messages the lines of a session hold. */
export class MessageLines {
  /** Of all lines. */
  characters = 0;
  /** Those deleted. */
  readonly buried = new Set<string>();
  /** By the place of each one's first version. */
  readonly #uuids: string[] = [];
  readonly #newest = new Map<string, string>();

  /** The line at 0 is the session. */
  add(line: string, at: number): void {
    this.characters += line.length;
    const buried = buriedIn(line);
    if (buried) this.buried.add(buried);
    const uuid = at > 0 ? uuidOf(line) : '';
    if (uuid === '') return;
    if (!this.#newest.has(uuid)) this.#uuids.push(uuid);
    this.#newest.set(uuid, line);
  }

  newestOf(uuid: string): string | undefined {
    return this.#newest.get(uuid);
  }

  /** The line of each one's newest version. */
  newest(): string[] {
    return this.#uuids.map((uuid) => this.#newest.get(uuid)!);
  }

  /** The last one first. */
  *backwards(): Generator<string> {
    for (let at = this.#uuids.length - 1; at >= 0; at--) yield this.#uuids[at]!;
  }
}

/** What the newest versions say; for one that is damaged, the version before it among all the `lines`. */
export async function readAll(newest: string[], lines: string[]): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  await inSlices(newest, (line) => {
    const message = parsed<StoredMessage>(line) ?? newestIn(lines, uuidOf(line));
    if (message) messages.push(message);
  });
  return messages;
}

export function newestIn(lines: string[], uuid: string): StoredMessage | undefined {
  for (let at = lines.length - 1; at >= 0; at--) {
    const message = uuidOf(lines[at]!) === uuid ? parsed<StoredMessage>(lines[at]!) : undefined;
    if (message) return message;
  }
  return undefined;
}

/** A line in the middle can be damaged only by a power cut, and then it was never acknowledged. */
export function parsed<T>(line: string): T | undefined {
  try {
    return JSON.parse(line) as T;
  } catch {
    return undefined;
  }
}
