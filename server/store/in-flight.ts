import { Refusal } from '../schema/errors.ts';

/** Does `act`; throws a `Refusal` where the store is closed, which it is only while the process ends. */
export type RunVerb = <T>(act: () => T | Promise<T>) => Promise<T>;

/** Every verb runs through here, so that `close` knows what is under way. */
export class InFlight {
  #count = 0;
  readonly #closing = new AbortController();
  #whenDone: (() => void) | undefined;

  /** Aborts when nothing more is taken. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  readonly run: RunVerb = async (act) => {
    if (this.closing.aborted) throw new Refusal('unavailable', 'the store is closed: the server is about to stop');
    this.#count++;
    try {
      return await act();
    } finally {
      this.#count--;
      if (this.#count === 0) this.#whenDone?.();
    }
  };

  /** Takes nothing more; resolves when all that was taken has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#count > 0) await new Promise<void>((done) => (this.#whenDone = done));
  }
}
