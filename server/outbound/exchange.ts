import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Clock } from '../schema/ids.ts';
import type { Connection, Connections } from './connections.ts';
import { connectionFailure, ExchangeFailure, isRefused, isReset } from './failures.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** HTTP requests to servers that the operator named: models, embeddings, and the upstream of the chat API. */

export interface OutboundRequest {
  method: 'GET' | 'POST';
  path: string;
  /** Names and values in turn. `content-length` is added. */
  headers: string[];
  body?: string;
}

/** Status 300 or above; redirects are not followed. */
export interface ErrorReply {
  status: number;
  /** The first `MAX_ERROR_BYTES`. */
  body: string;
  /** Seconds. */
  retryAfter: number | undefined;
}

/** Receives a reply as it arrives: the head, the chunks and the end of a good one, or one of the other two. */
export interface ReplyReader {
  /** `status` is 200 to 299. */
  onHead?(status: number): void;
  /** The bytes are the network's buffer: copy what outlives the call. */
  onChunk(chunk: Buffer): void;
  onEnd(): void;
  /** Returns the request to send instead, if there is one. */
  onErrorReply(reply: ErrorReply): OutboundRequest | undefined;
  /** An `ExchangeFailure`, or the reason of the signal. */
  onFailure(error: Error): void;
}

interface ExchangeOptions {
  /** Milliseconds for all of it: repeats, pauses and the whole body; none by default. */
  deadline?: number;
  signal?: AbortSignal | undefined;
  /**
   * Sends the request once more after a reset before the first byte of a reply, once more after a refused connection, and
   * once more after a 429 or a 503 whose `Retry-After` is within `MAX_PAUSE_SECONDS` and the deadline.
   */
  repeats?: boolean;
  clock?: Clock;
}

const MAX_ERROR_BYTES = 4096;
/** A visitor waits for the reply. */
const MAX_PAUSE_SECONDS = 5;
/** Where a 429 does not say how long. */
const DEFAULT_PAUSE_SECONDS = 1;
/** Nothing listens for a moment while a server restarts. */
const REFUSED_PAUSE_SECONDS = 0.2;

