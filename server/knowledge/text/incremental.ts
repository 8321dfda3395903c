/** Processes the new items of an append-only list, in steps of a few milliseconds. */
export class Incremental {
  readonly #all: readonly unknown[];
  readonly #most: number;
  #seen = 0;

  /** Beyond `most` nothing is looked at. */
  constructor(all: readonly unknown[], most = Infinity) {
    this.#all = all;
    this.#most = most;
  }

  /** Calls `list` with the places from one to before another; between two steps others may call this, too. */
  *steps(list: (from: number, to: number) => void): Generator<void> {
    while (this.#seen < Math.min(this.#all.length, this.#most)) {
      const from = this.#seen;
      this.#seen = Math.min(this.#all.length, this.#most, from + WORDS_PER_STEP);
      list(from, this.#seen);
      yield;
    }
  }
}

/** A word costs a few microseconds. */
const WORDS_PER_STEP = 2000;
