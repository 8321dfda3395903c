import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../schema/ids.ts';
import type { SourceDocument, Store, StoredSource, StoredVectors } from '../../store/store.ts';
import { PassageIndex } from './index.ts';
import { stemsFor } from '../text/stems.ts';

interface CachedIndex {
  index: PassageIndex<StoredSource>;
  ready: Promise<void>;
  /** By source, how often it has changed since the build began: a document that was read before a change is discarded. */
  changes: Map<string, number>;
  usedAt: number;
  /** Questions that wait for it. */
  waiting: number;
}

interface IndexCacheOptions {
  store: Store;
  clock: Clock;
  /** Milliseconds without a question after which an index is dropped. */
  idle: number;
  /** The embedding model whose vectors are loaded with the passages; none where it is absent. */
  model?: string | undefined;
}

/** Passages in memory from which on no further index is loaded before its first question: 10,000 take about 25 MB. */
const MAX_WARM_PASSAGES = 50_000;
/** Milliseconds after which a build for which no question waits looks again whether one waits for another. */
const PAUSE_MS = 10;

/** An index a chatbot: built from the store at the first question or before, updated with each source, dropped when idle. */
export class IndexCache {
  readonly #indexes = new Map<string, CachedIndex>();
  readonly #options: IndexCacheOptions;
  readonly #sweeper: NodeJS.Timeout;
  /** Questions that wait for an index. */
  #waiting = 0;
  #isClosed = false;

  constructor(options: IndexCacheOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.sweep(), Math.max(1000, options.idle / 4)).unref();
  }

  async get(chatbot: string): Promise<PassageIndex<StoredSource>> {
    const entry = this.#indexes.get(chatbot) ?? this.#build(chatbot);
    entry.usedAt = this.#options.clock();
    entry.waiting++;
    this.#waiting++;
    try {
      await entry.ready;
    } finally {
      entry.waiting--;
      this.#waiting--;
    }
    return entry.index;
  }

  /**
   * Builds the indexes of these chatbots, one after another, until `MAX_WARM_PASSAGES` are in memory, and pauses while
   * questions wait for others. `onError` gets what an index could not be built for.
   */
  async warm(chatbots: readonly string[], onError: (error: unknown, chatbot: string) => void): Promise<void> {
    let passages = 0;
    for (const chatbot of chatbots) {
      if (this.#isClosed || passages >= MAX_WARM_PASSAGES) return;
      const entry = this.#indexes.get(chatbot) ?? this.#build(chatbot);
      entry.usedAt = this.#options.clock();
      await entry.ready.catch((error: unknown) => this.#isClosed || onError(error, chatbot));
      passages += entry.index.size;
    }
  }

  /** Does nothing where the chatbot's index is not in memory: it will be built from the store. */
  put(source: StoredSource, document: SourceDocument): Promise<void> {
    return this.#put(source, async () => document);
  }

  /** Sets the vectors of a source that has been put. */
  async embed({ uuid, chatbot }: StoredSource, vectors: StoredVectors): Promise<void> {
    const entry = this.#indexes.get(chatbot);
    await entry?.ready.catch(() => {});
    if (entry) await embedIn(entry.index, uuid, vectors);
  }

  /** Indexes a source again, under its new title. */
  rename(source: StoredSource): Promise<void> {
    return this.#put(source, () => this.#options.store.document(source.uuid));
  }

  remove(chatbot: string, source: string): void {
    const entry = this.#indexes.get(chatbot);
    if (!entry) return;
    countChange(entry, source);
    entry.index.remove(source);
  }

  drop(chatbot: string): void {
    this.#indexes.delete(chatbot);
  }

  sweep(): void {
    const oldest = this.#options.clock() - this.#options.idle;
    for (const [chatbot, { usedAt }] of this.#indexes) if (usedAt <= oldest) this.#indexes.delete(chatbot);
  }

  /** Ends builds for which no question waits. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    this.#indexes.clear();
  }

  /** The change is counted before the document is read, so that a later change wins. */
  async #put(source: StoredSource, read: () => Promise<SourceDocument | undefined>): Promise<void> {
    const entry = this.#indexes.get(source.chatbot);
    if (!entry) return;
    const change = countChange(entry, source.uuid);
    const isNewest = (): boolean => entry.changes.get(source.uuid) === change;
    const document = await read();
    if (!document) return;
    await fillIndex(entry.index, source, document, isNewest);
    await this.#putVectors(entry.index, source.uuid);
  }

  #build(chatbot: string): CachedIndex {
    const index = new PassageIndex<StoredSource>();
    const entry: CachedIndex = { index, ready: Promise.resolve(), changes: new Map(), usedAt: 0, waiting: 0 };
    this.#indexes.set(chatbot, entry);
    entry.ready = this.#read(chatbot, entry).catch((error: unknown) => {
      // The next question tries again.
      if (this.#indexes.get(chatbot) === entry) this.#indexes.delete(chatbot);
      throw error;
    });
    return entry;
  }

  async #read(chatbot: string, entry: CachedIndex): Promise<void> {
    const { index, changes } = entry;
    const { store } = this.#options;
    for (const source of await store.sources(chatbot)) {
      await this.#turnOf(entry);
      const document = await store.document(source.uuid);
      const isUnchanged = (): boolean => !changes.has(source.uuid);
      if (!document || !isUnchanged()) continue;
      await fillIndex(index, source, document, isUnchanged);
      if (isUnchanged()) await this.#putVectors(index, source.uuid);
    }
    for (const _ of index.prepareInSteps()) await setImmediate();
  }

  /** Resolves when no question waits for another index than this; rejects where the cache was closed meanwhile. */
  async #turnOf(entry: CachedIndex): Promise<void> {
    while (entry.waiting === 0) {
      if (this.#isClosed) throw new Error('the index is of no use any more');
      if (this.#waiting === 0) return;
      await wait(PAUSE_MS);
    }
  }

  async #putVectors(index: PassageIndex<StoredSource>, uuid: string): Promise<void> {
    const { store, model } = this.#options;
    const vectors = model === undefined ? undefined : await store.vectors(uuid);
    if (vectors && vectors.model === model) await embedIn(index, uuid, vectors);
  }
}

/** Counts a change of a source; returns its number. */
function countChange({ changes }: CachedIndex, source: string): number {
  const change = (changes.get(source) ?? 0) + 1;
  changes.set(source, change);
  return change;
}

/**
 * Indexes a source under both the owner's title and the document's. Does nothing where a newer change came while the
 * stemmers were loading.
 */
async function fillIndex(
  index: PassageIndex<StoredSource>,
  source: StoredSource,
  document: SourceDocument,
  isNewest: () => boolean,
): Promise<void> {
  const title = document.title === source.title ? source.title : `${source.title}\n${document.title}`;
  const question = source.type === 'qa' ? document.passages[0]?.headings[0] : undefined;
  await stemsFor(`${title}
${document.text}`);
  if (!isNewest()) return;
  const indexed = { ...document, title, address: source.file_name };
  for (const _ of index.putInSteps(source.uuid, source, indexed, question)) await setImmediate();
}

async function embedIn(
  index: PassageIndex<StoredSource>,
  uuid: string,
  { dimensions, rows }: StoredVectors,
): Promise<void> {
  for (const _ of index.embedInSteps(uuid, dimensions, rows)) await setImmediate();
}