/**
 * One request on a connection of its own, repeated where that is safe. The time-outs of connecting, of the first byte and
 * between chunks are those of its `Connections`.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #connections: Connections;
  readonly #reader: ReplyReader;
  readonly #repeats: boolean;
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #end: number;
  readonly #timer: NodeJS.Timeout | undefined;
  #pause: NodeJS.Timeout | undefined;

  // Both are released when a good reply begins: thousands of open streams would keep as many prompts in memory, twice.
  #request: OutboundRequest | undefined;
  #body: string[] = [];

  #connection: Connection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #retryAfter: string | undefined;
  #errorBody = '';
  #wasReset = false;
  #wasRefused = false;
  #wasBusy = false;
  #isOver = false;

  constructor(connections: Connections, reader: ReplyReader, options: ExchangeOptions = {}) {
    const { deadline = Infinity, signal, repeats = false, clock = Date.now } = options;
    this.#connections = connections;
    this.#reader = reader;
    this.#repeats = repeats;
    this.#clock = clock;
    this.#signal = signal;
    this.#end = performance.now() + deadline;
    if (deadline < Infinity) this.#timer = setTimeout(() => this.#cut(late()), Math.max(0, deadline));
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** To be called once. */
  send(request: OutboundRequest): void {
    if (this.#signal?.aborted) this.#onAbort();
    else this.#dispatch(request);
  }

  /** Ends the request. The reader is called no more. */
  stop(): void {
    if (this.#isOver) return;
    this.#settle();
    this.#controller?.abort(new Error('stopped'));
  }

  /** The reader is called no more; the rest of the reply is read and ignored, so that the connection can be used again. */
  release(): void {
    if (!this.#isOver) this.#settle();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('stopped'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    // Slices of the network's buffer: 2 kB that would stay in memory as long as the reply is open.
    controller.rawHeaders = null;
    if (this.#isOver) return;
    if (status >= 300) this.#retryAfter = headers['retry-after'];
    else if (status >= 200) {
      this.#request = undefined;
      this.#body.length = 0;
      this.#reader.onHead?.(status);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#status < 300) return this.#reader.onChunk(chunk);
    this.#errorBody += chunk.toString('utf8', 0, MAX_ERROR_BYTES - this.#errorBody.length);
    if (this.#errorBody.length >= MAX_ERROR_BYTES) controller.abort(new Error('enough of the error'));
  }

  onResponseEnd(): void {
    if (this.#connection) this.#connections.giveBack(this.#connection);
    if (this.#isOver) return;
    if (this.#status >= 300) return this.#readError();
    this.#settle();
    this.#reader.onEnd();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#connection) this.#connections.drop(this.#connection);
    if (this.#isOver) return;
    if (this.#status >= 300) return this.#readError();
    if (this.#mayRepeat(error)) return this.#dispatch(this.#request!);
    if (this.#mayConnectAgain(error)) return this.#dispatchAfter(REFUSED_PAUSE_SECONDS);
    this.#settle();
    this.#reader.onFailure(connectionFailure(error));
  }

  #dispatch(request: OutboundRequest): void {
    const { method, path, headers, body } = request;
    this.#request = request;
    this.#controller = undefined;
    this.#status = 0;
    this.#retryAfter = undefined;
    this.#errorBody = '';
    this.#connection = this.#connections.take();
    if (body === undefined) return void this.#connection.client.dispatch({ method, path, headers }, this);
    // undici keeps a body until the reply has ended, unless it is a list, which can be emptied; its types know no lists.
    this.#body = [body];
    const list = this.#body as unknown as Readable;
    const length = ['content-length', `${Buffer.byteLength(body)}`];
    this.#connection.client.dispatch({ method, path, headers: [...headers, ...length], body: list }, this);
  }

  /** A kept-alive connection that the server was just closing: it has answered nothing. */
  #mayRepeat(error: Error): boolean {
    const isFirst = !this.#wasReset;
    this.#wasReset = true;
    return this.#repeats && isFirst && this.#status === 0 && isReset(error);
  }

  #mayConnectAgain(error: Error): boolean {
    const isFirst = !this.#wasRefused;
    this.#wasRefused = true;
    return this.#repeats && isFirst && isRefused(error) && this.#isInTime(REFUSED_PAUSE_SECONDS);
  }

  #dispatchAfter(seconds: number): void {
    this.#pause = setTimeout(() => this.#dispatch(this.#request!), seconds * 1000);
  }

  #readError(): void {
    const [status, body] = [this.#status, this.#errorBody];
    const retryAfter = retryAfterSeconds(this.#retryAfter, this.#clock());
    // A 503 that names no time may last.
    const seconds = retryAfter ?? (status === 429 ? DEFAULT_PAUSE_SECONDS : Infinity);
    if ((status === 429 || status === 503) && this.#mayPause(seconds)) {
      this.#wasBusy = true;
      return this.#dispatchAfter(seconds);
    }
    const instead = this.#reader.onErrorReply({ status, body, retryAfter });
    if (instead && !this.#isOver) this.#dispatch(instead);
    else this.release();
  }

  #mayPause(seconds: number): boolean {
    return this.#repeats && !this.#wasBusy && seconds <= MAX_PAUSE_SECONDS && this.#isInTime(seconds);
  }

  #isInTime(seconds: number): boolean {
    return performance.now() + seconds * 1000 < this.#end;
  }

  readonly #onAbort = (): void => this.#cut(this.#signal!.reason as Error);

  #cut(error: Error): void {
    if (this.#isOver) return;
    this.stop();
    this.#reader.onFailure(error);
  }

  #settle(): void {
    this.#isOver = true;
    this.#request = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#pause);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

const late = (): ExchangeFailure => new ExchangeFailure('deadline', 'the reply was not whole in time');

export interface WholeReply {
  status: number;
  /** UTF-8. */
  body: string;
  /** Seconds, of an `ErrorReply`. */
  retryAfter?: number | undefined;
}

/** The whole reply, as text. Rejects with an `ExchangeFailure`, or with the reason of the signal. */
export function fetchWhole(
  connections: Connections,
  request: OutboundRequest,
  { maxBytes, ...options }: ExchangeOptions & { maxBytes: number },
): Promise<WholeReply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let status = 0;
    const reader: ReplyReader = {
      onHead: (received) => void (status = received),
      onChunk(chunk) {
        bytes += chunk.length;
        if (bytes <= maxBytes) return void chunks.push(Buffer.from(chunk));
        exchange.stop();
        reject(new ExchangeFailure('too_large', `a reply larger than ${maxBytes} bytes`));
      },
      onEnd: () => resolve({ status, body: Buffer.concat(chunks).toString('utf8') }),
      onErrorReply: (reply) => void resolve(reply),
      onFailure: reject,
    };
    const exchange = new Exchange(connections, reader, options);
    exchange.send(request);
  });
}
