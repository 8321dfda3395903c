import type { StoredSource } from '../store/store.ts';
import type { SearchOptions, SearchResult } from './search/found.ts';

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
  /**
   * Gives sources that have no vectors by the embedding model there is their vectors, in the background. Without such a
   * model it does nothing.
   */
  embedMissing(): Promise<void>;
  /** Reads a question and finds the best passages. Builds the chatbot's index from stored passages on first use. */
  search(chatbot: string, question: string, options?: SearchOptions): Promise<SearchResult>;
  /** Ends learning under way; what it was at is taken up by the next start. */
  close(): Promise<void>;
}
