import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `act` again after each of `delays` (ms) as long as it rejects with an error that `isTransient` accepts; then
 * rejects with the last error. Any other error is rejected with at once. `isBackground`: the process may end meanwhile. When
 * `signal` aborts, it waits no more, and rejects with the last error.
 */
export async function retry<T>(
  act: () => Promise<T>,
  isTransient: (error: unknown) => boolean,
  delays: readonly number[],
  { isBackground = false, signal }: { isBackground?: boolean; signal?: AbortSignal } = {},
): Promise<T> {
  for (const delay of delays) {
    try {
      return await act();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await sleep(delay, undefined, { ref: !isBackground, signal }).catch(() => {
        throw error;
      });
    }
  }
  return act();
}
