import type { Feedback } from '../client/client.ts';
import type { Turn } from './turn.ts';
import type { Chat } from './types.ts';

/** Sends a rating; where that fails the previous one is shown again. */
export function rateAnswer({ client, report }: Chat, turn: Turn, feedback: Feedback): void {
  const before = turn.feedback.peek();
  turn.feedback.value = feedback;
  client.post(turn, 'feedback', feedback).catch((fault: unknown) => {
    turn.feedback.value = { ...before, isLost: true };
    report(fault);
  });
}
