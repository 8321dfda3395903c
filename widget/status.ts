import type { FinishReason } from '../server/types.ts';
import type { Failure } from './client.ts';

/** Where a turn stands: one thing at a time. */
export type Status =
  /** Asked; no text has come. */
  | { is: 'waiting' }
  | { is: 'streaming' }
  /** The connection was cut in the middle and is being made again. */
  | { is: 'reconnecting' }
  | { is: 'done'; finish: 'stop' | 'length' | 'stopped' }
  /** Too many questions. `until`: milliseconds since 1970. */
  | { is: 'limited'; message: string; until: number }
  | { is: 'failed'; code: Failure['code'] | 'error' | 'interrupted' | 'quota' };

/** The status of a stored message. */
export function statusOf(finish: FinishReason): Status {
  if (finish === '') return { is: 'waiting' };
  if (finish === 'stop' || finish === 'length' || finish === 'stopped') return { is: 'done', finish };
  return { is: 'failed', code: finish };
}
