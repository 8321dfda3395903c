import { withoutAccents } from './accents.ts';

/**
 * Finds words by their letters alone, as hurried people type them: `thoi tiet` for `thời tiết`, `sehirleri` for
 * `şehirleri`. Stems of most languages have no accents either way, but a stemmer needs them to see an ending.
 */
export class Unmarked {
  readonly #words: readonly string[];
  /** By the letters: the numbers of words that are written with accents. */
  readonly #numbers = new Map<string, number[]>();
  #read = 0;

  /** `words` may grow; those that came since are listed at the next question. */
  constructor(words: readonly string[]) {
    this.#words = words;
  }

  /** The numbers of the words that have these letters and accents besides. */
  of(letters: string): number[] {
    this.#catchUp();
    return this.#numbers.get(letters) ?? [];
  }

  #catchUp(): void {
    for (; this.#read < this.#words.length; this.#read++) {
      const word = this.#words[this.#read]!;
      const letters = withoutAccents(word);
      if (letters === word) continue;
      const numbers = this.#numbers.get(letters);
      if (numbers) numbers.push(this.#read);
      else this.#numbers.set(letters, [this.#read]);
    }
  }
}
