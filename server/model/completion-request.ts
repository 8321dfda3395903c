import { retryAfterSeconds } from '../outbound/retry-after.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Dispatcher } from 'undici';
import { Refusal } from '../schema/errors.ts';
import type { Clock } from '../schema/ids.ts';
import type { Connection, Connections } from '../outbound/connections.ts';
import { connectionFailed, errorSentence, modelBusy, modelFailed, tooLong, wasReset } from './errors.ts';
import type { Generation, ModelRequest } from './model.ts';
import { CompletionStream } from './completion-stream.ts';

/** The server that is called, and what has been learnt about it. */
export interface Endpoint {
  connections: Connections;
  path: string;
  headers: string[];
  model: string;
  apiKey: string | undefined;
  log: Logger;
  clock: Clock;
  /** What this server refuses to be sent. */
  refused: Set<OptionalField>;
  /** It has answered while all fields but those were sent. */
  accepted: boolean;
  /** Milliseconds for a whole answer. */
  answerTimeout: number;
}

/** An answer can do without these, where a server refuses them. */
const OPTIONAL_FIELDS = ['stream_options', 'temperature'] as const;
type OptionalField = (typeof OPTIONAL_FIELDS)[number];

type Outcome = Awaited<Generation['done']>;

/** Seconds: a visitor waits for this answer. */
const LONGEST_PAUSE = 5;
const ERROR_BODY = 4096;

/** One answer: its request, sent again where nothing of the answer has come yet, and the reading of the reply. */
export class CompletionRequest implements Generation, Dispatcher.DispatchHandler {
  readonly done: Promise<Outcome>;
  readonly #endpoint: Endpoint;
  readonly #reading: CompletionStream;
  // Let go when the answer begins: thousands of open streams would keep as many prompts in memory, twice.
  #request: ModelRequest | undefined;
  #body: string[] = [];
  #refused: Set<OptionalField>;
  #promptLength: number;

  #connection: Connection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #pause: NodeJS.Timeout | undefined;
  readonly #deadline: NodeJS.Timeout;
  #wasReset = false;
  #wasBusy = false;

  #status = 0;
  #retryAfter: string | undefined;
  #errorBody = '';

  #settled = false;
  #resolve!: (outcome: Outcome) => void;
  #reject!: (refusal: Refusal) => void;

  constructor(endpoint: Endpoint, request: ModelRequest, onText: (piece: string) => void) {
    this.#endpoint = endpoint;
    this.#request = request;
    this.#reading = new CompletionStream(onText);
    this.#refused = endpoint.refused;
    this.#promptLength = request.messages.reduce((sum, { content }) => sum + content.length, 0);
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#deadline = setTimeout(() => this.#leave(tooLong()), endpoint.answerTimeout);
    this.#send();
  }

