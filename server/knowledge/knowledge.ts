import type { Change, StoredSource } from '../store/store.ts';
import type { SearchOptions, SearchResult } from './search/found.ts';

/**
 * The passages of each chatbot's sources, in an index a chatbot. To ingest a source is to fetch it, extract its text, cut it
 * into passages, store and index them. To remove one takes it out of the index; records are deleted by the store.
 */
export interface Knowledge {
  /** Queues a source to be ingested; owners take turns. Resolves when it is queued. Progress shows in its `status`. */
  ingest(source: StoredSource): Promise<void>;
  /**
   * Cancels the ingestion of a source and queues it again. Its status is `await` when this resolves; false where the source
   * is gone.
   */
  reingest(source: string): Promise<boolean>;
  /** The same for a source that says something else by this change of its record; undefined where it is gone. */
  rewrite(source: string, change: Change<StoredSource>): Promise<StoredSource | undefined>;
  /** Indexes a source under its new title or address; `source` is the changed record. */
  rename(source: StoredSource): Promise<void>;
  /** Removes a source's passages from the chatbot's index and cancels its ingestion. */
  removeSource(chatbot: string, source: string): void;
  /** Cancels the ingestion of all of a chatbot's sources, and removes its index from memory. */
  removeChatbot(chatbot: string): void;
  /**
   * Embeds, in the background, the sources that have no vectors of the configured embedding model. Does nothing where no
   * such model is configured.
   */
  embedMissing(): Promise<void>;
  /** Parses a question and finds the best passages. Builds the chatbot's index from stored passages on first use. */
  search(chatbot: string, question: string, options?: SearchOptions): Promise<SearchResult>;
  /**
   * The nearest headings of a source around the passage that contains `text`, at most `limit`, alternately of what follows and of
   * what comes before; none that the passage itself stands under. Builds the index as `search`.
   */
  headingsNear(chatbot: string, source: string, text: string, limit: number): Promise<string[]>;
  /** How rare words are in a chatbot's passages, each from 0 to 1: 1 for a word that none has. Builds the index as `search`. */
  rarity(chatbot: string): Promise<(word: string) => number>;
  /**
   * Builds the indexes of the chatbots that were used last, one after another, before their first questions; none of these
   * waits for another chatbot's. `/readyz` says so meanwhile. Never rejects, and ends early where this is closed.
   */
  warm(): Promise<void>;
  /** Cancels ingestion. Sources that are not ingested yet are queued again at the next start. */
  close(): Promise<void>;
}
