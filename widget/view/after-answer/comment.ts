import { rateAnswer } from '../../chat/rate.ts';
import { commentWords } from '../../words/comment.ts';
import type { Part } from '../elements.ts';
import style from './comment.css?inline';

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

/** Shows, after a thumb down, a field for what was wrong; it is hidden once that was sent, and shown again where that failed. */
export const show: Part = (place, chat, turn, { create, createButton }) => {
  const { rating, comment: sent, isLost } = turn.feedback.peek();
  // Another rating was given while this file was loaded.
  if (rating !== -1 || (sent != null && !isLost) || place.querySelector('.comment')) return;
  const root = place.getRootNode() as ShadowRoot;
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const words = { ...commentWords, ...chat.words.peek() };
  const field = create('textarea', { rows: '2', maxlength: '2000' }) as HTMLTextAreaElement;
  field.value = sent ?? '';
  const send = createButton(words.send, () => rateAnswer(chat, turn, { rating: -1, comment: field.value.trim() }));
  const cancel = createButton(words.cancel, () => void (comment.hidden = true));
  const buttons = create('div', { class: 'top' }, send, cancel);
  const comment = create('div', { class: 'comment' }, create('label', {}, words.comment, field), buttons);
  place.append(comment);
};
