import type { ButtonHTMLAttributes, ComponentChildren, VNode } from 'preact';
import type { PanelWords } from '../words/en.ts';

/** A status to show: a turn's, or the history's. */
interface NoteStatus {
  is: string;
  reason?: string | undefined;
  /** The server's message, shown as it is. */
  message?: string;
  /** Seconds until a retry is possible. */
  left?: number;
}

/** The sentence for a status; empty where there is none. */
export const noteText = ({ is, reason, message }: NoteStatus, words: Partial<Record<string, string>>): string =>
  message ?? words[reason ?? is] ?? words[is] ?? '';

const formatSeconds = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

interface NoticeProps extends Omit<ButtonHTMLAttributes, 'label'> {
  kind: string;
  text: ComponentChildren;
}

/** A sentence, and a button when `onClick` is given; the other attributes and the children are the button's. */
export const Notice = ({ kind, text, ...button }: NoticeProps): VNode => (
  <div class={`note ${kind}`}>
    <p>{text}</p>
    {button.onClick && <button class="chip" {...button} />}
  </div>
);

interface NoteProps {
  words: PanelWords;
  status: NoteStatus;
  onRetry: () => void;
}

export function Note({ words, status, onRetry }: NoteProps): VNode | null {
  const { is, left } = status;
  const note = noteText(status, words);
  if (!note) return null;
  const isOver = is === 'limited' || is === 'failed';
  if (!isOver) return <Notice kind={is} text={note} />;
  return (
    <Notice kind="warning" text={note} disabled={!!left} onClick={onRetry}>
      {words.retry}
      {!!left && ` (${formatSeconds(left)})`}
    </Notice>
  );
}
