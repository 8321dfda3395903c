import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../schema/ids.ts';
import type { SourceDocument, Store, StoredSource, StoredVectors } from '../../store/store.ts';
import { PassageIndex } from './index.ts';
import { stemsFor } from '../text/stems.ts';

interface CachedIndex {
  index: PassageIndex<StoredSource>;
  ready: Promise<void>;
  /** How often each source has changed since the build began: what was read of it before may be old. */
  changes: Map<string, number>;
  used: number;
}

export interface IndexCacheOptions {
  store: Store;
  clock: Clock;
  /** Milliseconds without a question after which an index is dropped. */
  idle: number;
  /** The embedding model whose vectors are put in with the passages; none where it is absent. */
  model?: string | undefined;
}

/** An index a chatbot: built from stored passages when first asked, kept in step, dropped when idle. */
export class IndexCache {
  readonly #held = new Map<string, CachedIndex>();
  readonly #options: IndexCacheOptions;
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: IndexCacheOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.sweep(), Math.max(1000, options.idle / 4)).unref();
  }

  async get(chatbot: string): Promise<PassageIndex<StoredSource>> {
    const held = this.#held.get(chatbot) ?? this.#build(chatbot);
    held.used = this.#options.clock();
    await held.ready;
    return held.index;
  }

  /** A chatbot whose index is not held needs nothing: the store has the passages. */
  put(source: StoredSource, document: SourceDocument): Promise<void> {
    return this.#put(source, async () => document);
  }

  /** Puts in the vectors of passages that are there by now. */
  async embed({ uuid, chatbot }: StoredSource, vectors: StoredVectors): Promise<void> {
    const held = this.#held.get(chatbot);
    await held?.ready.catch(() => {});
    if (held) await embedIn(held.index, uuid, vectors);
  }

  /** Shows and finds it under its title from now on. */
  rename(source: StoredSource): Promise<void> {
    return this.#put(source, () => this.#options.store.document(source.uuid));
  }

  remove(chatbot: string, source: string): void {
    const held = this.#held.get(chatbot);
    if (!held) return;
    countChange(held, source);
    held.index.remove(source);
  }

  drop(chatbot: string): void {
    this.#held.delete(chatbot);
  }

  sweep(): void {
    const least = this.#options.clock() - this.#options.idle;
    for (const [chatbot, { used }] of this.#held) if (used <= least) this.#held.delete(chatbot);
  }

  close(): void {
    clearInterval(this.#sweeper);
    this.#held.clear();
  }

  /** The change counts before the document is read: one that comes meanwhile is newer. */
  async #put(source: StoredSource, read: () => Promise<SourceDocument | undefined>): Promise<void> {
    const held = this.#held.get(source.chatbot);
    if (!held) return;
    const change = countChange(held, source.uuid);
    const isNewest = (): boolean => held.changes.get(source.uuid) === change;
    const document = await read();
    if (!document) return;
    await fillIndex(held.index, source, document, isNewest);
    await this.#meanings(held.index, source.uuid);
  }

  #build(chatbot: string): CachedIndex {
    const index = new PassageIndex<StoredSource>();
    const held: CachedIndex = { index, ready: Promise.resolve(), changes: new Map(), used: 0 };
    this.#held.set(chatbot, held);
    held.ready = this.#read(chatbot, held).catch((error: unknown) => {
      // The next question tries again.
      if (this.#held.get(chatbot) === held) this.#held.delete(chatbot);
      throw error;
    });
    return held;
  }

  async #read(chatbot: string, { index, changes }: CachedIndex): Promise<void> {
    const { store } = this.#options;
    for (const source of await store.sources(chatbot)) {
      const document = await store.document(source.uuid);
      const isUnchanged = (): boolean => !changes.has(source.uuid);
      if (!document || !isUnchanged()) continue;
      await fillIndex(index, source, document, isUnchanged);
      if (isUnchanged()) await this.#meanings(index, source.uuid);
    }
    for (const _ of index.settling()) await setImmediate();
  }

  async #meanings(index: PassageIndex<StoredSource>, uuid: string): Promise<void> {
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
 * A source is found by the title that its owner gave as well as by its own. It is not put in where it is not newest any
 * more when its stemmer is there.
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
  for (const _ of index.putting(source.uuid, source, { ...document, title }, question)) await setImmediate();
}

async function embedIn(
  index: PassageIndex<StoredSource>,
  uuid: string,
  { dimensions, rows }: StoredVectors,
): Promise<void> {
  for (const _ of index.embedding(uuid, dimensions, rows)) await setImmediate();
}
