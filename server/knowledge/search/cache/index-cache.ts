import { setImmediate, setTimeout as wait } from 'node:timers/promises';

import type { Clock } from '../../../schema/ids.ts';
import type { SourceDocument, Store, StoredSource, StoredVectors } from '../../../store/store.ts';
import { PassageIndex } from '../index.ts';
import { SavedIndex } from '../saved/saved-index.ts';
import { embedIn, fillIndex } from './fill-index.ts';

interface CachedIndex {
  index: PassageIndex<StoredSource>;
  ready: Promise<void>;
  /** By source, how often it has changed since the build began: a document that was read before a change is discarded. */
  changes: Map<string, number>;
  /** Of all sources. */
  changeCount: number;
  /** Of the passages in it, where the store has versions. */
  version: number;
  /** The refresh under way. */
  refreshing: Promise<void> | undefined;
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
  /** Milliseconds until an index that was built is saved, and until one whose sources have changed is built anew. */
  delays?: { save: number; settle: number } | undefined;
}

/** Passages in memory from which on no further index is loaded before its first question: 10,000 take about 25 MB. */
const MAX_WARM_PASSAGES = 50_000;
/** Passages from which on an index is saved: fewer are indexed in tens of milliseconds. */
const MIN_SAVED = 1000;
/** Out of the way of the first question; and behind the last page of a crawl. */
const DELAYS = { save: 1000, settle: 30_000 };
/** Milliseconds after which a build for which no question waits looks again whether one waits for another. */
const PAUSE_MS = 10;

/** An index a chatbot: built from the store at the first question or before, updated with each source, dropped when idle. */
export class IndexCache {
  readonly #indexes = new Map<string, CachedIndex>();
  readonly #options: IndexCacheOptions;
  readonly #sweeper: NodeJS.Timeout;
  /** By chatbot: builds its index anew. */
  readonly #settling = new Map<string, NodeJS.Timeout>();
  /** Questions that wait for an index. */
  #waiting = 0;
  #isClosed = false;
  readonly #unsubscribe: (() => void)[];

  constructor(options: IndexCacheOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.sweep(), Math.max(1000, options.idle / 4)).unref();
    const { passages, bus } = options.store;
    this.#unsubscribe = passages
      ? [
          bus.subscribe('passages', (chatbot) => void this.#catchUp(chatbot)),
          bus.subscribe('deleted chatbot', (chatbot) => this.drop(chatbot)),
        ]
      : [];
  }

  async get(chatbot: string): Promise<PassageIndex<StoredSource>> {
    const entry = this.#indexes.get(chatbot) ?? this.#build(chatbot);
    entry.usedAt = this.#options.clock();
    entry.waiting++;
    this.#waiting++;
    try {
      await entry.ready;
      await this.#refreshTo(this.#options.store.passages?.known(chatbot) ?? 0, chatbot, entry);
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
    const entry = this.#toChange(chatbot);
    await entry?.ready.catch(() => {});
    if (entry) await embedIn(entry.index, uuid, vectors);
  }

  /** Indexes a source again, under its new title. */
  rename(source: StoredSource): Promise<void> {
    return this.#put(source, () => this.#options.store.document(source.uuid));
  }

  remove(chatbot: string, source: string): void {
    const entry = this.#toChange(chatbot);
    if (!entry) return;
    this.#countChange(entry, chatbot, source);
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
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    clearInterval(this.#sweeper);
    for (const timer of this.#settling.values()) clearTimeout(timer);
    this.#indexes.clear();
  }

  /** Undefined where it is not in memory, and where the store has versions: what was stored is then read back by a refresh. */
  #toChange(chatbot: string): CachedIndex | undefined {
    return this.#options.store.passages ? undefined : this.#indexes.get(chatbot);
  }

  /** Refreshes an index that is in memory before the next question has to. Never rejects: that one tries again. */
  async #catchUp(chatbot: string): Promise<void> {
    const entry = this.#indexes.get(chatbot);
    if (!entry || entry.refreshing) return;
    const refresh = async (): Promise<void> => {
      await entry.ready;
      await this.#refreshTo(await this.#options.store.passages!.version(chatbot), chatbot, entry);
    };
    await refresh().catch(() => {});
  }

  /** Resolves when the index has all that was changed up to this version. */
  async #refreshTo(version: number, chatbot: string, entry: CachedIndex): Promise<void> {
    while (entry.version < version) {
      entry.refreshing ??= this.#refresh(chatbot, entry).finally(() => (entry.refreshing = undefined));
      await entry.refreshing;
    }
  }

