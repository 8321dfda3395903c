import type { Logger } from 'pino';
import type { Refusal } from '../errors.ts';
import type { Health } from '../health.ts';
import { ModelFailure } from '../model/model.ts';
import type { Clock } from '../records.ts';

/** What is told of a model that fails while quotes stand in for it. */
export interface Fallback {
  /**
   * Why the model is not to be asked now, as in `ModelFailure`; undefined where it is. After `FAILURES` failures in a row it
   * is left alone for `PAUSE`, then one question is let through, and another after each further `PAUSE`, until it answers.
   */
  paused(): string | undefined;
  /** Tells the operator, and returns the reason for the record of the message, as in `ModelFailure`. */
  failed(refusal: Refusal): string;
  answered(): void;
}

interface Rooms {
  health: Health;
  clock: Clock;
  log: Logger;
}

const KEY = 'model';
/** Milliseconds between two lines of the log: a failing model fails every visitor. */
const QUIET = 60_000;
/** A model that hangs would make every visitor wait for its time-out. */
const FAILURES = 3;
/** Milliseconds. */
const PAUSE = 30_000;
/** These may be the question's own fault, which is no reason to quote to all others. */
const ONE_QUESTION = new Set(['bad_reply', 'status_400', 'status_413', 'status_422']);

export function createFallback({ health, clock, log }: Rooms): Fallback {
  let next = -Infinity;
  let unlogged = 0;
  let isDown = false;
  let failures = 0;
  let pause: { reason: string; until: number } | undefined;

  function tell(reason: string, cause?: unknown): string {
    isDown = true;
    health.report(KEY, {
      status: 'degraded',
      reason: `the model does not answer (${reason}); visitors get quotes from the sources instead`,
    });
    unlogged += 1;
    const now = clock();
    if (now >= next) {
      log.error({ err: cause, reason, answers: unlogged }, 'the model failed; its answers are quoted instead');
      next = now + QUIET;
      unlogged = 0;
    }
    return reason;
  }

  return {
    paused() {
      if (!pause) return undefined;
      const left = pause.until - clock();
      // More is left where the clock was set back.
      if (left > 0 && left <= PAUSE) return tell(pause.reason);
      pause.until = clock() + PAUSE;
      return undefined;
    },
    failed(refusal) {
      const reason = refusal instanceof ModelFailure ? refusal.reason : refusal.code;
      if (!ONE_QUESTION.has(reason)) failures += 1;
      if (failures >= FAILURES) pause = { reason, until: clock() + PAUSE };
      return tell(reason, refusal.cause);
    },
    answered() {
      failures = 0;
      pause = undefined;
      if (!isDown) return;
      isDown = false;
      health.clear(KEY);
      log.info('the model answers again');
    },
  };
}
