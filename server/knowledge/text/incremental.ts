/** Processes the new items of an append-only list, in steps of a few milliseconds. */
export class Incremental {
  readonly #all: readonly unknown[];
  readonly #most: number;
  #seen = 0;

  /** Items beyond the first `most` are ignored. */
  constructor(all: readonly unknown[], most = Infinity) {
    this.#all = all;
    this.#most = most;
  }

  /** The items that there are now have been processed. */
  skip(): void {
    this.#seen = Math.min(this.#all.length, this.#most);
  }

  /** Calls `list` with ranges of new items, `to` excluded. Several callers may run steps in turn. */
  *steps(list: (from: number, to: number) => void): Generator<void> {
    while (this.#seen < Math.min(this.#all.length, this.#most)) {
      const from = this.#seen;
      this.#seen = Math.min(this.#all.length, this.#most, from + WORDS_PER_STEP);
      list(from, this.#seen);
      yield;
    }
  }
}

/** A word takes a few microseconds, so that a step takes a few milliseconds. */
const WORDS_PER_STEP = 2000;
