import type { Postings } from '../bm25.ts';
import type { Entry } from '../types.ts';
import type { Vocabulary } from '../../text/tokenizer.ts';
import { NEIGHBOURS_READ, standTogether } from './compounds.ts';
import { rarityOf } from './rarity.ts';

/** How often words stand in the passages of an index. */
export class WordStatistics {
  readonly #words: Vocabulary;
  readonly #postings: Postings;
  readonly #entryAt: (slot: number) => Entry<unknown> | undefined;

  constructor(words: Vocabulary, postings: Postings, entryAt: (slot: number) => Entry<unknown> | undefined) {
    this.#words = words;
    this.#postings = postings;
    this.#entryAt = entryAt;
  }

  passagesWith(root: number): number {
    return this.#postings.passagesWith(root);
  }

  /** As in `WordIndex`. */
  adjacent(first: number, second: number): number {
    const rarer = this.passagesWith(first) < this.passagesWith(second) ? first : second;
    const entries = this.#postings.slotsOf(rarer, NEIGHBOURS_READ).map((slot) => this.#entryAt(slot));
    return entries.filter((entry) => entry && standTogether(entry, this.#words, first, second)).length;
  }

  /** Inverse document frequency among all passages, or among `least` where these are more; highest for a word that none has. */
  idf(root: number, least = 0): number {
    const having = this.passagesWith(root);
    return Math.log(1 + (Math.max(this.#postings.size, least) - having + 0.5) / (having + 0.5));
  }

  /** How rare a word is among the passages, whatever its ending, from 0 to 1: 1 for a word that none has. */
  rarity(word: string): number {
    return rarityOf(word, this.#words, (root) => this.idf(root));
  }
}
