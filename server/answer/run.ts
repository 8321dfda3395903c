import type { Refusal } from '../schema/errors.ts';
import type { StoredMessage } from '../store/store.ts';
import type { Values } from '../agents/variables.ts';
import type { BackgroundWork } from './background/work.ts';

/** UTF-16 units. A longer answer is cut with finish_reason `length`, so that a model that never ends cannot fill the memory. */
export const MAX_ANSWER_LENGTH = 400_000;

/**
 * An answer under way. Its text only grows, and a reader is an offset into it (UTF-16 units): a stalled reader costs no
 * memory, and one that leaves changes nothing.
 *
 * No piece that a reader gets ends within a character or in white space: such an end is held back until more text comes,
 * and dropped at the end of the answer. So no chunk is white space alone.
 */
export class Run {
  /** As stored with the question; the finished record once `ended`. */
  message: StoredMessage;
  /** Resolves when the question is durable, with the result of `Store.saveMessage`; rejects where it cannot be stored. */
  stored: Promise<boolean> | undefined;
  /** Set once the finished record is durable, or could not be stored. */
  ended: RunEnd | undefined;
  /** Ends the generation early; set by the `Respond` function. */
  onStop: (() => void) | undefined;
  stopped = false;
  /** Another process has readers of it. */
  isFollowed = false;
  /** Higher than that of any answer begun before in this process. */
  order = 0;
  /** Values of variables that the question gives, to be stored with the session; set by the `Respond` function. */
  collected: Values | undefined;
  /** What goes on beside the answer, and perhaps longer; set by the `Respond` function, and absent where nothing does. */
  background: BackgroundWork | undefined;
  /** What the answer waits for, as visitors are told; '' for nothing. */
  step = '';
  /** Number of steps begun. */
  steps = 0;
  /** Called with each text that is written. */
  onText: (() => void) | undefined;

  // Two bytes a unit, so that an offset is an index and no string keeps a network buffer alive.
  #text = Buffer.alloc(0);
  #length = 0;
  #shown = Infinity;
  #finalText: string | undefined;
  #heldBack = '';
  #received = 0;
  #readers = new Set<() => void>();
  #unread = 0;
  #waking = false;

  constructor(message: StoredMessage) {
    this.message = message;
  }

  /** A run for the readers of a stored answer. */
  static finished(message: StoredMessage): Run {
    const run = new Run(message);
    run.#finalText = message.response;
    run.#length = message.response.length;
    run.ended = { message };
    return run;
  }

  /** UTF-16 units that are written. */
  get length(): number {
    return this.#length;
  }