  stop(): void {
    this.#leave();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('stopped'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    // Slices of the network's buffer, 2 KB of it, kept as long as the stream.
    controller.rawHeaders = null;
    if (status >= 300) this.#retryAfter = String(headers['retry-after'] ?? '');
    else if (status >= 200) this.#accepted();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    if (this.#status >= 300) return this.#collectError(controller, chunk);
    this.#read(chunk);
    if (this.#settled && !this.#reading.ended) controller.abort(new Error('refused'));
  }

  onResponseEnd(): void {
    if (this.#connection) this.#endpoint.connections.giveBack(this.#connection);
    if (this.#settled) return;
    if (this.#status >= 300) this.#answerError();
    else this.#read();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#connection) this.#endpoint.connections.drop(this.#connection);
    if (this.#settled) return;
    if (this.#status >= 300) this.#answerError();
    else if (this.#reading.finish !== undefined) this.#finish();
    else if (this.#mayRepeat(error)) this.#send();
    else this.#fail(connectionFailed(error));
  }

  #send(): void {
    const { connections, path, headers } = this.#endpoint;
    this.#status = 0;
    this.#errorBody = '';
    const payload = this.#payload();
    // undici keeps a body until the reply has ended, unless it is a list, which can be emptied. Its types do not know lists.
    this.#body = [payload];
    const body = this.#body as unknown as Readable;
    this.#connection = connections.take();
    this.#connection.client.dispatch(
      { path, method: 'POST', headers: [...headers, 'content-length', `${Buffer.byteLength(payload)}`], body },
      this,
    );
  }

  #payload(): string {
    const { messages, temperature } = this.#request ?? { messages: [], temperature: 0 };
    return JSON.stringify({
      model: this.#endpoint.model,
      messages,
      stream: true,
      ...(this.#refused.has('temperature') ? {} : { temperature }),
      ...(this.#refused.has('stream_options') ? {} : { stream_options: { include_usage: true } }),
    });
  }

  /** A kept-alive connection that the server was just closing: nothing was answered yet, so ask once more. */
  #mayRepeat(error: Error): boolean {
    const first = !this.#wasReset;
    this.#wasReset = true;
    return first && this.#status === 0 && wasReset(error);
  }

  #accepted(): void {
    const endpoint = this.#endpoint;
    this.#request = undefined;
    this.#body.length = 0;
    endpoint.accepted = true;
    if (this.#refused.size <= endpoint.refused.size) return;
    endpoint.refused = this.#refused;
    endpoint.log.info(
      { fields: [...this.#refused] },
      'the model server refuses these fields; from now on without them',
    );
  }

  /** A chunk, or the end. */
  #read(chunk?: Buffer): void {
    try {
      if (chunk) this.#reading.feed(chunk);
      else this.#reading.end();
      if (this.#reading.ended) this.#finish();
    } catch (error) {
      this.#fail(error instanceof Refusal ? error : modelFailed(String(error)));
    }
  }

  #collectError(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#errorBody += chunk.toString('utf8', 0, ERROR_BODY - this.#errorBody.length);
    if (this.#errorBody.length >= ERROR_BODY) controller.abort(new Error('enough of the error'));
  }

  #answerError(): void {
    const field = this.#refusedField();
    if (this.#status === 429) return this.#busy();
    if (!field) {
      const why = `the model server answered ${this.#status} ${this.#sentence()}`;
      return this.#fail(modelFailed(why, `status_${this.#status}`));
    }
    this.#refused = new Set([...this.#refused, field]);
    this.#send();
  }

  /** The field that a 400 names, or, from a server that has taken nothing yet, the less known one. */
  #refusedField(): OptionalField | undefined {
    if (this.#status !== 400 && this.#status !== 422) return undefined;
    const sent = OPTIONAL_FIELDS.filter((field) => !this.#refused.has(field));
    const named = sent.find((field) => this.#errorBody.includes(field));
    return named ?? (this.#endpoint.accepted ? undefined : sent.find((field) => field === 'stream_options'));
  }

  #busy(): void {
    const seconds = retryAfterSeconds(this.#retryAfter, this.#endpoint.clock());
    if (this.#wasBusy || (seconds ?? 1) > LONGEST_PAUSE) return this.#fail(modelBusy(seconds ?? LONGEST_PAUSE));
    this.#wasBusy = true;
    this.#pause = setTimeout(() => this.#send(), (seconds ?? 1) * 1000);
  }

  #sentence(): string {
    const contents = this.#request?.messages.map(({ content }) => content) ?? [];
    return errorSentence(this.#errorBody, this.#endpoint.apiKey, contents);
  }

  /** Before the reply is whole: what there was is the answer, or the call fails. */
  #leave(refusal?: Refusal): void {
    if (this.#settled) return;
    clearTimeout(this.#pause);
    if (refusal) this.#fail(refusal);
    else this.#finish();
    this.#reading.ended = true;
    this.#controller?.abort(new Error('stopped'));
  }

  #finish(): void {
    if (this.#settled) return;
    this.#settle();
    const { finish, totalTokens, length } = this.#reading;
    const estimate = Math.ceil((this.#promptLength + length) / 4);
    this.#resolve({ finish: finish === 'length' ? 'length' : 'stop', totalTokens: totalTokens ?? estimate });
  }

  #fail(refusal: Refusal): void {
    if (this.#settled) return;
    this.#settle();
    this.#reject(refusal);
  }

  #settle(): void {
    this.#settled = true;
    clearTimeout(this.#deadline);
  }
}
