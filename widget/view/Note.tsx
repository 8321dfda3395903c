import type { ButtonHTMLAttributes, ComponentChildren, VNode } from 'preact';
import type { Chat } from '../chat/types.ts';
import { safeAddress } from '../markdown/address.ts';

/** A status to show: a turn's, or the history's. */
interface NoteStatus {
  is: string;
  reason?: string | undefined;
  /** The server's message, shown as it is. */
  message?: string;
  /** Time until a retry is possible, as `1:05`. */
  left?: string;
}

/** The sentence for a status; empty where there is none. */
const noteText = ({ is, reason, message }: NoteStatus, words: Partial<Record<string, string>>): string =>
  `${message ?? words[reason ?? is] ?? words[is] ?? ''}`;

interface NoticeProps extends Omit<ButtonHTMLAttributes, 'label'> {
  kind: string;
  text: ComponentChildren;
  link?: ComponentChildren;
}

/** A sentence, a button when `onClick` is given, and a link; the other attributes and the children are the button's. */
export const Notice = ({ kind, text, link, ...button }: NoticeProps): VNode => (
  <div class={`note ${kind}`}>
    <p>{text}</p>
    {button.onClick && <button class="chip" {...button} />}
    {link}
  </div>
);

interface OwnerLinkProps {
  /** An http(s) address or an e-mail address; no link is shown for anything else. */
  address: string | undefined;
  words: string;
}

/** A link to a page of the owner's, or to a new e-mail to them. */
export function OwnerLink({ address = '', words }: OwnerLinkProps): VNode | null {
  const href = safeAddress(address.replace(/^[\w.+-]+@[\w.-]+$/, 'mailto:$&'));
  return href ? (
    <a href={href} target="_blank" rel="noopener">
      {words}
    </a>
  ) : null;
}

interface NoteProps {
  chat: Chat;
  status: NoteStatus;
  onRetry: () => void;
}

/** The sentence for a status; after a failure with a button to retry and the owner's contact. */
export function Note({ chat, status, onRetry }: NoteProps): VNode | null {
  const { is, left } = status;
  const words = chat.words.value;
  const note = noteText(status, words);
  const isOver = is === 'limited' || is === 'failed';
  return note ? (
    <Notice
      kind={isOver ? `warning ${is}` : is}
      text={note}
      link={isOver && <OwnerLink address={chat.profile.value.contact} words={words.contact} />}
      disabled={!!left}
      onClick={isOver ? onRetry : undefined}
    >
      {words.retry}
      {left && ` (${left})`}
    </Notice>
  ) : null;
}
