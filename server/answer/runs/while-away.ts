import { retry } from '../../async/retry.ts';
import { Refusal } from '../../schema/errors.ts';

/** Milliseconds in which the readers of an answer wait, in which what nobody waits for is tried, and between two attempts. */
const [AWAY_MS, BACKGROUND_MS, PAUSE_MS] = [15_000, 1_800_000, 500];

const delaysOf = (ms: number): number[] => Array<number>(ms / PAUSE_MS).fill(PAUSE_MS);

export const isAway = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'unavailable' && error.unstored;

/**
 * What `act` gives, which is repeated while a store that several processes share is away: for 15 seconds, or until `isOver`. The
 * last attempt may end later, where the store hangs.
 */
export function repeatWhileAway<T>(act: () => Promise<T>, isOver: () => boolean = () => false): Promise<T> {
  const end = performance.now() + AWAY_MS;
  return retry(act, (error) => isAway(error) && performance.now() < end && !isOver(), delaysOf(AWAY_MS));
}

/**
 * As `repeatWhileAway`, for half an hour, of what nobody waits for and fails with an error that `isTransient` accepts: the process may
 * end meanwhile.
 */
export function repeatInBackground<T>(
  act: () => Promise<T>,
  isTransient: (error: unknown) => boolean,
  isOver: () => boolean,
): Promise<T> {
  const end = performance.now() + BACKGROUND_MS;
  const goesOn = (error: unknown): boolean => isTransient(error) && performance.now() < end && !isOver();
  return retry(act, goesOn, delaysOf(BACKGROUND_MS), { isBackground: true });
}