  async #refresh(chatbot: string, entry: CachedIndex): Promise<void> {
    const { store } = this.#options;
    const changed = await store.passages!.changedSince(chatbot, entry.version);
    for (const [uuid, source] of changed?.sources ?? []) {
      const document = source && (await store.document(uuid));
      if (!document) entry.index.remove(uuid);
      else {
        await fillIndex(entry.index, source, document, () => true);
        await this.#putVectors(entry.index, uuid);
      }
    }
    // Of a chatbot that is gone nothing will change.
    entry.version = changed?.version ?? Infinity;
  }

  /** The change is counted before the document is read, so that a later change wins. */
  async #put(source: StoredSource, read: () => Promise<SourceDocument | undefined>): Promise<void> {
    const entry = this.#toChange(source.chatbot);
    if (!entry) return;
    const change = this.#countChange(entry, source.chatbot, source.uuid);
    const isNewest = (): boolean => entry.changes.get(source.uuid) === change;
    const document = await read();
    if (!document) return;
    await fillIndex(entry.index, source, document, isNewest);
    await this.#putVectors(entry.index, source.uuid);
  }

  /** Counts a change of a source; returns its number. */
  #countChange(entry: CachedIndex, chatbot: string, source: string): number {
    const change = (entry.changes.get(source) ?? 0) + 1;
    entry.changes.set(source, change);
    entry.changeCount++;
    clearTimeout(this.#settling.get(chatbot));
    if (this.#options.store.indexFiles) {
      const { settle } = this.#options.delays ?? DELAYS;
      this.#settling.set(chatbot, setTimeout(() => void this.#renew(chatbot), settle).unref());
    }
    return change;
  }

  /** Builds an index that has changed anew and puts it in its place: without the words of what is gone it can be saved. */
  async #renew(chatbot: string): Promise<void> {
    this.#settling.delete(chatbot);
    const old = this.#indexes.get(chatbot);
    if (!old || this.#isClosed || old.index.size < MIN_SAVED) return;
    const { changeCount } = old;
    const entry = this.#load(chatbot);
    const isReady = await entry.ready.then(
      () => true,
      () => false,
    );
    if (!isReady || this.#indexes.get(chatbot) !== old || old.changeCount !== changeCount) return;
    entry.usedAt = old.usedAt;
    this.#indexes.set(chatbot, entry);
  }

  #build(chatbot: string): CachedIndex {
    const entry = this.#load(chatbot);
    this.#indexes.set(chatbot, entry);
    return entry;
  }

  #load(chatbot: string): CachedIndex {
    const entry: CachedIndex = {
      index: new PassageIndex(),
      ready: Promise.resolve(),
      changes: new Map(),
      changeCount: 0,
      version: 0,
      refreshing: undefined,
      usedAt: 0,
      waiting: 0,
    };
    entry.ready = this.#read(chatbot, entry).catch((error: unknown) => {
      // The next question tries again.
      if (this.#indexes.get(chatbot) === entry) this.#indexes.delete(chatbot);
      throw error;
    });
    return entry;
  }

  async #read(chatbot: string, entry: CachedIndex): Promise<void> {
    const { store, model } = this.#options;
    if (store.passages) entry.version = await store.passages.version(chatbot);
    const saved = store.indexFiles && new SavedIndex(store.indexFiles, chatbot);
    const sources = await store.sources(chatbot);
    const pause = async () => {
      await setImmediate();
      await this.#turnOf(entry);
    };
    const read = await saved?.read(sources, pause);
    const isRead = read !== undefined && entry.changes.size === 0;
    if (isRead) entry.index = read;
    if (!isRead || model !== undefined) for (const source of sources) await this.#add(entry, source, isRead);
    for (const _ of entry.index.prepareInSteps()) await setImmediate();
    if (saved && !isRead) this.#saveLater(chatbot, entry, saved);
  }

  /** Adds a source, unless it has changed meanwhile; of one that `isRead` the vectors alone. */
  async #add(entry: CachedIndex, source: StoredSource, isRead: boolean): Promise<void> {
    await this.#turnOf(entry);
    const isUnchanged = (): boolean => !entry.changes.has(source.uuid);
    if (!isRead) {
      const document = await this.#options.store.document(source.uuid);
      if (!document || !isUnchanged()) return;
      await fillIndex(entry.index, source, document, isUnchanged);
    }
    if (isUnchanged()) await this.#putVectors(entry.index, source.uuid);
  }

  #saveLater(chatbot: string, entry: CachedIndex, saved: SavedIndex): void {
    if (entry.index.size < MIN_SAVED) return;
    const isCurrent = () => !this.#isClosed && entry.changeCount === 0 && this.#indexes.get(chatbot) === entry;
    const save = () => {
      // A cache: where the disk refuses it, the next start builds the index as this one did.
      if (isCurrent()) saved.write(entry.index, isCurrent).catch(() => {});
    };
    setTimeout(save, (this.#options.delays ?? DELAYS).save).unref();
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
