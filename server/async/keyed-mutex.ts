const ignore = (): void => {};

/** A mutex per key: actions with the same key run one after another, in the order of the calls. Not re-entrant. */
export class KeyedMutex {
  /** Per key that is in use, a promise that resolves when its last action has ended. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Resolves, or rejects, as `act` does. An action that rejects does not keep the next one from running. */
  run<T>(key: string, act: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(act);
    const ended = result.catch(ignore).then(() => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    });
    this.#last.set(key, ended);
    return result;
  }

  /** Resolves when every action that was passed to `run` so far has ended. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
