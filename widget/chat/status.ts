import type { FinishReason } from '../../server/types.ts';
import type { Failure } from '../client/client.ts';

/** Where a turn stands: one thing at a time. */
export interface Status {
  /**
   * `waiting`: asked, no text has come. `reconnecting`: cut in the middle, the connection is being made again; `offline`: as soon as
   * there is a network. `limited`: too many questions. The last three are ends: nothing more comes by itself.
   */
  is: 'waiting' | 'streaming' | 'reconnecting' | 'offline' | 'done' | 'limited' | 'failed';
  /** Why it is so, where there is something to say of it. */
  reason?: Failure['code'] | Exclude<FinishReason, '' | 'stop'> | undefined;
  /** The server's words on the limit. */
  message?: string | undefined;
  /** Seconds until another question is taken. */
  left?: number;
}

/** The status of a stored message. */
export function statusOf(finish: FinishReason): Status {
  if (!finish) return { is: 'waiting' };
  if (finish === 'stop') return { is: 'done' };
  return { is: finish === 'length' || finish === 'stopped' ? 'done' : 'failed', reason: finish };
}

export const hasEnded = ({ is }: Status): boolean => is === 'done' || is === 'limited' || is === 'failed';
