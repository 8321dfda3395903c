import { BatchWriter } from '../../../async/batch-writer.ts';
import { hasCode } from '../files/disk.ts';
import { AppendFile } from '../files/append-file.ts';
import { lowdbFile, type Low } from '../files/lowdb-file.ts';
import type { SessionName } from './session-name.ts';
import {
  readableLine,
  messageLine,
  MessageLines,
  modifiedIn,
  parseMessages,
  readHead,
  type MessageLine,
  uuidOf,
  withoutMessages,
} from './session-lines.ts';
import { withModifiedAt } from '../../session-times.ts';
import { changedHead, type SessionWrite } from './session-changes.ts';
import { forEachSliced } from '../../../async/time-slice.ts';
import type { Change, StoredMessage, StoredSession } from '../../store.ts';

/** Rough cost of a session in memory beside its text, in characters. */
const OVERHEAD_CHARACTERS = 1000;

/**
 * A session with its messages: one file. The first line is the session, each other line a version of a message, of
 * which the last one counts, or a tombstone: the deleted text is gone from the file.
 */
export class SessionFile {
  readonly #file: AppendFile;
  readonly #low: Low<string[]>;
  readonly #batch = new BatchWriter<SessionWrite>((items) => this.#store(items));
  /** What readers see: the first `#count` of `#lines`, all of it on disk. */
  #lines: string[] = [];
  #count = 0;
  #messages = new MessageLines();
  /** Messages whose answers are generated at the moment. */
  readonly #unfinished = new Set<string>();
  /** Copies the damaged file aside; to be called before the first write. */
  #copyDamaged: (() => Promise<void>) | undefined;
  #removed = false;
  readonly name: SessionName;
  /** Calls that are using this object. */
  users = 0;
  /** Characters in memory, and how many of them `Sessions` has added to its total. */
  characters = OVERHEAD_CHARACTERS;
  countedCharacters = 0;

  constructor(name: SessionName, file: AppendFile) {
    this.name = name;
    this.#file = file;
    this.#low = lowdbFile<string[]>(file, []);
  }

