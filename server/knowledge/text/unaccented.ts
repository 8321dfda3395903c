import { withoutAccents } from './accents.ts';
import { Incremental } from './incremental.ts';

/**
 * Finds accented words by unaccented input: `thoi tiet` for `thời tiết`, `sehirleri` for
 * `şehirleri`. Stems of most languages have no accents either way, but a stemmer needs them to see an ending.
 */
export class UnaccentedIndex {
  readonly #words: readonly string[];
  /** By the letters: the numbers of words that are written with accents. */
  readonly #numbers = new Map<string, number[]>();
  readonly #incremental: Incremental;

  /** `words` may grow; new items are listed at the next query. */
  constructor(words: readonly string[]) {
    this.#words = words;
    this.#incremental = new Incremental(words);
  }

  /** The numbers of the words that have these letters and accents besides. */
  of(letters: string): number[] {
    for (const _ of this.updateInSteps());
    return this.#numbers.get(letters) ?? [];
  }

  /** As in `SpellingIndex`. */
  updateInSteps(): Generator<void> {
    return this.#incremental.steps((from, to) => {
      for (let number = from; number < to; number++) this.#list(this.#words[number]!, number);
    });
  }

  #list(word: string, number: number): void {
    const letters = withoutAccents(word);
    if (letters === word) return;
    const numbers = this.#numbers.get(letters);
    if (numbers) numbers.push(number);
    else this.#numbers.set(letters, [number]);
  }
}
