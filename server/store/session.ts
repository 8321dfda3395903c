import { Batch } from './batch.ts';
import { LinesFile } from './lines.ts';
import { lowdbFile, type Low } from './lowdb-file.ts';
import type { SessionName } from './session-names.ts';
import type { Change, StoredMessage, StoredSession } from './store.ts';

/** A version of a message, as it was when it was given to the store. */
export interface MessageLine {
  line: string;
  uuid: string;
  finished: boolean;
}

export const messageLine = (message: StoredMessage): MessageLine => ({
  line: JSON.stringify(message),
  uuid: message.uuid,
  finished: message.finish_reason !== '',
});

interface Item {
  saved?: MessageLine;
  /** What happens to the head. */
  change?: Change<StoredSession>;
  result?: StoredSession;
  error?: unknown;
}

/** Rough cost of a session in memory beside its text, in characters. */
const OVERHEAD = 1000;

/**
 * A session with its messages: one file. The first line is the session, each other line a version of a message, of
 * which the last one counts.
 */
export class SessionFile {
  readonly #file: LinesFile;
  readonly #low: Low<string[]>;
  readonly #batch = new Batch<Item>((items) => this.#store(items));
  /** What readers see: the first `#count` of `#lines`, all of it on disk. */
  #lines: string[] = [];
  #count = 0;
  /** Messages that this life of the process has under way. */
  readonly #unfinished = new Set<string>();
  #gone = false;
  readonly name: SessionName;
  /** Calls that are using this object. */
  users = 0;
  /** Characters held in memory, and how many of them its keeper has counted. */
  weight = OVERHEAD;
  counted = 0;

  constructor(name: SessionName, file: LinesFile) {
    this.name = name;
    this.#file = file;
    this.#low = lowdbFile<string[]>(file, []);
  }

  /** False where the file has no whole head: it was never acknowledged. */
  async load(): Promise<boolean> {
    await this.#low.read();
    this.#shows(this.#low.data);
    return this.#count > 0 && parsed<StoredSession>(this.#lines[0]!) !== undefined;
  }

  /** A new session: to be called before the first `save` or `write`. */
  begin(session: StoredSession): void {
    this.#low.data = [JSON.stringify(session)];
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** Its first write failed. */
  get stillborn(): boolean {
    return this.#gone && this.#count === 0;
  }

  get idle(): boolean {
    return this.users === 0 && this.#unfinished.size === 0;
  }

  /** Undefined before the first write is done. */
  head(): StoredSession | undefined {
    return this.#count > 0 ? parsed<StoredSession>(this.#lines[0]!) : undefined;
  }

  messages(): StoredMessage[] {
    const newest = new Map<string, StoredMessage>();
    for (let at = 1; at < this.#count; at++) {
      const message = parsed<StoredMessage>(this.#lines[at]!);
      if (message) newest.set(message.uuid, message);
    }
    return [...newest.values()].map((message) => this.#asOfNow(message));
  }

  message(uuid: string): StoredMessage | undefined {
    for (let at = this.#count - 1; at > 0; at--) {
      const line = this.#lines[at]!;
      const message = line.includes(uuid) ? parsed<StoredMessage>(line) : undefined;
      if (message?.uuid === uuid) return this.#asOfNow(message);
    }
    return undefined;
  }

  /** False where the session is deleted meanwhile. */
  async save(saved: MessageLine): Promise<boolean> {
    await this.#batch.add({ saved });
    return !this.#gone;
  }

  /** Stores a session that has no message yet. */
  async write(): Promise<boolean> {
    await this.#batch.add({});
    return !this.#gone;
  }

  async update(change: Change<StoredSession>): Promise<StoredSession | undefined> {
    const item: Item = { change };
    await this.#batch.add(item);
    if (item.error !== undefined) throw item.error;
    return this.#gone ? undefined : item.result;
  }

  /** From now on nothing is written; resolves when the last write has ended and the file is closed. */
  async end(): Promise<void> {
    this.#gone = true;
    await this.#batch.settled();
    await this.#file.close();
  }

  /** Keeps what is in memory, but not the file open. */
  rest(): void {
    this.#file.rest();
  }

  async #store(items: Item[]): Promise<void> {
    if (this.#gone) return;
    const known = this.#low.data.length;
    const head = changedHead(this.#low.data[0]!, items);
    const added = items.flatMap(({ saved }) => saved?.line ?? []);
    if (known === this.#count && added.length === 0 && head === this.#low.data[0]) return;
    if (head === this.#low.data[0]) this.#low.data.push(...added);
    else this.#low.data = [head, ...this.#low.data.slice(1), ...added];
    try {
      await this.#low.write();
    } catch (error) {
      if (this.#count === 0) this.#gone = true;
      else this.#low.data = this.#lines;
      this.#low.data.length = known;
      throw error;
    }
    this.#shows(this.#low.data);
    for (const { saved } of items) if (saved) this.#note(saved);
  }

  #shows(lines: string[]): void {
    const from = lines === this.#lines ? this.#count : 0;
    if (from === 0) this.weight = OVERHEAD;
    for (let at = from; at < lines.length; at++) this.weight += lines[at]!.length;
    this.#lines = lines;
    this.#count = lines.length;
  }

  #note({ uuid, finished }: MessageLine): void {
    if (finished) this.#unfinished.delete(uuid);
    else this.#unfinished.add(uuid);
  }

  #asOfNow(message: StoredMessage): StoredMessage {
    if (message.finish_reason === '' && !this.#unfinished.has(message.uuid)) message.finish_reason = 'interrupted';
    return message;
  }
}

/** The head as the items leave it; the very same string where none changes it. */
function changedHead(line: string, items: Item[]): string {
  let head = line;
  for (const item of items) {
    if (!item.change) continue;
    try {
      head = JSON.stringify(item.change(JSON.parse(head) as StoredSession));
      item.result = JSON.parse(head) as StoredSession;
    } catch (error) {
      item.error = error ?? new Error('a change threw nothing');
    }
  }
  return head;
}

/** A line in the middle can be damaged only by a power cut, and then it was never acknowledged. */
export function parsed<T>(line: string): T | undefined {
  try {
    return JSON.parse(line) as T;
  } catch {
    return undefined;
  }
}
