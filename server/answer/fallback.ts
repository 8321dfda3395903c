import type { Logger } from 'pino';
import type { Refusal } from '../errors.ts';
import type { Health } from '../health.ts';
import { ModelFailure } from '../model/model.ts';
import type { Clock } from '../records.ts';

/** What is told of a model that fails while quotes stand in for it. */
export interface Fallback {
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

export function createFallback({ health, clock, log }: Rooms): Fallback {
  let next = -Infinity;
  let unlogged = 0;
  let isDown = false;

  return {
    failed(refusal) {
      const reason = refusal instanceof ModelFailure ? refusal.reason : refusal.code;
      isDown = true;
      health.report(KEY, {
        status: 'degraded',
        reason: `the model does not answer (${reason}); visitors get quotes from the sources instead`,
      });
      unlogged += 1;
      const now = clock();
      if (now >= next) {
        log.error(
          { err: refusal.cause, reason, answers: unlogged },
          'the model failed; its answers are quoted instead',
        );
        next = now + QUIET;
        unlogged = 0;
      }
      return reason;
    },
    answered() {
      if (!isDown) return;
      isDown = false;
      health.clear(KEY);
      log.info('the model answers again');
    },
  };
}
