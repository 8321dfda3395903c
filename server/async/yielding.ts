/** Characters read, or as much other work, between two turns of the event loop: about a millisecond. */
const WORK = 2048;
/** What one more item costs beside its characters. */
const ITEM = 16;

/** Counts work, so that a turn of the event loop is given by amount and not by the clock. */
export class Yielding {
  #left = WORK;

  /** True where the caller is to give a turn before it goes on. `characters`: of one item that it has read. */
  isDue(characters: number): boolean {
    this.#left -= characters + ITEM;
    if (this.#left > 0) return false;
    this.#left = WORK;
    return true;
  }
}
