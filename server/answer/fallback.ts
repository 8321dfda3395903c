import type { Logger } from 'pino';
import type { Refusal } from '../schema/errors.ts';
import { createOutage, type Health } from '../health/health.ts';
import { ModelFailure } from '../model/model.ts';
import type { Clock } from '../schema/ids.ts';

/** What is done about a model that fails: the operator is told, and quotes stand in for it where they may. */
export interface Fallback {
  /** False with `FALLBACK=0`: a model that fails is an error then. */
  readonly quotes: boolean;
  /**
   * Why the model is not to be asked now, as in `ModelFailure`; undefined where it is. After `FAILURES` failures in a row it
   * is left alone for `PAUSE`, then one question is let through, and another after each further `PAUSE`, until it answers.
   */
  paused(): string | undefined;
  /** To be called when the model is asked; what it returns is for `failed`. */
  asked(): number;
  /**
   * Tells the operator, and returns the reason for the record of the message, as in `ModelFailure`. The failure of a question
   * that was `asked` before the last whole answer does not count towards a pause.
   */
  failed(refusal: Refusal, asked: number): string;
  /** To be called when an answer is whole. */
  answered(): void;
}

interface Rooms {
  health: Health;
  clock: Clock;
  log: Logger;
  /** True by default. */
  quotes?: boolean;
}

/** A model that hangs would make every visitor wait for its time-out. */
const FAILURES = 3;
/** Milliseconds. */
const PAUSE = 30_000;
/** These may be the question's own fault, which is no reason to quote to all others. */
const ONE_QUESTION = new Set(['bad_reply', 'status_400', 'status_413', 'status_422']);

export function createFallback({ health, clock, log, quotes = true }: Rooms): Fallback {
  const consequence = quotes ? 'visitors get quotes from the sources instead' : 'visitors get errors';
  const sentence = (reason: string): string => `the model does not answer (${reason}); ${consequence}`;
  const outage = createOutage({ health, clock, log, name: 'the model', key: 'model', sentence });
  let failures = 0;
  let answers = 0;
  let pause: { reason: string; until: number } | undefined;

  return {
    quotes,
    paused() {
      if (!pause) return undefined;
      const left = pause.until - clock();
      // More is left where the clock was set back.
      if (left > 0 && left <= PAUSE) {
        outage.failed(pause.reason);
        return pause.reason;
      }
      pause.until = clock() + PAUSE;
      return undefined;
    },
    asked: () => answers,
    failed(refusal, asked) {
      const reason = refusal instanceof ModelFailure ? refusal.reason : refusal.code;
      if (!ONE_QUESTION.has(reason) && asked === answers) failures += 1;
      if (quotes && failures >= FAILURES) pause = { reason, until: clock() + PAUSE };
      outage.failed(reason, (refusal.cause as Error | undefined)?.message);
      return reason;
    },
    answered() {
      answers += 1;
      failures = 0;
      pause = undefined;
      outage.succeeded();
    },
  };
}
