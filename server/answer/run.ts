import type { Refusal } from '../schema/errors.ts';
import type { StoredMessage } from '../store/store.ts';

/** An answer that outgrows this (UTF-16 units) is cut with finish_reason `length`: a model that never ends fills no memory. */
export const LONGEST_ANSWER = 400_000;

/**
 * An answer being made. Its text only grows; readers come and go, each with an offset of its own (UTF-16 units),
 * so a reader that stalls holds nothing and one that leaves stops nothing.
 *
 * No piece a reader can see ends within a character or in white space: what could is held back until more comes,
 * and dropped at the end. So no chunk is white space alone, at any door.
 */
export class Run {
  /** As stored when the question came; the finished record once `ended`. */
  message: StoredMessage;
  /** Resolves when the question is durable, with what `Store.saveMessage` said; rejects where it could not be stored. */
  stored: Promise<boolean> | undefined;
  /** Set once the finished record is durable, or could not be made so. */
  ended: Ended | undefined;
  /** Ends the generation early; set by whoever generates. */
  onStop: (() => void) | undefined;
  stopped = false;

  // Two bytes a unit: an offset is an index, and no string here keeps a network buffer alive.
  #text = Buffer.alloc(0);
  #length = 0;
  #whole: string | undefined;
  #held = '';
  #given = 0;
  #readers = new Set<() => void>();
  #waking = false;

  constructor(message: StoredMessage) {
    this.message = message;
  }

  /** A finished answer as it is stored, for readers. */
  static finished(message: StoredMessage): Run {
    const run = new Run(message);
    run.#whole = message.response;
    run.#length = message.response.length;
    run.ended = { message };
    return run;
  }

  /** UTF-16 units that readers can see. */
  get length(): number {
    return this.#length;
  }

  /** True where the answer, white space that nobody sees among it, has reached `LONGEST_ANSWER`; the rest is not kept. */
  get full(): boolean {
    return this.#given >= LONGEST_ANSWER;
  }

  /** UTF-16 units appended, what readers cannot see yet among them. */
  get appended(): number {
    return this.#length + this.#held.length;
  }

  /** What was appended from an offset on. */
  soFar(from: number): string {
    return from < this.#length ? this.read(from) + this.#held : this.#held.slice(from - this.#length);
  }

  append(piece: string): void {
    if (this.stopped || this.full || this.ended) return;
    this.#given += piece.length;
    const text = this.#length === 0 ? (this.#held + piece).trimStart() : this.#held + piece;
    // What was held back before stays so until the piece has more to show: it is not looked through again.
    const visible = visibleEnd(piece);
    const end = visible === 0 ? 0 : text.length - piece.length + visible;
    this.#held = end === 0 ? text : text.slice(end);
    if (end > 0) this.#write(end === text.length ? text : text.slice(0, end));
  }

  /** Drops what was written. A reader who has some of it already gets a wrong text. */
  restart(): void {
    this.#length = 0;
    this.#held = '';
    this.#given = 0;
  }

  /** The answer from an offset to where it stands now, or a beginning of that of about `most` units. */
  read(from: number, most: number = LONGEST_ANSWER): string {
    const end = Math.min(from + most, this.#length);
    const text = this.#whole?.slice(from, end) ?? this.#text.toString('utf16le', Math.min(from, end) * 2, end * 2);
    if (end === this.#length) return text;
    // Neither a half character nor white space may end a piece or be one.
    return text.slice(0, visibleEnd(text)) || this.read(from);
  }

  /** Whether anybody waits for more of it. */
  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  /** Calls `wake` at most once a tick, when there is more to read or the run has ended; returns the way out. */
  attach(wake: () => void): () => void {
    this.#readers.add(wake);
    return () => this.#readers.delete(wake);
  }

  /** What was written stays; finish_reason becomes `stopped`. */
  stop(): void {
    if (this.stopped || this.ended) return;
    this.stopped = true;
    this.onStop?.();
  }

  end(ended: Ended): void {
    this.ended = ended;
    if (ended.message) this.message = ended.message;
    if (ended.message?.response.length === this.#length) this.#keepOnly(ended.message.response);
    this.#wakeReaders();
  }

  /** For a reader who stalls: the record's own text will do. */
  #keepOnly(whole: string): void {
    this.#whole = whole;
    this.#text = Buffer.alloc(0);
  }

  #write(text: string): void {
    const units = text.toWellFormed().slice(0, LONGEST_ANSWER - this.#length);
    const needed = (this.#length + units.length) * 2;
    if (needed > this.#text.length) {
      // Slow on purpose: a slice of the shared pool would keep 8 KiB alive for each open stream.
      const larger = Buffer.allocUnsafeSlow(Math.max(512, needed, this.#text.length * 2));
      this.#text.copy(larger, 0, 0, this.#length * 2);
      this.#text = larger;
    }
    this.#text.write(units, this.#length * 2, 'utf16le');
    this.#length += units.length;
    this.#wakeReaders();
  }

  #wakeReaders(): void {
    if (this.#waking) return;
    this.#waking = true;
    // Not a closure: there would be one for each token.
    process.nextTick(Run.#wakeAll, this);
  }

  static #wakeAll(this: void, run: Run): void {
    run.#waking = false;
    let fault: unknown;
    for (const wake of run.#readers) {
      try {
        wake();
      } catch (error) {
        // The others are woken all the same.
        run.#readers.delete(wake);
        fault ??= error;
      }
    }
    if (fault !== undefined) throw fault;
  }
}

/** `refusal` alone: the record could not be stored. Both: it is stored, with finish_reason `error`. */
export type Ended = { message: StoredMessage; refusal?: Refusal } | { message?: undefined; refusal: Refusal };

function visibleEnd(text: string): number {
  let end = text.length;
  while (end > 0 && heldBack(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** White space by Unicode or by Python's `isspace` (clients in that language test with it), or half a character. */
function heldBack(unit: number): boolean {
  if (unit > 0x20 && unit < 0x7f) return false;
  if (unit <= 0x20 || unit === 0x85) return true;
  return (unit >= 0xd800 && unit < 0xdc00) || (unit >= 0xa0 && /\s/.test(String.fromCharCode(unit)));
}
