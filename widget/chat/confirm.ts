import type { Failure } from '../client/client.ts';
import type { Turn } from './turn.ts';
import type { Chat } from './types.ts';

/**
 * Sends the visitor's answer to the pending call, once, and goes on with the turn. Where the server refuses it the turn fails with
 * the server's sentence; where it cannot be reached the turn is resumed: the call is pending again unless the answer did arrive.
 */
export async function confirmCall(chat: Chat, turn: Turn, accept: boolean): Promise<void> {
  if (!turn.pending) return;
  turn.pending = undefined;
  turn.status.value = { is: 'waiting' };
  chat.latest.value = turn;
  try {
    const reply = await chat.client.post(turn, 'confirm', { accept });
    // `start` resumes the message, and reconnects where that breaks.
    void reply?.body?.cancel();
  } catch (fault) {
    chat.report(fault);
    const { status = 0, code, error } = fault as Failure;
    if (status >= 400 && status < 500) {
      turn.status.value = { is: 'failed', reason: code, message: error };
      return;
    }
  }
  chat.start(turn);
}
