import type { VNode } from 'preact';
import type { PanelWords } from '../words/en.ts';

/** How something stands; a turn's status is one. */
interface Standing {
  is: string;
  reason?: string | undefined;
  /** In the server's words. */
  message?: string;
  /** Seconds until it can be tried again. */
  left?: number;
}

/** What is to be said of it; empty where there is nothing. */
export const noteOf = ({ is, reason, message }: Standing, words: Partial<Record<string, string>>): string =>
  message ?? words[reason ?? is] ?? words[is] ?? '';

const minutes = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

interface NoteProps {
  words: PanelWords;
  status: Standing;
  onRetry: () => void;
}

export function Note({ words, status, onRetry }: NoteProps): VNode | null {
  const { is, left } = status;
  const note = noteOf(status, words);
  if (!note) return null;
  const isOver = is === 'limited' || is === 'failed';
  return (
    <div class={`note ${isOver ? 'warning' : is}`}>
      <p>{note}</p>
      {isOver && (
        <button class="chip" disabled={!!left} onClick={onRetry}>
          {words.retry}
          {!!left && ` (${minutes(left)})`}
        </button>
      )}
    </div>
  );
}
