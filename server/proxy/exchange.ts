import type { Dispatcher } from 'undici';
import { Refusal } from '../errors.ts';
import type { Connection, Connections } from '../model/connections.ts';

/** One request to the server behind the door, and its reply as it comes. */

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  headers: string[];
  body?: string;
}

/** `done` resolves with the status once the reply is whole, or has been ended by `stop`; else it rejects with a Refusal. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly done: Promise<number>;
  readonly #connections: Connections;
  readonly #connection: Connection;
  readonly #onData: (chunk: Buffer, status: number) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #stopped = false;
  #status = 0;
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

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#stopped) this.#onData(chunk, this.#status);
  }

  onResponseEnd(): void {
    this.#connections.giveBack(this.#connection);
    this.#resolve(this.#status);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#connections.drop(this.#connection);
    if (this.#stopped) this.#resolve(this.#status);
    else this.#reject(connectionFailed(error));
  }
}

/** `why` is for the log: it names no key and quotes no question. */
export const upstreamFailed = (why: string): Refusal =>
  new Refusal('upstream_failed', 'the chatbot cannot be reached at the moment; please try again', {
    cause: new Error(`the server behind the door: ${why}`),
  });

const TIMEOUT_CODES = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

function connectionFailed(error: Error): Refusal {
  const code = (error as NodeJS.ErrnoException).code ?? error.name;
  return TIMEOUT_CODES.has(code) ? timedOut(code) : upstreamFailed(code);
}

/** The server still sends when the time for a reply is over. */
export const tooSlow = (): Refusal => timedOut('the reply was not whole in time');

const timedOut = (why: string): Refusal =>
  new Refusal('upstream_timeout', 'the chatbot did not answer in time; please try again', {
    cause: new Error(`the server behind the door: ${why}`),
  });
