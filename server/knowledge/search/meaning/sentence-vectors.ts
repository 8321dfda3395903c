import { LRUCache } from 'lru-cache';
import type { Embedder } from '../../../model/model.ts';
import type { Clock } from '../../../schema/ids.ts';
import type { Found } from '../found.ts';
import { rowOf } from './vectors.ts';

/** Passages whose sentences are embedded, as far as they fit into one request. */
const MAX_COMPARED_PASSAGES = 4;
/** Milliseconds after which a question is answered without, and in which none is asked for after that. */
const [TIMEOUT_MS, PAUSE_MS] = [1000, 60_000];
/** Passages whose vectors are cached: about 6 KB each. */
const MAX_CACHED = 1000;

interface Options {
  embedder: Embedder;
  clock: Clock;
}

/** Embeds the sentences of the best passages of a question, in one request: those of a passage once. */
export class SentenceVectors {
  readonly #options: Options;
  readonly #rows = new LRUCache<object, Int8Array[]>({ max: MAX_CACHED });
  #pausedUntil = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Sets `sentences` of the meaning of the best passages. Never rejects: without a reply in time they stay unset. */
  async compare(found: readonly Found[], question: Float32Array): Promise<void> {
    const passages = found.slice(0, MAX_COMPARED_PASSAGES).filter(({ match }) => match.meaning);
    await this.#embed(passages);
    for (const { entry, match } of passages) {
      const rows = this.#rows.get(entry);
      if (rows?.length !== match.sentences().length || rows[0]?.length !== question.length) continue;
      match.meaning!.sentences = rows.map((row) => cosine(row, question));
    }
  }

  async #embed(passages: readonly Found[]): Promise<void> {
    const { embedder, clock } = this.#options;
    if (clock() < this.#pausedUntil) return;
    const taken: Found[] = [];
    const texts: string[] = [];
    for (const one of passages.filter(({ entry }) => !this.#rows.has(entry))) {
      const own = one.match.sentences().map(({ text }) => text);
      if (own.length === 0 || texts.length + own.length > embedder.sentences) continue;
      taken.push(one);
      texts.push(...own);
    }
    if (texts.length === 0) return;
    try {
      const rows = (await embedder.embed(texts, TIMEOUT_MS)).map(rowOf);
      for (const { entry, match } of taken) this.#rows.set(entry, rows.splice(0, match.sentences().length));
    } catch {
      // The next question tells by its own vector whether the server is down.
      this.#pausedUntil = clock() + PAUSE_MS;
    }
  }
}

function cosine(row: Int8Array, vector: Float32Array): number {
  let [sum, squares] = [0, 0];
  for (let at = 0; at < row.length; at++) {
    sum += row[at]! * vector[at]!;
    squares += row[at]! * row[at]!;
  }
  return sum / (Math.sqrt(squares) || 1);
}
