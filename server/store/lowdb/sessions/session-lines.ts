import { isMessage, isSession } from '../record-checks.ts';
import type { SessionName } from './session-folder.ts';
import { forEachSliced } from '../../../async/time-slice.ts';
import type { StoredMessage, StoredSession } from '../../store.ts';

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

/** Of the message in the line, '' without one. Lines of the first version begin with another field. */
export function uuidOf(line: string): string {
  if (line.startsWith(START)) return line.slice(START.length, START.length + 32);
  return line.startsWith(GRAVE) ? '' : (JSON.parse(line) as StoredMessage).uuid;
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

/** The messages in their lines. */
export async function readAll(lines: string[]): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  await forEachSliced(lines, (line) => messages.push(JSON.parse(line) as StoredMessage));
  return messages;
}

const MODIFIED = '"modified_at":"';

/** When the last message in the text of lines was modified; '' without one. A quote within a value is escaped: the key is a key. */
export function modifiedIn(text: string): string {
  const at = text.lastIndexOf(MODIFIED) + MODIFIED.length;
  return at < MODIFIED.length ? '' : text.slice(at, at + 20);
}

/** The session in a file's first line; undefined where that is damaged. */
export function readHead(line: string, { uuid, chatbot }: SessionName): StoredSession | undefined {
  const head = parsed<StoredSession>(line);
  return isSession(head) && head?.uuid === uuid && head.chatbot === chatbot ? head : undefined;
}

/** Whether it is a line that was written: a version of a message of this session, or a grave. */
export function isWhole(line: string, session: string): boolean {
  if (buriedIn(line) !== undefined) return GRAVE_FORM.test(line);
  const message = parsed<StoredMessage>(line);
  return isMessage(message) && message?.session === session && message.uuid.startsWith(session.slice(0, 8));
}

const GRAVE_FORM = /^\{"deleted":"[0-9a-f]{32}"\}$/;

function parsed<T>(line: string): T | undefined {
  try {
    return JSON.parse(line) as T;
  } catch {
    return undefined;
  }
}
