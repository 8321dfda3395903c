import type { Dispatcher } from 'undici';
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../schema/errors.ts';
import type { Connection, Connections } from './connections.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** One request to the server behind the door, and its reply as it comes. */

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  headers: string[];
  body?: string;
}

/**
 * `done` resolves with the status once the reply is whole, or has been ended by `stop`; else it rejects with an
 * `UpstreamFailure`, as where the server has too much to do.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly done: Promise<number>;
  readonly #connections: Connections;
  readonly #connection: Connection;
  readonly #onData: (chunk: Buffer, status: number) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #stopped = false;
  #status = 0;
  #retryAfter: string | undefined;
  #resolve!: (status: number) => void;
  #reject!: (refusal: Refusal) => void;

  constructor(connections: Connections, request: Request, onData: (chunk: Buffer, status: number) => void) {
    this.#connections = connections;
    this.#onData = onData;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#connection = connections.take();
    this.#connection.client.dispatch(request, this);
  }

  stop(): void {
    this.#stopped = true;
    this.#controller?.abort(new Error('stopped'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stopped) controller.abort(new Error('stopped'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    if (status >= 400) this.#retryAfter = String(headers['retry-after'] ?? '');
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#stopped) this.#onData(chunk, this.#status);
  }

  onResponseEnd(): void {
    this.#connections.giveBack(this.#connection);
    const retryAfter = retryAfterSeconds(this.#retryAfter, Date.now());
    const isBusy = this.#status === 429 || (this.#status === 503 && retryAfter !== undefined);
    if (isBusy) this.#reject(busy(this.#status, retryAfter ?? BUSY));
    else this.#resolve(this.#status);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#connections.drop(this.#connection);
    if (this.#stopped) this.#resolve(this.#status);
    else this.#reject(connectionFailed(error));
  }
}

export class UpstreamFailure extends Refusal {
  /** `unreachable`, `timeout`, `busy`, `bad_reply` or `status_` with the HTTP status: for `/readyz`. */
  readonly reason: string;

  constructor(reason: string, ...refusal: ConstructorParameters<typeof Refusal>) {
    super(...refusal);
    this.reason = reason;
  }
}

const told = (why: string): Error => new Error(`the server behind the door: ${why}`);

/** `why` is for the log: it names no key and quotes no question. */
export const upstreamFailed = (why: string, reason = 'bad_reply'): UpstreamFailure =>
  new UpstreamFailure(reason, 'upstream_failed', 'the chatbot cannot be reached at the moment; please try again', {
    cause: told(why),
  });

/** Seconds after which a caller may try again where the server does not say. */
const BUSY = 5;

const busy = (status: number, retryAfter: number): UpstreamFailure =>
  new UpstreamFailure('busy', 'unavailable', 'the chatbot has too much to do; please try again later', {
    retryAfter,
    cause: told(`it answered ${status}`),
  });

const TIMEOUT_CODES = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

function connectionFailed(error: Error): UpstreamFailure {
  const code = (error as NodeJS.ErrnoException).code ?? error.name;
  return TIMEOUT_CODES.has(code) ? timedOut(code) : upstreamFailed(code, 'unreachable');
}

/** The server still sends when the time for a reply is over. */
export const tooSlow = (): UpstreamFailure => timedOut('the reply was not whole in time');

const timedOut = (why: string): UpstreamFailure =>
  new UpstreamFailure('timeout', 'upstream_timeout', 'the chatbot did not answer in time; please try again', {
    cause: told(why),
  });
