import type { Logger } from 'pino';
import { Refusal } from '../schema/errors.ts';
import type { Clock } from '../schema/ids.ts';
import type { Connections } from '../outbound/connections.ts';
import { Exchange, type ErrorReply, type OutboundRequest, type ReplyReader } from '../outbound/exchange.ts';
import { ExchangeFailure } from '../outbound/failures.ts';
import { answerTooLate, errorSentence, exchangeFailed, modelBusy, modelFailed } from './errors.ts';
import type { Generation, ModelRequest } from './model.ts';
import { CompletionStream } from './completion-stream.ts';

/** The model server, with what its replies showed that it supports. */
export interface Endpoint {
  connections: Connections;
  path: string;
  headers: string[];
  model: string;
  apiKey: string | undefined;
  log: Logger;
  clock: Clock;
  /** Fields that the server rejects. */
  rejectedFields: Set<OptionalField>;
  /** A request with all other optional fields has succeeded. */
  hasAccepted: boolean;
  /** Milliseconds for a whole answer. */
  answerTimeout: number;
}

/** Omitted for servers that reject them. */
const OPTIONAL_FIELDS = ['stream_options', 'temperature'] as const;
type OptionalField = (typeof OPTIONAL_FIELDS)[number];

type Outcome = Awaited<Generation['done']>;

/** One answer. Its request is sent again, without the field, where the server rejects an optional one. */
export class CompletionRequest implements Generation, ReplyReader {
  readonly done: Promise<Outcome>;
  readonly #endpoint: Endpoint;
  readonly #stream: CompletionStream;
  readonly #exchange: Exchange;
  // Released when the answer begins, as the exchange does with the body made of it.
  #request: ModelRequest | undefined;
  #rejectedFields: Set<OptionalField>;
  #promptLength: number;

  #isSettled = false;
  #resolve!: (outcome: Outcome) => void;
  #reject!: (refusal: Refusal) => void;

  constructor(endpoint: Endpoint, request: ModelRequest, onText: (piece: string) => void) {
    const { connections, clock, answerTimeout } = endpoint;
    this.#endpoint = endpoint;
    this.#request = request;
    this.#stream = new CompletionStream(onText);
    this.#rejectedFields = endpoint.rejectedFields;
    this.#promptLength = request.messages.reduce((sum, { content }) => sum + content.length, 0);
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#exchange = new Exchange(connections, this, { deadline: answerTimeout, repeats: true, clock });
    this.#exchange.send(this.#outbound(request));
  }

  stop(): void {
    this.#finish();
    // Ignores the rest of the chunk that is being read.
    this.#stream.ended = true;
  }

  onHead(): void {
    const endpoint = this.#endpoint;
    this.#request = undefined;
    endpoint.hasAccepted = true;
    if (this.#rejectedFields.size <= endpoint.rejectedFields.size) return;
    endpoint.rejectedFields = this.#rejectedFields;
    endpoint.log.info(
      { fields: [...this.#rejectedFields] },
      'the model server refuses these fields; from now on without them',
    );
  }

  onChunk(chunk: Buffer): void {
    try {
      this.#stream.feed(chunk);
      if (this.#stream.ended) this.#finish();
    } catch (error) {
      this.#failReading(error);
    }
  }

  onEnd(): void {
    try {
      this.#stream.end();
      this.#finish();
    } catch (error) {
      this.#failReading(error);
    }
  }

  onErrorReply({ status, body, retryAfter }: ErrorReply): OutboundRequest | undefined {
    if (status === 429) return this.#fail(modelBusy(retryAfter));
    const field = this.#rejectedField(status, body);
    if (field && this.#request) {
      this.#rejectedFields = new Set([...this.#rejectedFields, field]);
      return this.#outbound(this.#request);
    }
    const contents = this.#request?.messages.map(({ content }) => content) ?? [];
    const why = `the model server answered ${status} ${errorSentence(body, this.#endpoint.apiKey, contents)}`;
    return this.#fail(modelFailed(why, `status_${status}`));
  }

  onFailure(error: Error): void {
    // The answer is complete: all text comes before the finish_reason.
    if (this.#stream.finish !== undefined) return this.#finish();
    if (!(error instanceof ExchangeFailure)) this.#fail(modelFailed(String(error)));
    else this.#fail(error.kind === 'deadline' ? answerTooLate() : exchangeFailed(error));
  }

  #outbound({ messages, temperature }: ModelRequest): OutboundRequest {
    const { path, headers, model } = this.#endpoint;
    const body = JSON.stringify({
      model,
      messages,
      stream: true,
      ...(this.#rejectedFields.has('temperature') ? {} : { temperature }),
      ...(this.#rejectedFields.has('stream_options') ? {} : { stream_options: { include_usage: true } }),
    });
    return { method: 'POST', path, headers, body };
  }

  /** The field that a 400 names, or, from a server that has accepted nothing yet, the less common one. */
  #rejectedField(status: number, body: string): OptionalField | undefined {
    if (status !== 400 && status !== 422) return undefined;
    const sent = OPTIONAL_FIELDS.filter((field) => !this.#rejectedFields.has(field));
    const named = sent.find((field) => body.includes(field));
    return named ?? (this.#endpoint.hasAccepted ? undefined : sent.find((field) => field === 'stream_options'));
  }

  #failReading(error: unknown): void {
    this.#fail(error instanceof Refusal ? error : modelFailed(String(error)));
  }

  #finish(): void {
    if (this.#isSettled) return;
    this.#settle();
    const { finish, totalTokens, length } = this.#stream;
    const estimate = Math.ceil((this.#promptLength + length) / 4);
    this.#resolve({ finish: finish === 'length' ? 'length' : 'stop', totalTokens: totalTokens ?? estimate });
  }

  #fail(refusal: Refusal): undefined {
    if (this.#isSettled) return;
    this.#settle();
    this.#reject(refusal);
  }

  #settle(): void {
    this.#isSettled = true;
    if (this.#stream.ended) this.#exchange.release();
    else this.#exchange.stop();
  }
}
