import { retry } from '../../async/retry.ts';
import { Refusal } from '../../schema/errors.ts';

/** Milliseconds between attempts: 15 seconds, in which the readers of an answer wait. */
const AWAY_DELAYS = Array<number>(30).fill(500);

export const isAway = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'unavailable' && error.unstored;

/** What `act` gives, which is repeated while a store that several processes share is away. */
export const repeatWhileAway = <T>(act: () => Promise<T>): Promise<T> => retry(act, isAway, AWAY_DELAYS);
