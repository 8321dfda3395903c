import type { Turn } from './turn.ts';
import type { Chat } from './types.ts';

/**
 * Sends the visitor's answer to the pending call and resumes the turn, also where that was refused or did not arrive: the server
 * makes the call once, and its message says what became of it, in another tab too. Without an answer it only resumes.
 */
export async function confirmCall(chat: Chat, turn: Turn, accept?: boolean): Promise<void> {
  const { client, report } = chat;
  const { pending, status } = turn;
  turn.pending = undefined;
  status.value = { is: 'waiting' };
  chat.latest.value = turn;
  if (accept !== undefined) {
    try {
      const reply = await client.post(turn, 'confirm', { accept });
      void reply?.body?.cancel();
      turn.pending = { ...pending!, until: Infinity, accepted: accept };
    } catch (fault) {
      report(fault);
    }
    // The visitor stopped it meanwhile: that request may have come before this one, and so stopped nothing.
    if (status.peek().is === 'done') await client.post(turn, 'stop').catch(report);
    status.value = { is: 'waiting' };
  }
  chat.start(turn);
}

/** Resumes the turn once the tab is seen again after the call that `place` shows was answered in another one. */
export function watchAnswer(chat: Chat, turn: Turn, place: Node, isHidden: () => boolean): void {
  const { pending, message } = turn;
  const check = (): void => {
    if (!place.isConnected) removeEventListener('visibilitychange', check);
    else if (!isHidden())
      chat.client
        .messages(turn.session!)
        .then((records) => {
          const isAnswered = records.some(({ uuid, confirm }) => uuid === message && !confirm);
          if (isAnswered && turn.pending === pending) void confirmCall(chat, turn);
        })
        .catch(chat.report);
  };
  addEventListener('visibilitychange', check);
}
