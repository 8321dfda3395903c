import type { ButtonHTMLAttributes, ComponentChildren, VNode } from 'preact';
import type { PanelWords } from '../words/en.ts';

/** How something stands; a turn's status is one. */
interface NoteStatus {
  is: string;
  reason?: string | undefined;
  /** In the server's words. */
  message?: string;
  /** Seconds until it can be tried again. */
  left?: number;
}

/** What is to be said of it; empty where there is nothing. */
export const noteText = ({ is, reason, message }: NoteStatus, words: Partial<Record<string, string>>): string =>
  message ?? words[reason ?? is] ?? words[is] ?? '';

const formatSeconds = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

interface NoticeProps extends Omit<ButtonHTMLAttributes, 'label'> {
  kind: string;
  text: ComponentChildren;
}

/** A sentence, and under it a button where there is something to be done about it: its attributes and children. */
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
