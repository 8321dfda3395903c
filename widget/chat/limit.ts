import type { VisitorMessage } from '../../server/types.ts';
import type { Failure } from '../client/client.ts';
import type { Turn } from './turn.ts';
import type { Chat } from './types.ts';

/** Handed over: this file is loaded with the first limit, and needs no other. */
interface Steps {
  saveQuestion(chat: Chat, turn: Turn, isUnsent: boolean): void;
  applyRecord(turn: Turn, record: VisitorMessage): void;
  isShown(chat: Chat, turn: Turn): boolean;
  sleep(ms: number, chat: Chat): Promise<unknown>;
}

const formatSeconds = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/** Ends a turn that a rate limit has refused: its status counts down, `left`, until it can be asked again. */
export async function countDown(
  chat: Chat,
  turn: Turn,
  { error: message = '', retry_after = 60 }: Failure,
  { saveQuestion, applyRecord, isShown, sleep }: Steps,
): Promise<void> {
  const until = performance.now() + retry_after * 1000;
  // The answer that was to be replaced stays.
  if (turn.replaces && turn.earlier) {
    saveQuestion(chat, turn, false);
    turn.message = turn.replaces;
    applyRecord(turn, turn.earlier);
  }
  chat.emit('rate-limit', { message, retry_after });
  while (isShown(chat, turn)) {
    const left = Math.max(0, Math.ceil((until - performance.now()) / 1000));
    turn.status.value = { is: 'limited', message, left: left ? formatSeconds(left) : '' };
    if (!left) return;
    await sleep(1000, chat);
  }
}
