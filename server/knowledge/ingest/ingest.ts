import type { Health } from '../../health/health.ts';
import type { Embedder } from '../../model/model.ts';
import type { Clock } from '../../schema/ids.ts';
import { Superseded } from '../../store/shared/learners.ts';
import type { Change, Store, StoredSource } from '../../store/store.ts';
import type { Web } from '../../web/web.ts';
import { chatbotsByUse } from './by-use.ts';
import { createEmbedding, type Embedding, type RetryDelays } from './embed.ts';
import { IndexCache } from '../search/cache/index-cache.ts';
import type { Knowledge } from '../knowledge.ts';
import type { SearchOptions, SearchResult } from '../search/found.ts';
import {
  commitSource,
  failSource,
  mark,
  readSource,
  deleteSource,
  type CommitOptions,
  type IngestDeps,
  type Outcome,
  type SourceContent,
} from './job.ts';
import { ScoreRecorder } from '../search/types.ts';
import { userOf } from './content.ts';
import type { FetchOptions } from './fetch.ts';
import { PassageIndex } from '../search/index.ts';
import { headingsAround } from '../search/section.ts';
import { foundOf, moreOf, traceOf } from './results.ts';
import { FairQueue } from '../../async/fair-queue.ts';
import { retry } from '../../async/retry.ts';

interface IngestionOptions {
  store: Store;
  web: Web;
  clock: Clock;
  log: Log;
  /** Shows an embedding server that fails, and that indexes are being loaded. */
  health?: Pick<Health, 'report' | 'clear'> | undefined;
  /** Milliseconds after the last question at which a chatbot's index leaves memory; 15 minutes by default. */
  idle?: number;
  /** Embeds passages and questions; without one the search goes by words alone. */
  embedder?: Embedder | undefined;
  /** Of an embedding server that fails; 15 seconds to 5 minutes by default. */
  retryDelays?: RetryDelays | undefined;
  /** Called when what the sources of a chatbot say may have changed. */
  onChange?: (chatbot: string) => void;
}

/** What `/readyz` says meanwhile. */
const WARMING = 'warming up: the search indexes of chatbots are being loaded';

/** The part of pino that is used here. */
export interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface Queued {
  /** Never rejects. */
  ended: Promise<void>;
}

const MAX_JOBS = 6;
const MAX_JOBS_PER_HOST = 2;
const PASSAGES = 8;
/** Milliseconds before a source that another process has taken in between is taken again. */
const TAKES = Array.from({ length: 30 }, () => 1);
/** Stands for a host in the queue, so that sources without vectors wait in a line of their own; no host has a space. */
const EMBEDDINGS = 'embeddings ';

/**
 * Takes sources into the index of their chatbot, each by itself. `createKnowledge` adds the crawls, which `read` and
 * `commit` their pages and decide in between.
 */
export class Ingestion implements Omit<Knowledge, 'reingest' | 'rewrite'> {
  readonly #deps: IngestDeps;
  readonly #log: Log;
  readonly #queue: FairQueue;
  readonly #embedding: Embedding | undefined;
  readonly #health: IngestionOptions['health'];
  readonly #learners: Store['learners'];
  readonly #onChange: (chatbot: string) => void;

