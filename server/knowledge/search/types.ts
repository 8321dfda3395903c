import type { Language } from '../text/language.ts';
import type { Sentence } from './found.ts';
import type { Counted } from './postings.ts';

/** A passage in the index; `S` is whatever the caller knows it by. */
export interface Entry<S> extends Counted {
  source: S;
  headings: string[];
  text: string;
  /** Of its words of Latin letters. */
  language: Language;
  /** Made when first asked for. */
  sentences?: Sentence[];
}

export interface Hit<S> {
  entry: Entry<S>;
  score: number;
  /** The best by words alone, where meanings had a say in the order. */
  first?: Entry<S>;
  /** Its owner wrote it to answer this very question. */
  exact?: true;
}

/** How near the passages are to it in meaning counts too. */
export interface SearchScope {
  /** Of these sources alone. */
  sources?: ReadonlySet<string> | undefined;
  /** What is asked, as a vector of length 1. */
  meaning?: Float32Array | undefined;
}
