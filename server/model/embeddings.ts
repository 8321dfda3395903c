import type { Clock } from '../schema/ids.ts';
import { parseObject } from './completion.ts';
import { Connections, type TIMEOUTS } from '../outbound/connections.ts';
import { fetchWhole, type WholeReply } from '../outbound/exchange.ts';
import { ExchangeFailure } from '../outbound/failures.ts';
import { errorSentence, exchangeFailed, modelBusy, modelFailed } from './errors.ts';
import { TextsRefused, type Embedder } from './model.ts';

interface EmbedderOptions {
  /** Without `/embeddings`, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
  clock?: Clock;
  timeouts?: Partial<typeof TIMEOUTS>;
}

/** Texts in a request: some servers accept no more than 32. */
const BATCH_SIZE = 32;
/** UTF-16 units sent of each text; halved, down to the minimum, while the server rejects them as too long. */
const MAX_TEXT_UNITS = 2000;
const MIN_TEXT_UNITS = 250;
/** 32 vectors of 4,096 numbers of 20 digits are 2.6 MB. */
const MAX_REPLY_BYTES = 8_000_000;
const MAX_DIMENSIONS = 8192;
/** Milliseconds: a server without a GPU is slow with a batch. A visitor's question has a deadline of its own. */
const FIRST_BYTE_TIMEOUT = 60_000;

/**
 * A client of `POST …/embeddings`. The operator named the address, so the address guard does not apply. A server that
 * rejects long texts gets only their beginnings.
 */
export function createEmbedder({ baseUrl, model, apiKey, clock = Date.now, timeouts }: EmbedderOptions): Embedder {
  const url = new URL(baseUrl);
  const connections = new Connections(url.origin, { firstByte: FIRST_BYTE_TIMEOUT, ...timeouts });
  const headers = ['content-type', 'application/json', 'accept', 'application/json'];
  if (apiKey) headers.push('authorization', `Bearer ${apiKey}`);
  const path = `${url.pathname.replace(/\/+$/, '')}/embeddings${url.search}`;
  let maxUnits = MAX_TEXT_UNITS;

  async function embedSome(texts: string[], end: number): Promise<Float32Array[]> {
    for (let units = maxUnits; ; units /= 2) {
      const input = texts.map((text) => text.slice(0, units).toWellFormed());
      const reply = await post(JSON.stringify({ model, input }), end - clock());
      if (reply.status === 200) {
        maxUnits = units;
        return vectorsIn(reply.body, texts.length);
      }
      const why = `the embeddings server answered ${reply.status} ${errorSentence(reply.body, apiKey, input)}`;
      if (![400, 413, 422].includes(reply.status)) throw modelFailed(why, `status_${reply.status}`);
      if (units / 2 < MIN_TEXT_UNITS) throw new TextsRefused(why);
    }
  }

  async function post(body: string, deadline: number): Promise<WholeReply> {
    const options = { maxBytes: MAX_REPLY_BYTES, deadline, repeats: true, clock };
    try {
      const reply = await fetchWhole(connections, { method: 'POST', path, headers, body }, options);
      if (reply.status === 429) throw modelBusy(reply.retryAfter);
      return reply;
    } catch (error) {
      throw error instanceof ExchangeFailure ? exchangeFailed(error) : error;
    }
  }

  return {
    model,
    sentences: BATCH_SIZE,
    async embed(texts, timeout = Infinity) {
      const end = clock() + timeout;
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH_SIZE) {
        vectors.push(...(await embedSome(texts.slice(at, at + BATCH_SIZE), end)));
      }
      return vectors;
    },
    close: () => connections.close(),
  };
}

/** In the order of the texts, of length 1. Throws where the reply does not hold one for each text. */
function vectorsIn(body: string, count: number): Float32Array[] {
  const data = (parseObject(body) as { data?: unknown } | undefined)?.data;
  if (!Array.isArray(data) || data.length !== count) throw modelFailed('the embeddings server answered no list');
  const vectors = Array.from<Float32Array | undefined>({ length: count });
  for (const [at, one] of (data as ({ index?: unknown; embedding?: unknown } | null)[]).entries()) {
    const index = typeof one?.index === 'number' ? one.index : at;
    const vector = unit(one?.embedding);
    if (!vector || !(index in vectors) || vectors[index])
      throw modelFailed('the embeddings server answered no vectors');
    vectors[index] = vector;
  }
  // `count` vectors at `count` different indexes: none is missing.
  const all = vectors as Float32Array[];
  if (!all.every(({ length }) => length === all[0]!.length)) throw modelFailed('vectors of different lengths');
  return all;
}

function unit(numbers: unknown): Float32Array | undefined {
  if (!Array.isArray(numbers) || numbers.length === 0 || numbers.length > MAX_DIMENSIONS) return undefined;
  const vector = Float32Array.from(numbers as number[]);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Number.isFinite(length) && length > 0 ? vector.map((value) => value / length) : undefined;
}
