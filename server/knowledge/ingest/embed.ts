import { LRUCache } from 'lru-cache';
import { TextsRefused, type Embedder } from '../../model/model.ts';
import type { Clock } from '../../schema/ids.ts';
import type { Document, Store, StoredVectors } from '../../store/store.ts';
import type { IndexCache } from '../search/index-cache.ts';
import { rowOf } from '../search/vectors.ts';

/** Passages sent at once. */
const TEXTS = 32;
/** Milliseconds that a question waits for its meaning: then words alone decide. */
const PATIENCE = 1500;
/** Milliseconds for which a server that failed is left alone. */
const REST = 15_000;
/** Questions whose vectors are cached: the suggested ones are asked again and again. */
const MAX_QUESTIONS = 256;
/** Of a longer question only the beginning. */
const LONGEST = 2000;

interface Rooms {
  store: Store;
  indexes: IndexCache;
  embedder: Embedder;
  clock: Clock;
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
  /** The server answers again after it did not. */
  back(): void;
}

/** The meanings of passages and questions, by a server that may fail: whatever fails, words alone are searched. */
export interface Embedding {
  readonly model: string;
  /** Gives the passages of a source their vectors, where they have none by this model. */
  source(uuid: string, signal: AbortSignal): Promise<void>;
  question(text: string): Promise<Float32Array | undefined>;
}

export function createEmbedding({ store, indexes, embedder, clock, log, back }: Rooms): Embedding {
  const { model } = embedder;
  const questions = new LRUCache<string, Float32Array>({ max: MAX_QUESTIONS });
  let restUntil = 0;
  let failing = false;

  /** Undefined where there are none: for the log it is said why. */
  async function embed(texts: string[], patience?: number): Promise<Float32Array[] | undefined> {
    if (clock() < restUntil) return undefined;
    try {
      const vectors = await embedder.embed(texts, patience);
      if (failing) {
        failing = false;
        log.info({ model }, 'the embeddings server answers again');
        back();
      }
      return vectors;
    } catch (error) {
      // A page that it does not take is no reason to leave it alone.
      if (error instanceof TextsRefused && patience === undefined) throw error;
      restUntil = clock() + REST;
      // Once a spell: a busy site would say it a hundred times a minute.
      if (!failing)
        log.error({ model, err: (error as Error).cause ?? error }, 'no embeddings: searching by words alone');
      failing = true;
      return undefined;
    }
  }

  /** A few at a time: vectors take eight times the room of their rows. */
  async function vectorsOf(document: Document, signal: AbortSignal): Promise<StoredVectors | undefined> {
    const texts = textsOf(document);
    let rows = new Int8Array(0);
    let dimensions = 0;
    for (let at = 0; at < texts.length; at += TEXTS) {
      const vectors = await embed(texts.slice(at, at + TEXTS));
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
      const short = text.slice(0, LONGEST).trim();
      if (short === '') return undefined;
      const known = questions.get(short);
      if (known) return known;
      const vector = (await embed([short], PATIENCE))?.[0];
      if (vector) questions.set(short, vector);
      return vector;
    },
  };
}

/** As they are searched by words: under the title and the headings, which often begin with the title. */
const textsOf = ({ title, text, passages }: Document): string[] =>
  passages.map(({ headings, start, end }) => [...new Set([title, ...headings, text.slice(start, end)])].join('\n'));
