import type { Logger } from 'pino';
import { Refusal } from '../schema/errors.ts';
import type { Generated } from '../model/model.ts';
import { isCausedByQuestion } from '../model/side-question.ts';
import { createOutage, type Health } from '../health/health.ts';
import { OutboundFailure } from '../outbound/failures.ts';
import type { Clock } from '../schema/ids.ts';

/** What happens when one model fails: the log and /readyz show it, and quotes replace its answer unless FALLBACK=0. */
export interface Fallback {
  /** False with `FALLBACK=0`: the visitor gets an error then. */
  readonly quotes: boolean;
  /**
   * The reason why the model must not be asked now; undefined where it may. After `MAX_FAILURES` failures in a
   * row it is paused for `PAUSE_MS`. Then one question is let through, and another after each further pause, until it answers.
   */
  paused(): string | undefined;
  /** As `paused`, but lets no question through. */
  pausedFor(): string | undefined;
  /** To be called when the model is asked. Returns the number of complete answers so far, for `failed`. */
  begin(): number;
  /**
   * Reports the outage, and returns its reason. A question that began before the last complete answer does not count
   * towards a pause.
   */
  failed(refusal: Refusal, answersAtStart: number): string;
  /** To be called when an answer is complete. */
  succeeded(): void;
}

interface FallbackOptions {
  health: Health;
  clock: Clock;
  log: Logger;
  /** True by default. */
  quotes?: boolean;
  /** Where the operator named it. */
  model?: string | undefined;
}

/**
 * The fallback of the model that an agent names. What is one at the server has one, so that a model which the server does not
 * know, or which is slow, is paused alone.
 */
export function createFallbacks(
  options: Omit<FallbackOptions, 'model'>,
  nameAtServer: (model: string) => string | undefined,
): (model: string) => Fallback {
  const fallbacks = new Map<string | undefined, Fallback>();
  return (named) => {
    const model = nameAtServer(named);
    const known = fallbacks.get(model);
    if (known) return known;
    const fallback = createFallback({ ...options, model });
    fallbacks.set(model, fallback);
    return fallback;
  };
}

/** Failures in a row before a pause: without one, a model that hangs makes every visitor wait for its time-out. */
const MAX_FAILURES = 3;
const PAUSE_MS = 30_000;

export function createFallback({ health, clock, log, quotes = true, model }: FallbackOptions): Fallback {
  const consequence = quotes ? 'new questions are answered with quotes from the sources' : 'visitors get errors';
  const name = model === undefined ? 'the model' : `the model ${model}`;
  const sentence = (reason: string): string => `${name} does not answer (${reason}); ${consequence}`;
  const outage = createOutage({
    health,
    clock,
    log,
    name,
    key: model === undefined ? 'model' : `model:${model}`,
    sentence,
  });
  let failures = 0;
  let answers = 0;
  /** `isTried`: a question was let through. */
  let pause: { reason: string; until: number; isTried?: boolean } | undefined;

  return {
    quotes,
    paused() {
      if (!pause) return undefined;
      const remaining = pause.until - clock();
      // More than a pause remains where the clock was set back.
      if (remaining > 0 && remaining <= PAUSE_MS) {
        outage.failed(pause.reason);
        return pause.reason;
      }
      pause.until = clock() + PAUSE_MS;
      pause.isTried = true;
      return undefined;
    },
    pausedFor: () => pause?.reason,
    begin: () => answers,
    failed(refusal, answersAtStart) {
      const reason = refusal instanceof OutboundFailure ? refusal.reason : refusal.code;
      if (reason === 'overloaded') {
        // The model was not asked: the next question is let through instead.
        if (pause?.isTried) pause = { reason: pause.reason, until: clock() };
        return reason;
      }
      if (!isCausedByQuestion(reason) && answersAtStart === answers) failures += 1;
      if (quotes && failures >= MAX_FAILURES) pause = { reason, until: clock() + PAUSE_MS };
      outage.failed(reason, (refusal.cause as Error | undefined)?.message);
      return reason;
    },
    succeeded() {
      answers += 1;
      failures = 0;
      pause = undefined;
      outage.succeeded();
    },
  };
}

/** How a model's answer has ended. */
export interface GenerationResult {
  finish: Generated['finish'] | 'error';
  totalTokens: number;
  /** Of the check of citations. */
  checkTokens?: number;
  refusal?: Refusal;
}

/** The text before the failure stays, with its citations. */
export function generationError(error: unknown): GenerationResult {
  if (error instanceof Refusal) return { finish: 'error', totalTokens: 0, refusal: error };
  throw error;
}
