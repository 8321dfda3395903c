import type { Query } from './query.ts';

export interface SearchResult {
  query: Query;
  /** Best first. */
  found: Found[];
}

export interface SearchOptions {
  /** The visitor's earlier questions of this session, oldest first: a follow-up is searched with them. */
  earlier?: string[];
  /** How many passages at most; 8 by default. */
  limit?: number;
  /** Nothing but these sources is searched; all of the chatbot's where it is absent. */
  sources?: ReadonlySet<string> | undefined;
}

/** A passage that answers, with all a citation needs. */
export interface Found {
  source: { uuid: string; title: string; file_name: string; type: string };
  headings: string[];
  /** Word for word as stored. */
  text: string;
  /** Comparable within one search only. */
  score: number;
  /** What the index knows of this passage, so that quoting need not read it again. */
  match: Match;
  /** The same for every search as long as the passage is in the index: a key for what is worked out of it. */
  entry: object;
}

export interface Match {
  /** The owner wrote the passage to answer this very question: it is quoted whole, and nothing else. */
  exact: boolean;
  /** The roots of the different words of title and headings. */
  head: Uint32Array;
  /** 0 to about 2: how much of what is asked the passage has words for. */
  known(): number;
  sentences(): Sentence[];
}

export interface Sentence {
  text: string;
  /** Where in the passage it begins. */
  start: number;
  /** Which sentence of the passage leads to it, see `leadsOf`. */
  lead: number;
  /** In order, with repeats. */
  roots: number[];
}
