import { rateAnswer } from '../../chat/rate.ts';
import type { Feedback } from '../../client/client.ts';
import { afterAnswerWords } from '../../words/after-answer.ts';
import { createIconButton } from './icon-button.ts';
import type { Part } from '../elements.ts';
import style from './answer.css?inline';

const COPY = 'M8 8h12v12H8zM4 16V4h12';
const RETRY = 'M20 4v6h-6m6 0a8 8 0 1 0 0 4';
const THUMB = 'M7 20V10l4-7q4 0 2 7h5q3 0 2 3l-2 7H3V10h4';

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

const loadCopy = (): Promise<typeof import('./copy.ts')> => import('./copy.ts');

/** Elements that have a style sheet of their own, loaded with the first of them. */
const BLOCKS = '.scroll,code,hr,label,blockquote,h5,h6,li li';

/** Gives the panel around `place` the style of answers, unless it has it or is gone, and that of blocks once `place` has any. */
export function styleAnswers(place: HTMLElement): void {
  const { adoptedStyleSheets } = place.getRootNode() as Partial<ShadowRoot>;
  if (adoptedStyleSheets?.includes(sheet) === false) adoptedStyleSheets.push(sheet);
  const check = (): void => {
    if (!place.querySelector(BLOCKS)) return;
    observer.disconnect();
    import('../blocks/blocks.ts').then(({ styleBlocks }) => styleBlocks(place), Boolean);
  };
  const observer = new MutationObserver(check);
  observer.observe(place, { childList: true, subtree: true });
  check();
}

/** Shows the buttons of a finished answer, and after a thumb down the field of comment.ts. */
export const show: Part = (place, chat, turn, elements) => {
  const { create } = elements;
  const isAnswered = turn.status.peek().is === 'done';
  const { parts, follow_ups, outcome = '' } = turn.record ?? {};
  if (!isAnswered || parts || follow_ups || outcome[0] === 'u')
    import('../parts/parts.ts').then((part) => part.show(place, chat, turn, elements)).catch(chat.report);
  if (!isAnswered) return;
  if (place.parentElement!.querySelector('pre'))
    import('../code/colours.ts')
      .then(({ colourCode }) => colourCode(place.parentElement!, elements))
      .catch(chat.report);
  const words = { ...afterAnswerWords, ...chat.words.peek() };
  const status = create('p', { class: 'note', role: 'status' });
  const rate = (rating: Feedback['rating']): void => {
    const before = turn.feedback.peek();
    rateAnswer(chat, turn, { rating, comment: (rating === before.rating && before.comment) || undefined });
  };
  const copy = createIconButton(elements, place, COPY, words.copyAnswer, async () => {
    const isCopied = await loadCopy().then(
      ({ copyAnswer }) => copyAnswer(elements, turn, place.parentElement!, copy),
      () => false,
    );
    status.textContent = isCopied ? words.copied : words.uncopied;
  });
  const again = createIconButton(elements, place, RETRY, words.retry, () => chat.ask(turn.query, turn));
  again.classList.add('again');
  again.hidden = !!turn.pending && turn.pending.accepted !== false;
  // Loaded before the press: browsers copy within a moment of it.
  copy.onpointerenter = copy.onfocus = () => void loadCopy().catch(Boolean);
  const up = createIconButton(elements, place, THUMB, words.helpful, () => rate(1));
  const down = createIconButton(elements, place, THUMB, words.unhelpful, () => rate(-1), '180deg');
  place.append(create('div', { class: 'top' }, copy, again, up, down, status));
  const stored = turn.feedback.peek();
  turn.feedback.subscribe((feedback) => {
    // The panel was closed meanwhile, and has others when it is opened again.
    if (!place.isConnected) return;
    const { rating, comment: sent, isLost } = feedback;
    up.setAttribute('aria-pressed', `${rating === 1}`);
    down.setAttribute('aria-pressed', `${rating === -1}`);
    status.textContent = isLost ? words.unsent : sent == null ? '' : words.thanks;
    const comment = place.querySelector<HTMLElement>('.comment');
    // One that was rated earlier does not ask again.
    const isWanted = feedback !== stored && rating === -1 && (sent == null || isLost);
    if (comment) comment.hidden = !isWanted;
    else if (isWanted)
      import('./comment.ts').then((part) => part.show(place, chat, turn, elements, rateAnswer)).catch(chat.report);
  });
};
