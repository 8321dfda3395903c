import type { Refusal } from '../schema/errors.ts';

interface UnderWay<T> {
  done: Promise<T>;
  /** `done` then resolves with what there was. */
  stop(): void;
}

/** Stops the work after `ms` milliseconds; its `done` then rejects with what `late` makes. */
export function withDeadline<T>(work: UnderWay<T>, ms: number, late: () => Refusal): UnderWay<T> {
  const done = new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      // First: a stop resolves.
      reject(late());
      work.stop();
    }, ms);
    work.done.then(resolve, reject).finally(() => clearTimeout(timer));
  });
  return { done, stop: () => work.stop() };
}

/** Steps of one piece of work, one after the other, under one time limit. */
export interface Steps {
  /**
   * Waits for a step. Once the work has ended early it rejects, and the step is stopped; a step without `stop` goes on, and
   * nobody waits for it.
   */
  take<T>(step: { done: Promise<T>; stop?(): void }): Promise<T>;
  /** Ends the work early: `take` rejects with the reason, now and from now on. */
  end(reason: Error): void;
  /** To be called when the work is done. */
  clear(): void;
}

/** Ends the work after `ms` milliseconds with what `late` makes. */
export function createSteps(ms: number, late: () => Refusal): Steps {
  let current: (() => void) | undefined;
  let isEnded = false;
  let reject!: (reason: Error) => void;
  const early = new Promise<never>((_, fail) => (reject = fail));
  // It may come between two steps.
  early.catch(() => {});

  function end(reason: Error): void {
    isEnded = true;
    clearTimeout(timer);
    reject(reason);
    current?.();
  }
  const timer = setTimeout(() => end(late()), ms);

  return {
    take({ done, stop }) {
      current = stop;
      if (isEnded) stop?.();
      return Promise.race([early, done]);
    },
    end,
    clear: () => clearTimeout(timer),
  };
}
