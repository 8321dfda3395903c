import { retry } from '../../async/retry.ts';
import { Refusal } from '../../schema/errors.ts';

/** Milliseconds in which the readers of an answer wait, and between two attempts. */
const [AWAY_MS, PAUSE_MS] = [15_000, 500];
const AWAY_DELAYS = Array<number>(AWAY_MS / PAUSE_MS).fill(PAUSE_MS);

export const isAway = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'unavailable' && error.unstored;

/**
 * What `act` gives, which is repeated while a store that several processes share is away: for 15 seconds, and until `isOver`. The
 * last attempt may end later, where the store hangs.
 */
export function repeatWhileAway<T>(act: () => Promise<T>, isOver: () => boolean = () => false): Promise<T> {
  const end = performance.now() + AWAY_MS;
  return retry(act, (error) => isAway(error) && performance.now() < end && !isOver(), AWAY_DELAYS);
}
