/** What came to a growing list since it was looked through last, a few milliseconds' work at a time. */
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
      this.#seen = Math.min(this.#all.length, this.#most, from + STEP);
      list(from, this.#seen);
      yield;
    }
  }
}

/** Words, each of which costs a microsecond or a few. */
const STEP = 2000;
