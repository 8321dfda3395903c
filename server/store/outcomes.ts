import { objectIn } from '../schema/json.ts';
import type { Outcome } from '../types.ts';

/** Whether a finished message answered its question; kept in its meta_json. */

export const OUTCOMES: readonly Outcome[] = ['answered', 'unsure', 'unknown'];

/** Undefined where none is noted: the message is being made, or an earlier version or another server made it. */
export function outcomeIn(metaJson: string): Outcome | undefined {
  const { outcome } = objectIn(metaJson) as { outcome?: Outcome };
  return outcome && OUTCOMES.includes(outcome) ? outcome : undefined;
}
