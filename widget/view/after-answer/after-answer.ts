import { rateAnswer } from '../../chat/rate.ts';
import type { Feedback } from '../../client/client.ts';
import { afterAnswerWords } from '../../words/after-answer.ts';
import { copyAnswer } from './copy.ts';
import { createIconButton } from './icon-button.ts';
import type { Part } from '../elements.ts';
import style from './answer.css?inline';

const COPY = 'M8 8h12v12H8zM4 16V4h12';
const RETRY = 'M20 4v6h-6m6 0a8 8 0 1 0 0 4';
const THUMB = 'M7 20v-9l4-8q3 0 2 7h6l-2 10H4v-9h3';

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

/** Gives the panel around `place` the style of answers, unless it has it or is gone. */
export function styleAnswers(place: HTMLElement): void {
  const { adoptedStyleSheets } = place.getRootNode() as Partial<ShadowRoot>;
  if (adoptedStyleSheets?.includes(sheet) === false) adoptedStyleSheets.push(sheet);
}

/** Shows the buttons of a finished answer, and after a thumb down a field for what was wrong. */
export const show: Part = (place, chat, turn, elements) => {
  const { create, createButton } = elements;
  const isAnswered = turn.status.peek().is === 'done';
  if (!isAnswered || turn.record?.parts || turn.record?.follow_ups)
    import('../parts/parts.ts').then((parts) => parts.show(place, chat, turn, elements)).catch(chat.report);
  if (!isAnswered) return;
  if (place.parentElement!.querySelector('pre'))
    import('../code/colours.ts').then(({ colourCode }) => colourCode(place.parentElement!)).catch(chat.report);
  const words = { ...afterAnswerWords, ...chat.words.peek() };
  const status = create('p', { class: 'note', role: 'status' });
  const field = create('textarea', { rows: '2', maxlength: '2000' }) as HTMLTextAreaElement;
  const rate = (rating: Feedback['rating']): void => {
    const before = turn.feedback.peek();
    rateAnswer(chat, turn, { rating, comment: (rating === before.rating && before.comment) || undefined });
  };
  const copy = createIconButton(elements, place, COPY, words.copyAnswer, async () => {
    status.textContent = (await copyAnswer(create, turn, place.parentElement!, copy)) ? words.copied : words.uncopied;
  });
  const again = createIconButton(elements, place, RETRY, words.retry, () => chat.ask(turn.query, turn));
  again.classList.add('again');
  again.hidden = !!turn.pending && turn.pending.accepted !== false;
  const up = createIconButton(elements, place, THUMB, words.helpful, () => rate(1));
  const down = createIconButton(elements, place, THUMB, words.unhelpful, () => rate(-1), '180deg');
  const send = createButton(words.send, () => rateAnswer(chat, turn, { rating: -1, comment: field.value.trim() }));
  const comment = create('div', { class: 'comment' }, create('label', {}, words.comment, field), send);
  place.append(create('div', { class: 'top' }, copy, again, up, down, status), comment);
  field.value = turn.feedback.peek().comment ?? '';
  turn.feedback.subscribe(({ rating, comment: sent, isLost }) => {
    up.setAttribute('aria-pressed', `${rating === 1}`);
    down.setAttribute('aria-pressed', `${rating === -1}`);
    status.textContent = isLost ? words.unsent : sent == null ? '' : words.thanks;
    comment.hidden = rating !== -1 || (sent != null && !isLost);
  });
};