  /**
   * `torn`: nothing of it was ever acknowledged. `lost`: it cannot be read, or is a folder. `damaged`: a part of it cannot be
   * read; the rest is there, and the first write removes that part from the file, after `copyDamaged` has put a copy aside.
   */
  async load(copyDamaged: () => Promise<void>): Promise<'whole' | 'torn' | 'damaged' | 'lost'> {
    try {
      await this.#low.read();
    } catch (error) {
      if (hasCode(error, 'EISDIR')) return 'lost';
      throw error;
    }
    const [head, ...lines] = this.#low.data;
    if (head === undefined) return this.#file.damaged ? 'lost' : 'torn';
    if (!readHead(head, this.name)) return 'lost';
    const whole = [head];
    let damaged = this.#file.damaged;
    await forEachSliced(lines, (line) => {
      const readable = readableLine(line, this.name.uuid);
      if (readable !== undefined) whole.push(readable);
      damaged ||= readable !== line;
    });
    if (damaged) [this.#low.data, this.#copyDamaged] = [whole, copyDamaged];
    await this.#publish(this.#low.data);
    return damaged ? 'damaged' : 'whole';
  }

  /** A new session: to be called before the first `save` or `write`. */
  init(session: StoredSession): void {
    this.#low.data = [JSON.stringify(session)];
  }

  get isRemoved(): boolean {
    return this.#removed;
  }

  /** Its first write failed. */
  get wasNeverStored(): boolean {
    return this.#removed && this.#count === 0;
  }

  /** The file may have what this object has not yet. */
  get isWriting(): boolean {
    return this.#batch.isWriting;
  }

  get isIdle(): boolean {
    return this.users === 0 && this.#unfinished.size === 0;
  }

  /** As modified with its last message. Undefined before the first write is done. */
  head(): StoredSession | undefined {
    return this.#count > 0 ? withModifiedAt(JSON.parse(this.#lines[0]!) as StoredSession, this.#modified()) : undefined;
  }

  /** As they are when it is called. */
  async messages(): Promise<StoredMessage[]> {
    const [lines, unfinished] = [this.#messages.newest(), new Set(this.#unfinished)];
    return (await parseMessages(lines)).map((message) => markInterrupted(unfinished, message));
  }

  message(uuid: string): StoredMessage | undefined {
    const newest = this.#messages.newestOf(uuid);
    return newest === undefined ? undefined : markInterrupted(this.#unfinished, JSON.parse(newest) as StoredMessage);
  }

  /** The last `count` that are finished and have a response, oldest first. */
  last(count: number): StoredMessage[] {
    const last: StoredMessage[] = [];
    for (const uuid of this.#messages.newestFirst()) {
      if (last.length >= count) break;
      const message = this.#unfinished.has(uuid) ? undefined : this.message(uuid);
      if (message && message.response !== '') last.push(message);
    }
    return last.reverse();
  }

  /** False where the message, or the session, is deleted meanwhile. */
  async save(saved: MessageLine): Promise<boolean> {
    return this.#done({ saved });
  }

  /** False where there is no such message. */
  async remove(uuid: string): Promise<boolean> {
    return this.#done({ removed: uuid });
  }

  /** Stores a session that has no message yet. */
  async write(): Promise<boolean> {
    return this.#done({});
  }

  async update(change: Change<StoredSession>): Promise<StoredSession | undefined> {
    const item: SessionWrite = { change };
    await this.#batch.add(item);
    if (item.error !== undefined) throw item.error;
    return this.#removed || !item.result ? undefined : withModifiedAt(item.result, this.#modified());
  }

  /** Undefined where there is no such message. */
  async updateMessage(uuid: string, change: Change<StoredMessage>): Promise<StoredMessage | undefined> {
    const item: SessionWrite = { edit: { uuid, change } };
    await this.#batch.add(item);
    if (item.error !== undefined) throw item.error;
    return this.#removed || item.refused || !item.saved ? undefined : (JSON.parse(item.saved.line) as StoredMessage);
  }

  /** From now on nothing is written; resolves when the last write has ended and the file is closed. */
  async end(): Promise<void> {
    this.#removed = true;
    await this.#batch.settled();
    await this.#file.close();
  }

  /** Keeps what is in memory, but not the file open. */
  closeFile(): void {
    this.#file.closeWithoutWaiting();
  }

  async #done(item: SessionWrite): Promise<boolean> {
    await this.#batch.add(item);
    return !this.#removed && !item.refused;
  }

  async #store(items: SessionWrite[]): Promise<void> {
    if (this.#removed) return;
    const known = this.#low.data.length;
    const { added, removed } = this.#resolve(items);
    // The deletion of the last message must not set `modified_at` back.
    const head = changedHead(this.#low.data[0]!, items, removed.size > 0 ? this.#modified() : '');
    if (known === this.#count && added.length === 0 && removed.size === 0 && head === this.#low.data[0]) return;
    if (head === this.#low.data[0] && removed.size === 0) this.#low.data.push(...added);
    else this.#low.data = [head, ...withoutMessages([...this.#low.data.slice(1), ...added], removed)];
    try {
      // A question alone is not acknowledged: the sync of its answer covers both.
      this.#file.durable = !items.every(({ saved }) => saved && !saved.finished);
      await this.#copyDamaged?.();
      this.#copyDamaged = undefined;
      await this.#low.write();
    } catch (error) {
      // These answers have ended: readers get their last stored version.
      for (const { saved } of items) if (saved?.finished) this.#unfinished.delete(saved.uuid);
      if (this.#count === 0) this.#removed = true;
      else this.#low.data = this.#lines;
      this.#low.data.length = known;
      throw error;
    }
    await this.#publish(this.#low.data);
    for (const { saved, refused } of items) if (saved && !refused) this.#note(saved);
    for (const uuid of removed) this.#unfinished.delete(uuid);
  }

  /** What the items add and take away, in their order; notes those that find nothing to do. */
  #resolve(items: SessionWrite[]): { added: string[]; removed: Set<string> } {
    const added: string[] = [];
    const [known, removed] = [new Set<string>(), new Set<string>()];
    if (items.some((item) => item.removed)) for (const line of this.#low.data.slice(1)) known.add(uuidOf(line));
    for (const item of items) {
      this.#apply(item, added);
      const uuid = item.saved?.uuid ?? item.removed;
      if (uuid === undefined) continue;
      item.refused = this.#messages.deleted.has(uuid) || removed.has(uuid) || (!item.saved && !known.has(uuid));
      if (item.refused) continue;
      if (item.saved) added.push(item.saved.line);
      (item.saved ? known : removed).add(uuid);
    }
    return { added, removed };
  }

  /** Makes the new version of the message that the item changes, from what the items before have made of it. */
  #apply(item: SessionWrite, added: string[]): void {
    if (!item.edit) return;
    const { uuid, change } = item.edit;
    const line = added.findLast((one) => uuidOf(one) === uuid);
    const message = line === undefined ? this.message(uuid) : (JSON.parse(line) as StoredMessage);
    try {
      if (message) item.saved = messageLine(change(message));
    } catch (error) {
      item.error = error ?? new Error('a change threw nothing');
    }
  }

  async #publish(lines: string[]): Promise<void> {
    if (lines === this.#lines) {
      for (let at = this.#count; at < lines.length; at++) this.#messages.add(lines[at]!, at);
    } else {
      const messages = new MessageLines();
      await forEachSliced(lines, (line, at) => messages.add(line, at));
      this.#messages = messages;
    }
    this.characters = OVERHEAD_CHARACTERS + this.#messages.characters;
    this.#lines = lines;
    this.#count = lines.length;
  }

  /** When its last message was; '' without one. */
  #modified(): string {
    for (let at = this.#count - 1; at > 0; at--) {
      const modified = modifiedIn(this.#lines[at]!);
      if (modified !== '') return modified;
    }
    return '';
  }

  #note({ uuid, finished }: MessageLine): void {
    if (finished) this.#unfinished.delete(uuid);
    else this.#unfinished.add(uuid);
  }
}

/** An unfinished answer that is not being generated was interrupted by a restart. */
function markInterrupted(unfinished: Set<string>, message: StoredMessage): StoredMessage {
  if (message.finish_reason === '' && !unfinished.has(message.uuid)) message.finish_reason = 'interrupted';
  return message;
}
