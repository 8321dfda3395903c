import type { Refusal } from '../errors.ts';

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
