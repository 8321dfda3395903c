import { LRUCache } from 'lru-cache';
import type { Health } from '../../health/health.ts';
import { TextsRefused, type Embedder } from '../../model/model.ts';
import { OutboundFailure } from '../../outbound/failures.ts';
import type { Clock } from '../../schema/ids.ts';
import type { SourceDocument, Store, StoredVectors } from '../../store/store.ts';
import type { Found } from '../search/found.ts';
import type { IndexCache } from '../search/cache/index-cache.ts';
import { SentenceVectors } from '../search/meaning/sentence-vectors.ts';
import { rowOf } from '../search/meaning/vectors.ts';

/** Passages in one request. */
const BATCH_SIZE = 32;
/** Milliseconds after which a question is searched without its vector. */
const QUESTION_TIMEOUT_MS = 1500;
/** Milliseconds without requests of questions and sources after a failure. */
const BACKOFF_MS = 15_000;
const RETRY_DELAYS: RetryDelays = { first: 15_000, max: 5 * 60_000 };
/** Milliseconds for a retry: a server that has just started may have to load its model. */
const RETRY_TIMEOUT_MS = 60_000;
/** What a retry embeds. It is short, so that no server refuses it for its length. */
const RETRY_TEXT = 'test';
/** Questions whose vectors are cached: the suggested ones are asked again and again. */
const MAX_QUESTIONS = 256;
/** Characters of a question that are embedded. */
const MAX_QUESTION_LENGTH = 2000;

const HEALTH_KEY = 'embeddings';

/** Milliseconds before the first retry of an outage, doubled for each further one up to `max`. */
export interface RetryDelays {
  first: number;
  max: number;
}

interface EmbeddingDeps {
  store: Store;
  indexes: IndexCache;
  embedder: Embedder;
  clock: Clock;
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
  health?: Pick<Health, 'report' | 'clear'> | undefined;
  /** Called when the server answers again after a failure. */
  onRecovery(): void;
  retryDelays?: RetryDelays | undefined;
}

/** Embeds passages and questions. Where the embeddings server fails, the search goes by words alone. */
export interface Embedding {
  readonly model: string;
  /** Stores and indexes the vectors of a source's passages, unless it has them by this model. */
  source(uuid: string, signal: AbortSignal): Promise<void>;
  question(text: string): Promise<Float32Array | undefined>;
  /** Compares the sentences of the best passages with a question; see `SentenceVectors`. */
  sentences(found: readonly Found[], question: Float32Array): Promise<void>;
  /** Ends the retries. */
  close(): void;
}

export function createEmbedding(deps: EmbeddingDeps): Embedding {
  const { store, indexes, embedder, clock, log, health, onRecovery, retryDelays = RETRY_DELAYS } = deps;
  const { model } = embedder;
  const questions = new LRUCache<string, Float32Array>({ max: MAX_QUESTIONS });
  const sentences = new SentenceVectors({ embedder, clock });
  let backoffUntil = 0;
  let failing = false;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;
  let retryDelay = retryDelays.first;

  /** Undefined where the server fails; the reason is logged. */
  async function embed(texts: string[], patience?: number): Promise<Float32Array[] | undefined> {
    if (closed || clock() < backoffUntil) return undefined;
    try {
      const vectors = await embedder.embed(texts, patience);
      if (failing && !closed) recover();
      return vectors;
    } catch (error) {
      // The server refused this page's text: it is not down.
      if (error instanceof TextsRefused && patience === undefined) throw error;
      if (!closed) fail(error as Error);
      return undefined;
    }
  }

  function fail(error: Error): void {
    backoffUntil = clock() + BACKOFF_MS;
    // Once per outage.
    if (!failing) log.error({ model, err: error.cause ?? error }, 'no embeddings: searching by words alone');
    failing = true;
    health?.report(HEALTH_KEY, { status: 'degraded', reason: sentenceOf(error) });
    // A chatbot without vectors embeds no question, so that questions alone would not notice the recovery.
    if (retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      backoffUntil = 0;
      void embed([RETRY_TEXT], RETRY_TIMEOUT_MS);
    }, retryDelay).unref();
    retryDelay = Math.min(retryDelay * 2, retryDelays.max);
  }

  function recover(): void {
    clearTimeout(retry);
    retry = undefined;
    retryDelay = retryDelays.first;
    // A request that started before the last failure may be the one that succeeds.
    backoffUntil = 0;
    failing = false;
    health?.clear(HEALTH_KEY);
    log.info({ model }, 'the embeddings server answers again');
    onRecovery();
  }

  /** In batches: Float32 vectors take more memory than the Int8 rows that are stored. */
  async function vectorsOf(document: SourceDocument, signal: AbortSignal): Promise<StoredVectors | undefined> {
    const texts = textsOf(document);
    let rows = new Int8Array(0);
    let dimensions = 0;
    for (let at = 0; at < texts.length; at += BATCH_SIZE) {
      const vectors = await embed(texts.slice(at, at + BATCH_SIZE));
      if (!vectors || signal.aborted) return undefined;
      if (at === 0) {
        dimensions = vectors[0]!.length;
        rows = new Int8Array(texts.length * dimensions);
      }
      if (vectors[0]!.length !== dimensions) return undefined;
      for (const [n, vector] of vectors.entries()) rows.set(rowOf(vector), (at + n) * dimensions);
    }
    return { model, dimensions, rows };
  }

  return {
    model,
    async source(uuid, signal) {
      const source = await store.source(uuid);
      if (!source || source.status !== 'success' || source.embedded_by === model) return;
      const document = await store.document(uuid);
      if (!document || signal.aborted) return;
      const vectors = await vectorsOf(document, signal);
      if (vectors && (await store.putVectors(uuid, vectors))) await indexes.embed(source, vectors);
    },
    async question(text) {
      const short = text.slice(0, MAX_QUESTION_LENGTH).trim();
      if (short === '') return undefined;
      const known = questions.get(short);
      if (known) return known;
      const vector = (await embed([short], QUESTION_TIMEOUT_MS))?.[0];
      if (vector) questions.set(short, vector);
      return vector;
    },
    sentences: (found, vector) => sentences.compare(found, vector),
    close() {
      closed = true;
      clearTimeout(retry);
    },
  };
}

/** For `/readyz`, free of the server's own words. */
function sentenceOf(error: Error): string {
  const reason = error instanceof OutboundFailure ? error.reason : 'bad_reply';
  return `the embedding server does not answer (${reason}); questions are searched by words alone`;
}

/** Each passage under its title and headings, as the word index has them; a heading that repeats the title is left out. */
const textsOf = ({ title, text, passages }: SourceDocument): string[] =>
  passages.map(({ headings, start, end }) => [...new Set([title, ...headings, text.slice(start, end)])].join('\n'));
