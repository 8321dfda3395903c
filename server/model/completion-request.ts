import type { Logger } from 'pino';
import { Refusal } from '../schema/errors.ts';
import type { Clock } from '../schema/ids.ts';
import type { Connections } from '../outbound/connections.ts';
import { Exchange, type ErrorReply, type OutboundRequest, type ReplyReader } from '../outbound/exchange.ts';
import { ExchangeFailure } from '../outbound/failures.ts';
import { answerTooLate, errorSentence, exchangeFailed, modelBusy, modelFailed } from './errors.ts';
import type { Generated, Generation, ModelRequest } from './model.ts';
import { CompletionStream } from './completion-stream.ts';
import { rejectedField, requestBody, textsOf, type OptionalField } from './request-body.ts';

/** The model server. */
export interface Endpoint {
  connections: Connections;
  path: string;
  headers: string[];
  /** The name at the server of a model that an agent names. */
  nameOf(model: string | undefined): string;
  apiKey: string | undefined;
  log: Logger;
  clock: Clock;
  /** By name at the server. */
  support: Map<string, Support>;
  limits: AnswerLimits;
}

/** Milliseconds. */
export interface AnswerLimits {
  /** From the request to the first text or call; reasoning is neither. */
  firstToken: number;
  /** From one to the next. */
  betweenTokens: number;
  whole: number;
}

/** What the replies of a model have shown. */
interface Support {
  /** Fields that it rejects. */
  rejectedFields: Set<OptionalField>;
  /** A request with all other optional fields has succeeded. */
  hasAccepted: boolean;
}

/** One answer. Its request is sent again, without the field, where the server rejects an optional one. */
export class CompletionRequest implements Generation, ReplyReader {
  readonly done: Promise<Generated>;
  readonly #endpoint: Endpoint;
  readonly #model: string;
  readonly #support: Support;
  readonly #stream: CompletionStream;
  readonly #exchange: Exchange;
  // Released when the answer begins, as the exchange does with the body made of it.
  #request: ModelRequest | undefined;
  #rejectedFields: Set<OptionalField>;
  #promptLength: number;
  #timer: NodeJS.Timeout;
  #visibleLength = 0;
  /** When `#visibleLength` grew last. */
  #grewAt = performance.now();

  #isSettled = false;
  #resolve!: (generated: Generated) => void;
  #reject!: (refusal: Refusal) => void;

  constructor(endpoint: Endpoint, request: ModelRequest, onText: (piece: string) => void) {
    const { connections, clock, limits } = endpoint;
    this.#endpoint = endpoint;
    this.#request = request;
    this.#stream = new CompletionStream(onText, (request.tools?.length ?? 0) > 0);
    this.#model = endpoint.nameOf(request.model);
    this.#support = supportOf(endpoint, this.#model);
    this.#rejectedFields = this.#support.rejectedFields;
    this.#promptLength = textsOf(request).reduce((sum, text) => sum + text.length, 0);
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#exchange = new Exchange(connections, this, { deadline: limits.whole, repeats: true, clock });
    this.#timer = setTimeout(CompletionRequest.#checkTime, limits.firstToken, this);
    this.#exchange.send(this.#outbound(request));
  }

  stop(): void {
    // Calls may be incomplete.
    this.#finish([]);
    // Ignores the rest of the chunk that is being read.
    this.#stream.ended = true;
  }

  onHead(): void {
    this.#request = undefined;
    this.#support.hasAccepted = true;
    if (this.#rejectedFields !== this.#support.rejectedFields) this.#rememberRejected();
  }

  onChunk(chunk: Buffer): void {
    try {
      this.#stream.feed(chunk);
      this.#noteGrowth();
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

  onErrorReply(reply: ErrorReply): OutboundRequest | undefined {
    const { status, body, retryAfter } = reply;
    if (status === 429) return this.#fail(modelBusy(retryAfter));
    const request = this.#request!;
    const field = rejectedField(reply, request, this.#rejectedFields, this.#support.hasAccepted);
    if (field) {
      this.#rejectedFields = new Set([...this.#rejectedFields, field]);
      return this.#outbound(request);
    }
    const why = `the model server answered ${status} ${errorSentence(body, this.#endpoint.apiKey, textsOf(request))}`;
    return this.#fail(modelFailed(why, `status_${status}`));
  }

  onFailure(error: Error): void {
    // The answer is complete: all text comes before the finish_reason.
    if (this.#stream.finish !== undefined) return this.#finish();
    if (!(error instanceof ExchangeFailure)) this.#fail(modelFailed(String(error)));
    else
      this.#fail(
        error.kind === 'deadline' ? answerTooLate('it was not whole after ANSWER_TIMEOUT') : exchangeFailed(error),
      );
  }

  #noteGrowth(): void {
    const { visibleLength } = this.#stream;
    if (visibleLength === this.#visibleLength) return;
    this.#visibleLength = visibleLength;
    this.#grewAt = performance.now();
  }

  /** Servers keep silent connections open with comments, and models reason without end: bytes alone prove nothing. */
  static #checkTime(this: void, request: CompletionRequest): void {
    const { firstToken, betweenTokens } = request.#endpoint.limits;
    if (request.#visibleLength === 0) return request.#fail(answerTooLate(`no word of it came in ${firstToken} ms`));
    const left = betweenTokens - (performance.now() - request.#grewAt);
    if (left > 0) request.#timer = setTimeout(CompletionRequest.#checkTime, left, request);
    else request.#fail(answerTooLate(`it did not go on for ${betweenTokens} ms`));
  }

  #outbound(request: ModelRequest): OutboundRequest {
    const { path, headers } = this.#endpoint;
    return { method: 'POST', path, headers, body: requestBody(request, this.#model, this.#rejectedFields) };
  }

  /** But for tools: it may be the schema of one that was wrong. */
  #rememberRejected(): void {
    const { log } = this.#endpoint;
    const [model, known] = [this.#model, this.#support.rejectedFields];
    const fields = [...this.#rejectedFields].filter((field) => field !== 'tools');
    if (fields.length < this.#rejectedFields.size)
      log.warn({ model }, 'the model server rejects tools; it was asked without them');
    if (fields.every((field) => known.has(field))) return;
    this.#support.rejectedFields = new Set([...known, ...fields]);
    log.info({ model, fields }, 'the model server refuses these fields; from now on without them');
  }

  #failReading(error: unknown): void {
    this.#fail(error instanceof Refusal ? error : modelFailed(String(error)));
  }

  #finish(toolCalls = this.#stream.toolCalls()): void {
    if (this.#isSettled) return;
    this.#settle();
    const { finish, usage, length } = this.#stream;
    const ended = toolCalls.length > 0 ? 'tool_calls' : 'stop';
    this.#resolve({
      finish: finish === 'length' ? 'length' : ended,
      totalTokens: usage?.total ?? Math.ceil((this.#promptLength + length) / 4),
      promptTokens: usage?.prompt ?? Math.ceil(this.#promptLength / 4),
      completionTokens: usage?.completion ?? Math.ceil(length / 4),
      toolCalls,
    });
  }

  #fail(refusal: Refusal): undefined {
    if (this.#isSettled) return;
    this.#settle();
    this.#reject(refusal);
  }

  #settle(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
    if (this.#stream.ended) this.#exchange.release();
    else this.#exchange.stop();
  }
}

function supportOf({ support }: Endpoint, model: string): Support {
  const known = support.get(model);
  if (known) return known;
  const unknown: Support = { rejectedFields: new Set(), hasAccepted: false };
  support.set(model, unknown);
  return unknown;
}
