import { TimeSlice } from './time-slice.ts';

/** Enough to keep the four threads that Node reads and writes files with busy. */
const CONCURRENCY = 16;

/**
 * Calls `act` for each item, at most `concurrency` at a time, and takes items from the iterator only when they start.
 * After a rejection it starts nothing more; when all that is running has ended, it rejects with the first error. Yields
 * the event loop between time slices, so that thousands of actions without I/O do not block it.
 */
export async function forEachConcurrent<T>(
  items: Iterable<T>,
  act: (item: T) => Promise<void>,
  concurrency = CONCURRENCY,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const slice = new TimeSlice();
  let failure: { error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (let next; !failure && !(next = rest.next()).done;) {
      try {
        await act(next.value);
      } catch (error) {
        failure ??= { error };
      }
      if (slice.isOver) await slice.renew();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  if (failure) throw failure.error;
}

/** As `forEachConcurrent`, but a rejection keeps no other item from its turn: at the end it rejects with the first error. */
export async function attemptEachConcurrent<T>(items: Iterable<T>, act: (item: T) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = [];
  await forEachConcurrent(items, async (item) => {
    await act(item).catch((error: unknown) => errors.push(error));
  });
  if (errors.length > 0) throw errors[0];
}
