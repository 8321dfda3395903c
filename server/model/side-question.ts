import { OutboundFailure } from '../outbound/failures.ts';
import { jsonIn } from '../schema/json.ts';
import type { Clock } from '../schema/ids.ts';
import type { Model, ModelRequest } from './model.ts';
import { withoutThinking } from './thinking.ts';

/** The answer that waits for a reply. */
export interface Stoppable {
  readonly stopped: boolean;
  /** Called when it is stopped. */
  onStop: (() => void) | undefined;
}

export interface SideReply<T> {
  /** Undefined without a usable reply in time. */
  value: T | undefined;
  /** Of the call; 0 where it failed or none was made. */
  tokens: number;
}

/**
 * Calls in a row that failed or came too late, after which no other is made for so many milliseconds: visitors wait for them. A
 * visitor can cause unusable replies, which do not count.
 */
const [MAX_FAILURES, PAUSE_MS] = [3, 30_000];

/** Failures that one question may cause by itself; they do not pause the model for all others. */
const CAUSED_BY_QUESTION = new Set(['bad_reply', 'status_400', 'status_413', 'status_422']);
export const isCausedByQuestion = (reason: string): boolean => CAUSED_BY_QUESTION.has(reason);

/** Calls of one owner to one model. */
type Asked = Pick<ModelRequest, 'model' | 'owner'>;
const keyOf = ({ model = '', owner = '' }: Asked): string => `${owner} ${model}`;

/** Short questions to a model beside its answers: the reply to each is one JSON object. */
export class SideQuestions {
  readonly #model: Model;
  readonly #clock: Clock;
  readonly #timeout: number;
  /** Since the last reply, by owner and model. */
  readonly #failures = new Map<string, { count: number; pausedUntil: number }>();

  /** `timeout`: milliseconds of each. */
  constructor(model: Model, clock: Clock, timeout: number) {
    this.#model = model;
    this.#clock = clock;
    this.#timeout = timeout;
  }

  /** None is asked for a while after failures in a row. */
  isPaused(asked: Asked): boolean {
    const remaining = (this.#failures.get(keyOf(asked))?.pausedUntil ?? 0) - this.#clock();
    // More than a pause remains where the clock was set back.
    return remaining > 0 && remaining <= PAUSE_MS;
  }

  /**
   * What `read` makes of the reply. Never rejects: what is wrong with the
   * model, the call of an answer reports. `answer.onStop` ends the call.
   */
  async ask<T>(
    request: ModelRequest,
    read: (reply: unknown) => T | undefined,
    answer: Stoppable,
  ): Promise<SideReply<T>> {
    if (answer.stopped || this.isPaused(request)) return { value: undefined, tokens: 0 };
    let reply = '';
    let [isLate, hasFailed] = [false, false];
    let tokens = 0;
    let value: T | undefined;
    try {
      const generation = this.#model.generate(request, (piece) => (reply += piece));
      const timer = setTimeout(() => {
        isLate = true;
        generation.stop();
      }, this.#timeout);
      answer.onStop = () => generation.stop();
      const { totalTokens } = await generation.done.finally(() => clearTimeout(timer));
      tokens = totalTokens;
      value = isLate || answer.stopped ? undefined : read(objectInReply(reply));
    } catch (error) {
      // The same as no reply.
      hasFailed = !(error instanceof OutboundFailure && isCausedByQuestion(error.reason));
    }
    if (!answer.stopped) this.#count(keyOf(request), isLate || hasFailed);
    return { value, tokens };
  }

  #count(key: string, hasFailed: boolean): void {
    if (!hasFailed) return void this.#failures.delete(key);
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    this.#failures.set(key, { count, pausedUntil: count < MAX_FAILURES ? 0 : this.#clock() + PAUSE_MS });
  }
}

/** The object of a model's reply; undefined where there is none. Some models write a code fence or a sentence around it. */
export function objectInReply(reply: string): unknown {
  const text = withoutThinking(reply);
  return jsonIn(text.slice(Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1));
}
