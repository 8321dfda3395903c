import { retryAfterSeconds } from '../outbound/retry-after.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Clock } from '../schema/ids.ts';
import { parseObject } from './completion.ts';
import { Connections, type Connection, type TIMEOUTS } from '../outbound/connections.ts';
import { connectionFailed, errorSentence, modelBusy, modelFailed, wasReset } from './errors.ts';
import { TextsRefused, type Embedder } from './model.ts';

interface Options {
  /** What stands before `/embeddings`, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
  clock?: Clock;
  timeouts?: Partial<typeof TIMEOUTS>;
}

/** Texts a request: some servers take no more. */
const TEXTS = 32;
/** UTF-16 units of each that are sent, and of how few of them a server may still say that they are too many. */
const LONGEST = 2000;
const SHORTEST = 250;
/** Bytes of a reply: thirty-two vectors of 4,096 long numbers, and room. */
const LARGEST = 8_000_000;
const MOST_DIMENSIONS = 8192;
/** Milliseconds before the first byte: a processor alone takes its time over so many texts, and a visitor's question has a patience of its own. */
const BATCH = 60_000;
/** Seconds. */
const LONGEST_PAUSE = 5;

/**
 * Any server that speaks `POST …/embeddings`. The address is the operator's word: no guard looks at it. A server that
 * refuses long texts is sent their beginnings.
 */
export function createEmbedder({ baseUrl, model, apiKey, clock = Date.now, timeouts }: Options): Embedder {
  const url = new URL(baseUrl);
  const connections = new Connections(url.origin, { firstByte: BATCH, ...timeouts });
  const headers = ['content-type', 'application/json', 'accept', 'application/json'];
  if (apiKey) headers.push('authorization', `Bearer ${apiKey}`);
  const path = `${url.pathname.replace(/\/+$/, '')}/embeddings${url.search}`;
  let longest = LONGEST;

  async function embedSome(texts: string[], end: number): Promise<Float32Array[]> {
    for (let length = longest; ; length /= 2) {
      const input = texts.map((text) => text.slice(0, length).toWellFormed());
      const payload = JSON.stringify({ model, input });
      const reply = await post({ connections, path, headers, payload, clock, end });
      if (reply.status === 200) {
        longest = length;
        return vectorsIn(reply.body, texts.length);
      }
      const why = `the embeddings server answered ${reply.status} ${errorSentence(reply.body, apiKey, input)}`;
      if (![400, 413, 422].includes(reply.status)) throw modelFailed(why);
      if (length / 2 < SHORTEST) throw new TextsRefused(why);
    }
  }

  return {
    model,
    async embed(texts, patience = Infinity) {
      const end = clock() + patience;
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += TEXTS) {
        vectors.push(...(await embedSome(texts.slice(at, at + TEXTS), end)));
      }
      return vectors;
    },
    close: () => connections.close(),
  };
}

/** In the order of the texts, of length 1. Throws where the reply is anything else. */
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
  // As many as there are places, each in one of its own: none is missing.
  const all = vectors as Float32Array[];
  if (!all.every(({ length }) => length === all[0]!.length)) throw modelFailed('vectors of different lengths');
  return all;
}

function unit(numbers: unknown): Float32Array | undefined {
  if (!Array.isArray(numbers) || numbers.length === 0 || numbers.length > MOST_DIMENSIONS) return undefined;
  const vector = Float32Array.from(numbers as number[]);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Number.isFinite(length) && length > 0 ? vector.map((value) => value / length) : undefined;
}

interface Post {
  connections: Connections;
  path: string;
  headers: string[];
  payload: string;
  clock: Clock;
  /** When it has to be done. */
  end: number;
}

interface Reply {
  status: number;
  body: string;
  retryAfter: string | undefined;
}

/** Asks once more where nothing is lost by it: after a reset, and after a short pause that the server wants. */
async function post(request: Post): Promise<Reply> {
  const reply = await exchanged(request);
  if (reply.status !== 429) return reply;
  const seconds = retryAfterSeconds(reply.retryAfter, request.clock()) ?? 1;
  if (seconds > LONGEST_PAUSE || request.clock() + seconds * 1000 >= request.end) throw modelBusy(seconds);
  await new Promise((wake) => setTimeout(wake, seconds * 1000));
  const again = await exchanged(request);
  if (again.status === 429) throw modelBusy(retryAfterSeconds(again.retryAfter, request.clock()) ?? 1);
  return again;
}

async function exchanged(request: Post): Promise<Reply> {
  try {
    return await new Exchange(request).done.catch((error: Error) => {
      if (!wasReset(error)) throw error;
      return new Exchange(request).done;
    });
  } catch (error) {
    throw connectionFailed(error as Error);
  }
}

/** One request and its whole reply. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly done: Promise<Reply>;
  readonly #connections: Connections;
  readonly #connection: Connection;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #reply: Reply = { status: 0, body: '', retryAfter: undefined };
  #controller: Dispatcher.DispatchController | undefined;
  #late: Error | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #resolve!: (reply: Reply) => void;
  #reject!: (error: Error) => void;

  constructor({ connections, path, headers, payload, clock, end }: Post) {
    this.#connections = connections;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (end < Infinity) this.#timer = setTimeout(() => this.#abort('ETIMEDOUT'), Math.max(0, end - clock()));
    this.#connection = connections.take();
    const length = ['content-length', `${Buffer.byteLength(payload)}`];
    this.#connection.client.dispatch({ path, method: 'POST', headers: [...headers, ...length], body: payload }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#late) controller.abort(this.#late);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#reply = { status, body: '', retryAfter: headers['retry-after'] };
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > LARGEST) this.#abort('a reply without end');
    else this.#chunks.push(Buffer.from(chunk));
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    this.#connections.giveBack(this.#connection);
    this.#resolve({ ...this.#reply, body: Buffer.concat(this.#chunks).toString('utf8') });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer);
    this.#connections.drop(this.#connection);
    this.#reject(this.#late ?? error);
  }

  #abort(code: string): void {
    this.#late = Object.assign(new Error(code), { code });
    this.#controller?.abort(this.#late);
    this.#reject(this.#late);
  }
}
