import type { StoredSource } from '../store/store.ts';
import type { Followers } from './ingest/crawl-port.ts';
import type { Sentence } from './search/types.ts';
import type { Question } from './search/query.ts';

/** What the sources of every chatbot say: learns them, keeps an index a chatbot, finds passages. */
export interface Knowledge {
  /**
   * Queues a source to be fetched, extracted, cut and indexed; owners take turns. Resolves when it is queued. Progress
   * shows in its `status`.
   */
  learn(source: StoredSource): Promise<void>;
  /**
   * Calls off what is learned of a source and learns it anew. Its status is `await` when this resolves; false where
   * the source is gone.
   */
  relearn(source: string): Promise<boolean>;
  /** Shows and finds a source under its new title; for a record just changed. */
  rename(source: StoredSource): Promise<void>;
  /** Takes a source's passages out of the chatbot's index and ends its learning, if any. */
  forget(chatbot: string, source: string): void;
  /** Ends all learning for a chatbot that was deleted, and drops its index. */
  drop(chatbot: string): void;
  /** From now on these hear of every page that is learned for a crawl. */
  attend(followers: Followers): void;
  /**
   * Gives sources that have no vectors by the embedding model there is their vectors, in the background. Without such a
   * model it does nothing.
   */
  embedMissing(): Promise<void>;
  /** The best passages, best first. Builds the chatbot's index from stored passages on first use. */
  search(chatbot: string, query: string, options?: SearchOptions): Promise<Found[]>;
  /** Ends learning under way; what it was at is taken up by the next start. */
  close(): Promise<void>;
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
  /** What the index made of the question and of this passage, so that quoting need not read them again. */
  match?: Match;
  /** The same for every search as long as the passage is in the index: a key for what is worked out of it. */
  entry?: object;
}

export interface Match {
  question: Question;
  /** The owner wrote the passage to answer this very question: it is quoted whole, and nothing else. */
  exact: boolean;
  /** The roots of the different words of title and headings. */
  head: Uint32Array;
  /** 0 to about 2: how much of what is asked the passage has words for. */
  known(): number;
  sentences(): Sentence[];
}