  /** UTF-16 units that readers can get: all that are written, unless `showUpTo` says fewer. */
  get shown(): number {
    return Math.min(this.#length, this.#shown);
  }

  /** Keeps from readers what is written behind an offset, until it is called with a larger one or the answer has been stored. */
  showUpTo(offset: number): void {
    this.#shown = offset;
    this.#wakeReaders();
  }

  /** Whether `MAX_ANSWER_LENGTH` was appended, white space at the ends included; later text is dropped. */
  get isFull(): boolean {
    return this.#received >= MAX_ANSWER_LENGTH;
  }

  /** UTF-16 units appended, including those held back. */
  get appended(): number {
    return this.#length + this.#heldBack.length;
  }

  /** The text from an offset on, including what is held back. */
  textFrom(from: number): string {
    return from < this.#length ? this.read(from) + this.#heldBack : this.#heldBack.slice(from - this.#length);
  }

  append(piece: string): void {
    if (!this.stopped) this.appendClosing(piece);
  }

  /** As `append`, after `stop` too: what was done meanwhile is said all the same. */
  appendClosing(piece: string): void {
    if (this.isFull || this.ended) return;
    this.#received += piece.length;
    const text = this.#length === 0 ? (this.#heldBack + piece).trimStart() : this.#heldBack + piece;
    // What was held back stays so until the piece has something to show: it is not scanned again.
    const visible = visibleEnd(piece);
    const end = visible === 0 ? 0 : text.length - piece.length + visible;
    this.#heldBack = end === 0 ? text : text.slice(end);
    if (end > 0) this.#write(end === text.length ? text : text.slice(0, end));
  }

  /** Drops the text. To be called before any reader has got some of it. */
  restart(): void {
    this.#length = 0;
    this.#heldBack = '';
    this.#received = 0;
  }

  /** The text from an offset on, about `most` units of it. */
  read(from: number, most: number = MAX_ANSWER_LENGTH): string {
    const end = Math.min(from + most, this.#length);
    const text = this.#finalText?.slice(from, end) ?? this.#text.toString('utf16le', Math.min(from, end) * 2, end * 2);
    if (end === this.#length) return text;
    // Neither a half character nor white space may end a piece or be one.
    return text.slice(0, visibleEnd(text)) || this.read(from);
  }

  /** Whether any reader is attached. */
  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** Looks for readers, also of another process; the number of looks in a row that have found none. */
  countUnread(): number {
    this.#unread = this.hasReaders || this.isFollowed ? 0 : this.#unread + 1;
    return this.#unread;
  }

  /** Calls `wake` at most once a tick, when there is more to read or the run has ended. Returns a function that detaches it. */
  attach(wake: () => void): () => void {
    this.#readers.add(wake);
    return () => this.#readers.delete(wake);
  }

  /** Ends the answer with the text so far and finish_reason `stopped`. */
  stop(): void {
    if (this.stopped || this.ended) return;
    this.stopped = true;
    this.onStop?.();
  }

  setStep(name: string): void {
    this.step = name;
    if (name === '') return;
    this.steps += 1;
    this.#wakeReaders();
  }

  end(ended: RunEnd): void {
    this.ended = ended;
    if (ended.message) {
      this.message = ended.message;
      this.#shown = Infinity;
    }
    const text = ended.message?.response;
    if (text !== undefined && text.length <= this.#length) this.#keepFinal(text);
    this.#wakeReaders();
  }

  /** Drops the buffer: a reader that stalls reads on in the record's text. */
  #keepFinal(text: string): void {
    this.#finalText = text;
    this.#length = text.length;
    this.#text = Buffer.alloc(0);
  }

  #write(text: string): void {
    const units = text.toWellFormed().slice(0, MAX_ANSWER_LENGTH - this.#length);
    const needed = (this.#length + units.length) * 2;
    if (needed > this.#text.length) {
      // Not from the shared pool, of which a slice would keep 8 KiB alive for each open stream.
      const larger = Buffer.allocUnsafeSlow(Math.max(512, needed, this.#text.length * 2));
      this.#text.copy(larger, 0, 0, this.#length * 2);
      this.#text = larger;
    }
    this.#text.write(units, this.#length * 2, 'utf16le');
    this.#length += units.length;
    this.onText?.();
    this.#wakeReaders();
  }

  #wakeReaders(): void {
    if (this.#waking) return;
    this.#waking = true;
    // A static function: a closure would be allocated for each token.
    process.nextTick(Run.#wakeAll, this);
  }

  static #wakeAll(this: void, run: Run): void {
    run.#waking = false;
    let fault: unknown;
    for (const wake of run.#readers) {
      try {
        wake();
      } catch (error) {
        run.#readers.delete(wake);
        fault ??= error;
      }
    }
    if (fault !== undefined) throw fault;
  }
}

/** With a refusal alone the record could not be stored; with both it is stored with finish_reason `error`. */
export type RunEnd = { message: StoredMessage; refusal?: Refusal } | { message?: undefined; refusal: Refusal };

function visibleEnd(text: string): number {
  let end = text.length;
  while (end > 0 && isHeldBack(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** White space by Unicode or by Python's `isspace`, which clients in that language test with, or half a character. */
function isHeldBack(unit: number): boolean {
  if (unit > 0x20 && unit < 0x7f) return false;
  if (unit <= 0x20 || unit === 0x85) return true;
  return (unit >= 0xd800 && unit < 0xdc00) || (unit >= 0xa0 && /\s/.test(String.fromCharCode(unit)));
}
