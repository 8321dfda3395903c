import { setTimeout as sleep } from 'node:timers/promises';

/** Acts again after each of these waits (ms) as long as it fails with what is passing; then rejects with the last failure. */
export async function retry<T>(
  act: () => Promise<T>,
  isPassing: (error: unknown) => boolean,
  waits: readonly number[],
): Promise<T> {
  for (const wait of waits) {
    try {
      return await act();
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    await sleep(wait);
  }
  return act();
}
