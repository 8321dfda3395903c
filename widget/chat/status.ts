import type { FinishReason } from '../../server/types.ts';
import type { Failure } from '../client/client.ts';

/** Status of a turn: exactly one at a time. */
export interface Status {
  /**
   * `waiting`: sent, no text yet. `reconnecting`: the connection broke and is retried; `offline`: retried once there is a network.
   * `limited`: refused by the rate limit, or a call was confirmed too late. `done`, `limited` and `failed` are final.
   */
  is: 'waiting' | 'streaming' | 'reconnecting' | 'offline' | 'done' | 'limited' | 'failed';
  /** Error code or finish reason, where a note is shown for it. */
  reason?: Failure['code'] | Exclude<FinishReason, '' | 'stop'> | undefined;
  /** Shown in place of the widget's own words: the server's sentence, or the name of the tool function that runs. */
  message?: string | undefined;
  /** Of `limited`: time until the question can be asked again, as `1:05`; empty once it can. */
  left?: string;
}

/** The status of a stored message. */
export function statusOf(finish: FinishReason, response: string): Status {
  if (!finish) return { is: 'waiting' };
  // `quota`: quoted from the sources, without a model; another server may have no answer then.
  if (finish === 'stop' || (finish === 'quota' && response)) return { is: 'done' };
  return { is: finish === 'length' || finish === 'stopped' ? 'done' : 'failed', reason: finish };
}

export const hasEnded = ({ is }: Status): boolean => is === 'done' || is === 'limited' || is === 'failed';
