import { notFound } from '../../schema/errors.ts';
import type { SharedAnswers, WrittenAnswer } from '../../store/shared/answers.ts';
import type { Store, StoredMessage } from '../../store/store.ts';
import { Run } from '../run.ts';

/** Milliseconds between two reads of what other processes have written. */
const READ_MS = 100;
/** Reads without a reader after which an answer is read no more. */
const MAX_UNREAD = 10;
/** Milliseconds between two notes that answers have readers here: their process goes on with them while it ends. */
const NOTE_MS = 1000;

interface Followed {
  run: Run;
  /** Reads since it had a reader. */
  unread: number;
  isStopSent: boolean;
  /** The start of the last step that was read. */
  step: number;
}

/** Answers that other processes make, as runs of this one: all are read in one statement, while they have readers. */
export class FollowedRuns {
  readonly #store: Store;
  readonly #answers: SharedAnswers;
  /** By message. */
  readonly #followed = new Map<string, Followed>();
  #timer: NodeJS.Timeout | undefined;
  #notedAt = -Infinity;

  constructor(store: Store, answers: SharedAnswers) {
    this.#store = store;
    this.#answers = answers;
  }

  /** The run of an unfinished message. `stop` stops the answer where it is made. */
  follow(message: StoredMessage): Run {
    const known = this.#followed.get(message.uuid);
    if (known) {
      known.unread = 0;
      return known.run;
    }
    const run = new Run({ ...message, response: '' });
    this.#followed.set(message.uuid, { run, unread: 0, isStopSent: false, step: 0 });
    this.#notedAt = -Infinity;
    this.#readLater(0);
    return run;
  }

  #readLater(delay: number): void {
    if (this.#timer || this.#followed.size === 0) return;
    this.#timer = setTimeout(() => {
      // What fails is reported by the store, and tried again.
      void this.#readAll()
        .catch(() => {})
        .finally(() => {
          this.#timer = undefined;
          this.#readLater(READ_MS);
        });
    }, delay).unref();
  }

  async #readAll(): Promise<void> {
    for (const [uuid, followed] of this.#followed) {
      const { run, isStopSent } = followed;
      followed.unread = run.hasReaders ? 0 : followed.unread + 1;
      if (followed.unread > MAX_UNREAD) this.#followed.delete(uuid);
      else if (run.stopped && !isStopSent) {
        await this.#answers.stop(uuid);
        followed.isStopSent = true;
      }
    }
    const all = [...this.#followed.values()];
    const runs = all.map(({ run }) => run);
    if (runs.length === 0) return;
    await this.#note(runs.filter(({ hasReaders }) => hasReaders));
    const answers = await this.#answers.read(new Map(runs.map((run) => [run.message.uuid, run.length])));
    for (const followed of all) await this.#readOn(followed, answers.get(followed.run.message.uuid));
  }

  async #note(read: Run[]): Promise<void> {
    const now = performance.now();
    if (read.length === 0 || now - this.#notedAt < NOTE_MS) return;
    this.#notedAt = now;
    await this.#answers.follow(read.map(({ message }) => message.uuid));
  }

  async #readOn(followed: Followed, written: WrittenAnswer | undefined): Promise<void> {
    const { run } = followed;
    if (written) run.appendClosing(written.text);
    if (written?.step && written.step.start < followed.step) {
      followed.step = written.step.start;
      run.setStep(written.step.step);
    }
    if (written?.isWritten) return;
    const { uuid } = run.message;
    const message = await this.#store.message(uuid);
    // It goes on meanwhile, after the visitor has confirmed a call.
    if (message?.finish_reason === '') return;
    this.#followed.delete(uuid);
    if (!message) return run.end({ refusal: notFound('message') });
    run.appendClosing(message.response.slice(run.length));
    run.end({ message });
  }
}
