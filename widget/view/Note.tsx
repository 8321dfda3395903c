import type { VNode } from 'preact';
import type { Chat } from '../chat.ts';
import type { Status } from '../status.ts';
import type { Turn } from '../turn.ts';
import { Retry } from './Icon.tsx';

/** What is to be said of a turn beside its text; empty where there is nothing. */
export const noteOf = ({ is, reason, message }: Status, words: Partial<Record<string, string>>): string =>
  message ?? words[reason ?? is] ?? words[is] ?? '';

const minutes = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

export function Note({ chat, turn }: { chat: Chat; turn: Turn }): VNode | null {
  const words = chat.words.value;
  const status = turn.status.value;
  const { is, left } = status;
  const note = noteOf(status, words);
  if (!note) return null;
  return (
    <div class={`note ${is}`}>
      <p>{note}</p>
      {(is === 'limited' || is === 'failed') && (
        <Retry
          label={left ? `${words.retry} (${minutes(left)})` : words.retry}
          disabled={!!left}
          onClick={() => chat.retry(turn)}
        />
      )}
    </div>
  );
}
