import type { Usage } from '../../store.ts';

interface Row {
  writing: Promise<unknown>;
  next?: { sum: Usage; written: Promise<void> };
}

/**
 * Adds up what is to be counted in one row while that row is being written: all answers of a chatbot change the same row, and each
 * change would wait for the commit of the one before.
 */
export class UsageSums {
  readonly #write: (sum: Usage) => Promise<unknown>;
  /** Those being written, and their sums for the next write. */
  readonly #rows = new Map<string, Row>();

  constructor(write: (sum: Usage) => Promise<unknown>) {
    this.#write = write;
  }

  /** Resolves when it is stored; rejects where it is not, with all that was added up with it. */
  async add(usage: Usage): Promise<void> {
    const key = JSON.stringify([usage.owner, usage.chatbot, usage.day, usage.model]);
    const row = this.#rows.get(key);
    if (!row) return this.#begin(key, { ...usage });
    if (row.next) {
      const { sum } = row.next;
      sum.messages += usage.messages;
      sum.credits += usage.credits;
      sum.tokens += usage.tokens;
    } else {
      const sum = { ...usage };
      const begin = (): Promise<void> => this.#begin(key, sum);
      row.next = { sum, written: row.writing.then(begin, begin) };
    }
    return row.next.written;
  }

  async #begin(key: string, sum: Usage): Promise<void> {
    const row: Row = { writing: this.#write(sum) };
    this.#rows.set(key, row);
    try {
      await row.writing;
    } finally {
      if (!row.next) this.#rows.delete(key);
    }
  }
}