  constructor({
    store,
    web,
    clock,
    log,
    health,
    idle = 15 * 60_000,
    embedder,
    retryDelays,
    onChange,
  }: IngestionOptions) {
    this.#learners = store.learners;
    const learning = store.learners ? { ...store, ...store.learners.verbs } : store;
    const indexes = new IndexCache({ store, clock, idle, model: embedder?.model });
    const onRecovery = (): void => {
      this.embedMissing().catch((error: unknown) => log.error({ err: error }, 'sources not embedded'));
    };
    this.#deps = { store: learning, web, clock, indexes };
    this.#log = log;
    this.#health = health;
    this.#onChange = onChange ?? (() => {});
    this.#queue = new FairQueue({
      concurrency: MAX_JOBS,
      perHost: MAX_JOBS_PER_HOST,
      onError: (error) => log.error({ err: error }, 'learning failed'),
    });
    this.#embedding =
      embedder && createEmbedding({ store: learning, indexes, embedder, clock, log, health, onRecovery, retryDelays });
  }

  /**
   * Queues `work` on a source; what is queued or under way for it is cancelled. Resolves when it is queued; `ended` does
   * when it has ended, or was cancelled before it started.
   */
  async enqueue(source: StoredSource, work: (signal: AbortSignal) => Promise<Outcome>): Promise<Queued> {
    const { uuid, chatbot, type, file_name } = source;
    // Files of one chatbot do not wait for those of another.
    const host = type === 'link' ? hostOf(file_name) : `file ${chatbot}`;
    await this.#learners?.take(uuid);
    const owner = await userOf(this.#deps, chatbot);
    const run = (signal: AbortSignal) => this.#run({ source: uuid, chatbot }, work, signal);
    return { ended: this.#queue.add({ name: uuid, owner, host, group: chatbot, run }) };
  }

  /** Reads and commits a source. Rejects where it failed for no fault of its own; the status says `fail` then. */
  async readAndCommit(source: StoredSource, signal: AbortSignal): Promise<Outcome> {
    try {
      return await this.commit(source, await this.read(source, {}, signal), {}, signal);
    } catch (error) {
      return this.fail(source, error, {}, signal);
    }
  }

  /** See `readSource`. */
  read(source: StoredSource, options: FetchOptions, signal: AbortSignal): Promise<SourceContent> {
    return readSource(this.#deps, source, options, signal);
  }

  /** See `commitSource`. */
  commit(source: StoredSource, content: SourceContent, options: CommitOptions, signal: AbortSignal): Promise<Outcome> {
    const committed = commitSource(this.#deps, source, content, options, signal);
    return content.unchanged ? committed : committed.finally(() => this.#onChange(source.chatbot));
  }

  /** See `failSource`. */
  fail(source: StoredSource, error: unknown, options: CommitOptions, signal: AbortSignal): Promise<Outcome> {
    return failSource(this.#deps, source, error, options, signal).finally(() => this.#onChange(source.chatbot));
  }

  /** See `deleteSource`; a job of the source is not cancelled. `store`: that of a crawl. */
  deleteSource(source: Pick<StoredSource, 'uuid' | 'chatbot'>, store: Store = this.#deps.store): Promise<void> {
    return deleteSource({ ...this.#deps, store }, source).finally(() => this.#onChange(source.chatbot));
  }

  /** Whether sources of a chatbot are being ingested, or wait for it. */
  isBusy(chatbot: string): boolean {
    return this.#queue.hasGroup(chatbot);
  }

  /** Cancels what is queued or under way for a source, changes it and sets its status to `await`; undefined where it is gone. */
  async reset(uuid: string, change: Change<StoredSource> = (one) => one): Promise<StoredSource | undefined> {
    // In this order: a job that ended later would overwrite the status.
    this.#queue.cancel(uuid);
    const act = async () => {
      await this.#learners?.take(uuid);
      return mark(this.#deps, uuid, (one) => ({ ...change(one), status: 'await' }));
    };
    return retry(act, (error) => error instanceof Superseded, TAKES);
  }

  async ingest(source: StoredSource): Promise<void> {
    await this.enqueue(source, (signal) => this.readAndCommit(source, signal));
  }

  rename(source: StoredSource): Promise<void> {
    return this.#deps.indexes.rename(source);
  }

  removeSource(chatbot: string, source: string): void {
    this.#queue.cancel(source);
    this.#deps.indexes.remove(chatbot, source);
    this.#onChange(chatbot);
  }

  removeChatbot(chatbot: string): void {
    this.#queue.cancelGroup(chatbot);
    this.#deps.indexes.drop(chatbot);
  }

  async embedMissing(): Promise<void> {
    if (!this.#embedding) return;
    const sources = await this.#deps.store.unembeddedSources(this.#embedding.model);
    // Those that another process has learned are embedded there.
    const ours = await this.#learners?.takeFree(sources.map(({ uuid }) => uuid));
    for (const { uuid, chatbot } of sources) {
      if (ours && !ours.has(uuid)) continue;
      const owner = await userOf(this.#deps, chatbot);
      // A job that is queued or under way embeds its source at its end.
      if (this.#queue.has(uuid)) continue;
      const run = (signal: AbortSignal) => this.#embed(uuid, signal);
      void this.#queue.add({ name: uuid, owner, host: EMBEDDINGS, group: chatbot, run });
    }
  }

  async search(
    chatbot: string,
    question: string,
    {
      earlier = [],
      quoted: before,
      unanswered = [],
      page,
      limit = PASSAGES,
      upTo = limit,
      sources,
      wordsAlone = false,
      forQuotes = false,
      forReply = false,
      onTrace,
    }: SearchOptions = {},
  ): Promise<SearchResult> {
    const index = sources?.size === 0 ? new PassageIndex<StoredSource>() : await this.#deps.indexes.get(chatbot);
    const namesAnother = (one: string): boolean => {
      const { names, isFollowUp } = index.query(one);
      return names && !isFollowUp;
    };
    const quoted = before !== undefined && before.length > 0 && !unanswered.some(namesAnother) ? before : undefined;
    const query = index.query(question, earlier, quoted !== undefined, this.#deps.clock());
    const hasVectors = index.dimensions > 0 && !wordsAlone;
    const vector = hasVectors ? await this.#embedding?.question(query.textToEmbed) : undefined;
    const scores = onTrace && new ScoreRecorder<StoredSource>();
    const hits = index.search(query, limit, { sources, vector, scores, quoted, page, further: upTo - limit });
    if (onTrace && scores) onTrace(traceOf(index, scores, query));
    const found = hits.slice(0, limit).map((hit) => foundOf(index, hit, query));
    if (vector && forQuotes && !found[0]?.match.exact) await this.#embedding?.sentences(found, vector);
    if (forReply) await query.language.load();
    if (upTo <= limit) return { query, found };
    return { query, found, more: moreOf(index, hits, query, limit, upTo), languages: index.siteLanguages };
  }

  async headingsNear(chatbot: string, source: string, text: string, limit: number): Promise<string[]> {
    const { slots, entries } = (await this.#deps.indexes.get(chatbot)).parts;
    return headingsAround(
      (slots.get(source) ?? []).map((slot) => entries[slot]!),
      text,
      limit,
    );
  }

  async rarity(chatbot: string): Promise<(word: string) => number> {
    const index = await this.#deps.indexes.get(chatbot);
    return (word) => index.statistics.rarity(word);
  }

  async warm(): Promise<void> {
    const { store, clock, indexes } = this.#deps;
    const onError = (error: unknown, chatbot?: string): void =>
      this.#log.error({ err: error, chatbot }, 'an index could not be loaded before the first question');
    this.#health?.report('warming', { status: 'warming', reason: WARMING });
    try {
      await indexes.warm(await chatbotsByUse(store, clock), onError);
    } catch (error) {
      onError(error);
    }
    this.#health?.clear('warming');
  }

  async close(): Promise<void> {
    this.#embedding?.close();
    await this.#queue.close();
    this.#deps.indexes.close();
  }

  async #run(
    logged: { source: string; chatbot: string },
    work: (signal: AbortSignal) => Promise<Outcome>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const { status, reason } = await work(signal);
      this.#log.info({ ...logged, status, reason }, 'source learned');
      await this.#embed(logged.source, signal);
    } catch (error) {
      this.#log.error({ ...logged, err: error }, 'source not learned');
    }
  }

  async #embed(uuid: string, signal: AbortSignal): Promise<void> {
    await this.#embedding?.source(uuid, signal).catch((error: unknown) => {
      this.#log.error({ source: uuid, err: error }, 'source not embedded');
    });
  }
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : '';
}
