import { isJsonObject, isMessage, isPendingCall, isSession } from '../../record-checks.ts';
import type { SessionName } from './session-name.ts';
import { forEachSliced } from '../../../async/time-slice.ts';
import { jsonIn } from '../../../schema/json.ts';
import type { StoredMessage, StoredSession } from '../../store.ts';

/** The lines of a session's file behind its head: versions of messages, and tombstones. */

/** A version of a message, as it was when it was given to the store. */
export interface MessageLine {
  line: string;
  uuid: string;
  finished: boolean;
}

const MESSAGE_LINE_START = '{"uuid":"';

/** With the uuid first, so that a line need not be parsed to know whose it is. */
export const messageLine = (message: StoredMessage): MessageLine => ({
  line: JSON.stringify(Object.assign({ uuid: message.uuid }, message)),
  uuid: message.uuid,
  finished: message.finish_reason !== '',
});

const TOMBSTONE_START = '{"deleted":"';

/** Rejects later versions of a deleted message. */
const tombstoneOf = (uuid: string): string => `${TOMBSTONE_START}${uuid}"}`;

/** The uuid of the deleted message, where the line is a tombstone. */
const deletedUuidIn = (line: string): string | undefined =>
  line.startsWith(TOMBSTONE_START) ? line.slice(TOMBSTONE_START.length, -2) : undefined;

/** Of the message in the line, '' without one. Lines of the first version begin with another field. */
export function uuidOf(line: string): string {
  if (line.startsWith(MESSAGE_LINE_START)) return line.slice(MESSAGE_LINE_START.length, MESSAGE_LINE_START.length + 32);
  return line.startsWith(TOMBSTONE_START) ? '' : (JSON.parse(line) as StoredMessage).uuid;
}

/** The lines without these messages, but with their tombstones. */
export function withoutMessages(lines: string[], removed: Set<string>): string[] {
  if (removed.size === 0) return lines;
  return [...lines.filter((line) => !removed.has(uuidOf(line))), ...Array.from(removed, tombstoneOf)];
}

/** Which messages the lines of a session hold. */
export class MessageLines {
  /** Of all lines. */
  characters = 0;
  /** Those deleted. */
  readonly deleted = new Set<string>();
  /** By the place of each one's first version. */
  readonly #uuids: string[] = [];
  readonly #newest = new Map<string, string>();

  /** The line at 0 is the session. */
  add(line: string, at: number): void {
    this.characters += line.length;
    const deleted = deletedUuidIn(line);
    if (deleted) this.deleted.add(deleted);
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
  *newestFirst(): Generator<string> {
    for (let at = this.#uuids.length - 1; at >= 0; at--) yield this.#uuids[at]!;
  }
}

/** The messages in their lines. */
export async function parseMessages(lines: string[]): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  await forEachSliced(lines, (line) => messages.push(JSON.parse(line) as StoredMessage));
  return messages;
}

const MODIFIED_KEY = '"modified_at":"';

/** When the last message in the text of lines was modified; '' without one. Quotes within values are escaped, so the match is the key. */
export function modifiedIn(text: string): string {
  const at = text.lastIndexOf(MODIFIED_KEY) + MODIFIED_KEY.length;
  return at < MODIFIED_KEY.length ? '' : text.slice(at, at + 20);
}

/** The session in a file's first line; undefined where that is damaged. */
export function readHead(line: string, { uuid, chatbot }: SessionName): StoredSession | undefined {
  const head = jsonIn(line) as StoredSession | undefined;
  return isSession(head) && head?.uuid === uuid && head.chatbot === chatbot ? head : undefined;
}

/**
 * The line, where it is one that was written: a version of a message of this session, or a tombstone; else undefined. JSON
 * within it that cannot be read is left out: the rest of the message is no worse for it, and no call waits for it then.
 */
export function readableLine(line: string, session: string): string | undefined {
  if (deletedUuidIn(line) !== undefined) return TOMBSTONE.test(line) ? line : undefined;
  const message = jsonIn(line) as StoredMessage | undefined;
  if (!isMessage(message) || message?.session !== session || !message.uuid.startsWith(session.slice(0, 8)))
    return undefined;
  const readable = { ...message };
  for (const field of JSON_FIELDS) if (!isJsonObject(message[field])) readable[field] = '{}';
  const { pending_call_json: pending } = message;
  if (pending !== undefined && !isPendingCall(pending)) delete readable.pending_call_json;
  const isWhole = readable.pending_call_json === pending && JSON_FIELDS.every((one) => readable[one] === message[one]);
  return isWhole ? line : JSON.stringify(readable);
}

const JSON_FIELDS = ['cite_data_json', 'meta_json', 'feedback_json'] as const;

const TOMBSTONE = /^\{"deleted":"[0-9a-f]{32}"\}$/;
