import type { AnswerPiece, AnswerState, AnswerStep, SharedAnswers } from '../../store/shared/answers.ts';
import type { Run } from '../run.ts';

/** Milliseconds between two batches at least, and between two looks at answers that say nothing. */
const [BATCH_MS, LOOK_MS] = [75, 500];
/**
 * Milliseconds until the first text of an answer is stored: most quotes have ended by then, and need no batch. Where many answers
 * begin, their batches are further apart.
 */
const [FIRST_MS, FIRST_APART_MS] = [3, 20];
/** UTF-16 units of a piece: 32 KB. */
const MAX_PIECE = 16_384;

const NO_STEP = { start: 0, step: '' };

interface Writing {
  run: Run;
  /** Units that are stored or pending. */
  taken: number;
  /** Until they are stored they stay the same: an attempt that seems to have failed may have stored them. */
  pending: (AnswerPiece | AnswerStep)[];
  /** The last step that is stored or pending. */
  step: Pick<AnswerStep, 'start' | 'step'>;
  /** `Run.steps` at that step. */
  steps: number;
  /** Its text may still be replaced, and is not shown before the end. */
  isHidden: boolean;
}

/**
 * Writes the answers of this process in batches, all in one statement, and hears what others want of them. Readers get what
 * is stored: what they have seen of an answer whose process dies is the beginning of what others find.
 */
export class AnswerBatches {
  readonly #answers: SharedAnswers;
  readonly #onLost: (run: Run) => void;
  /** By message. */
  readonly #writings = new Map<string, Writing>();
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;
  #isWriting = false;
  #writing: Promise<void> = Promise.resolve();
  #lookedAt = 0;
  #writtenAt = -Infinity;

  /** `onLost` is called for an answer that is deleted, or that others take for interrupted. */
  constructor(answers: SharedAnswers, onLost: (run: Run) => void) {
    this.#answers = answers;
    this.#onLost = onLost;
  }

  /** Begins once `stored` has resolved with true: from then on the message is there. */
  add(run: Run, stored: Promise<boolean>, { isHidden }: { isHidden: boolean }): void {
    run.showUpTo(0);
    const begin = (isStored: boolean): void => {
      if (!isStored || run.ended) return;
      const writing = { run, taken: 0, pending: [], step: NO_STEP, steps: 0, isHidden };
      this.#writings.set(run.message.uuid, writing);
      const first = (): void => {
        run.onText = undefined;
        this.#writeWithin(Math.max(FIRST_MS, this.#writtenAt + FIRST_APART_MS - performance.now()));
      };
      if (isHidden || run.length === 0) this.#writeWithin(BATCH_MS);
      else first();
      if (!isHidden && run.length === 0) run.onText = first;
    };
    stored.then(begin, () => {});
  }

  /** Resolves when nothing of it is being written any more. */
  async remove(run: Run): Promise<void> {
    const { uuid } = run.message;
    if (this.#writings.get(uuid)?.run === run && this.#writings.delete(uuid)) await this.#writing;
  }

  /** The next batch is written in so many milliseconds at most, or where one is being written, after it. */
  #writeWithin(milliseconds: number): void {
    if (this.#isWriting || this.#writings.size === 0) return;
    const at = performance.now() + milliseconds;
    if (this.#timer && this.#dueAt <= at) return;
    clearTimeout(this.#timer);
    this.#dueAt = at;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#isWriting = true;
      this.#writtenAt = performance.now();
      this.#writing = this.#write().finally(() => {
        this.#isWriting = false;
        this.#writeWithin(BATCH_MS);
      });
    }, milliseconds);
  }

  async #write(): Promise<void> {
    const pieces = [...this.#writings.values()].flatMap(takePieces);
    const now = performance.now();
    if (this.#writings.size === 0 || (pieces.length === 0 && now - this.#lookedAt < LOOK_MS)) return;
    this.#lookedAt = now;
    const writings = [...this.#writings];
    // What fails is reported by the store, and written with the next batch.
    const states = await this.#answers.write([...this.#writings.keys()], pieces).catch(() => undefined);
    if (!states) return;
    for (const [uuid, writing] of writings)
      if (this.#writings.get(uuid) === writing) this.#settle(writing, states.get(uuid));
  }

  #settle(writing: Writing, state: AnswerState | undefined): void {
    const { run } = writing;
    if (!state?.isOurs) return this.#onLost(run);
    run.isFollowed = state.isFollowed;
    if (state.isStored) {
      writing.pending = [];
      run.showUpTo(writing.taken);
    }
    if (state.isStopRequested) run.stop();
  }
}

function takePieces(writing: Writing): Writing['pending'] {
  const { run, pending, isHidden } = writing;
  if (isHidden || pending.length > 0) return pending;
  while (writing.taken < run.length) {
    const text = run.read(writing.taken, MAX_PIECE);
    pending.push({ message: run.message.uuid, start: writing.taken, text });
    writing.taken += text.length;
  }
  // A step that has ended meanwhile is passed over.
  if (run.step !== writing.step.step || (run.step !== '' && run.steps !== writing.steps)) {
    writing.step = { start: writing.step.start - 1, step: run.step };
    writing.steps = run.steps;
    pending.push({ message: run.message.uuid, text: '', ...writing.step });
  }
  return pending;
}
