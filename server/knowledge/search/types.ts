import type { SourceDocument } from '../../store/store.ts';
import type { Language } from '../text/language.ts';
import type { Sentence } from './found.ts';
import type { PassageTerms } from './bm25.ts';

/** A passage in the index; `S` is the caller's type of source. */
export interface Entry<S> extends PassageTerms {
  source: S;
  headings: string[];
  text: string;
  /** The language of its words in Latin letters. */
  language: Language;
  /** Split at first use. */
  sentences?: Sentence[];
}

export interface Hit<S> {
  entry: Entry<S>;
  score: number;
  /** The best hit by words alone, where vectors changed the order. */
  first?: Entry<S>;
  /** The owner wrote this passage to answer exactly this question. */
  exact?: true;
}

/** `address`: of its page; '' by default. */
export type IndexedDocument = SourceDocument & { address?: string };

/** Limits of a search, and the question's vector. */
export interface SearchScope {
  /** Only these sources. */
  sources?: ReadonlySet<string> | undefined;
  /** The embedded question, of length 1; words alone decide where it is absent. */
  vector?: Float32Array | undefined;
}
