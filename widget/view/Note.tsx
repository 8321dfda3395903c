import type { VNode } from 'preact';
import type { Chat } from '../chat.ts';
import type { Status } from '../status.ts';
import type { Turn } from '../turn.ts';
import { fill, type PanelWords } from '../words/en.ts';
import { Retry } from './Icon.tsx';

/** What is to be said of a turn beside its text; empty where there is nothing. */
export function noteOf({ is, reason, message }: Status, words: Partial<Record<string, string>>): string {
  return message ?? words[reason ?? ''] ?? (is === 'failed' || is === 'reconnecting' ? words[is]! : '');
}

function wait(left: number, words: PanelWords): string {
  const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
  return left ? fill(words.limitedFor, { time }) : '';
}

export function Note({ chat, turn }: { chat: Chat; turn: Turn }): VNode | null {
  const words = chat.words.value;
  const status = turn.status.value;
  const { is, left = 0 } = status;
  const note = noteOf(status, words);
  if (!note) return null;
  return (
    <div class={`note ${is}`}>
      <p>{note}</p>
      {is === 'limited' && <p class="wait">{wait(left, words)}</p>}
      {(is === 'limited' || is === 'failed') && (
        <Retry label={words.retry} disabled={left > 0} onClick={() => chat.retry(turn)} />
      )}
    </div>
  );
}
