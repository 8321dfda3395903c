import type { Turn } from './turn.ts';
import type { Chat } from './types.ts';

/**
 * Sends the visitor's answer to the pending call and resumes the turn, also where that was refused or did not arrive: the server
 * makes the call once, and its message says what became of it, in another tab too.
 */
export async function confirmCall(chat: Chat, turn: Turn, accept: boolean): Promise<void> {
  const { client, report } = chat;
  if (!turn.pending) return;
  turn.pending = undefined;
  turn.status.value = { is: 'waiting' };
  chat.latest.value = turn;
  try {
    const reply = await client.post(turn, 'confirm', { accept });
    void reply?.body?.cancel();
  } catch (fault) {
    report(fault);
  }
  // The visitor stopped it meanwhile: that request may have come before this one, and so stopped nothing.
  if (turn.status.peek().is === 'done') await client.post(turn, 'stop').catch(report);
  turn.status.value = { is: 'waiting' };
  chat.start(turn);
}
