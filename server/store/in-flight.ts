/** Does `act`, unless the store is closed. */
export type RunVerb = <T>(act: () => T | Promise<T>) => Promise<T>;

/** Every verb runs through here, so that `close` knows what is under way. */
export class InFlight {
  #count = 0;
  #closed = false;
  #whenDone: (() => void) | undefined;

  readonly run: RunVerb = async (act) => {
    if (this.#closed) throw new Error('the store is closed');
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
    this.#closed = true;
    if (this.#count > 0) await new Promise<void>((done) => (this.#whenDone = done));
  }
}
