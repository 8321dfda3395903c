import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `act` again after each of `delays` (ms) as long as it rejects with an error that `isTransient` accepts; then
 * rejects with the last error. Any other error is rejected with at once. `isBackground`: the process may end meanwhile.
 */
export async function retry<T>(
  act: () => Promise<T>,
  isTransient: (error: unknown) => boolean,
  delays: readonly number[],
  { isBackground = false }: { isBackground?: boolean } = {},
): Promise<T> {
  for (const delay of delays) {
    try {
      return await act();
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
    await sleep(delay, undefined, { ref: !isBackground });
  }
  return act();
}
