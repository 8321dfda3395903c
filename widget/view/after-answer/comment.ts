import type { rateAnswer } from '../../chat/rate.ts';
import type { Chat } from '../../chat/types.ts';
import type { Turn } from '../../chat/turn.ts';
import { commentWords } from '../../words/comment.ts';
import type { Elements } from '../elements.ts';
import style from './comment.css?inline';

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

/**
 * Shows, after a thumb down, a field for what was wrong; it is hidden once that was sent, and shown again where that failed. `rate`
 * is handed over, so that this file needs no other.
 */
export function show(
  place: HTMLElement,
  chat: Chat,
  turn: Turn,
  { create, createButton }: Elements,
  rate: typeof rateAnswer,
): void {
  const { rating, comment: sent, isLost } = turn.feedback.peek();
  // Another rating was given while this file was loaded.
  if (rating !== -1 || (sent != null && !isLost) || place.querySelector('.comment')) return;
  const root = place.getRootNode() as ShadowRoot;
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const words = { ...commentWords, ...chat.words.peek() };
  const field = create('textarea', { rows: '2', maxlength: '2000' }) as HTMLTextAreaElement;
  field.value = sent ?? '';
  // What has the focus is hidden next.
  const leave = (): void => place.querySelector<HTMLElement>('[aria-pressed="true"]')!.focus();
  const send = createButton(words.send, () => {
    leave();
    rate(chat, turn, { rating: -1, comment: field.value.trim() });
  });
  const cancel = createButton(words.cancel, () => {
    leave();
    comment.hidden = true;
  });
  const buttons = create('div', { class: 'top' }, send, cancel);
  const comment = create('div', { class: 'comment' }, create('label', {}, words.comment, field), buttons);
  place.append(comment);
  // Into sight, above the button to the end of the text; the log scrolls, never the page around it.
  const log = place.closest('.log')!;
  log.scrollTop += Math.max(0, comment.getBoundingClientRect().bottom + 50 - log.getBoundingClientRect().bottom);
}
