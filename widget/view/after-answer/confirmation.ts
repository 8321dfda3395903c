import { confirmCall, watchAnswer } from '../../chat/confirm.ts';
import { confirmationWords } from '../../words/confirmation.ts';
import type { Part } from '../elements.ts';
import style from './confirmation.css?inline';

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

/** A list of plain values has a line each. */
const textOf = (value: unknown): string =>
  [value]
    .flat()
    .map((one) => (one instanceof Object ? JSON.stringify(one) : `${one}`))
    .join('\n');

/** A key of an argument (`order_id`, `orderId`) as words. */
const titleOf = (key: string): string => {
  const words = key
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words && words[0]!.toUpperCase() + words.slice(1);
};

/** A value that may need more than six lines, below which a half of the next one shows. */
const LONG = /(?:.{20}|.*\n){6}/;

/**
 * Shows the turn's pending call: what is asked, its arguments, and buttons to make it or not; once it was answered, the visitor's Yes or
 * No instead; once it is too late, that is said.
 */
export const show: Part = (place, chat, turn, { create, createButton, readDocument }) => {
  const { pending } = turn;
  if (!pending) return;
  const { name, arguments: values, until, accepted } = pending;
  const words = { ...confirmationWords, ...chat.words.peek() };
  const isAsked = until < Infinity;
  const root = place.getRootNode() as ShadowRoot;
  const left = until - Date.now();
  const expire = (): void => {
    if (turn.pending !== pending) return;
    turn.pending = undefined;
    turn.status.value = { is: 'limited', message: words.expired };
  };
  if (left <= 0) return expire();
  if (isAsked) {
    setTimeout(expire, left);
    watchAnswer(chat, turn, place, () => readDocument('hidden'));
  }
  const answers = [name, words.decline].map((label, at) =>
    createButton(label, () => {
      place.replaceChildren();
      if (turn.pending === pending) void confirmCall(chat, turn, !at);
    }),
  );
  const card = create('div', { class: 'call', role: 'group', 'aria-label': name });
  if (isAsked) {
    const title = create('strong', { dir: 'auto' }, words.asked.replace('{name}', name));
    card.append(create('div', {}, title, create('div', { class: 'note' }, words.unconfirmed)));
    place.className = 'asks';
  }
  const rows = Object.entries(values).map(([key, value]) => {
    const text = textOf(value);
    const shown = create('div', { dir: 'auto' }, text);
    // Scrolls, and so takes the focus.
    if (LONG.test(text)) shown.tabIndex = 0;
    return create('tr', {}, create('th', { scope: 'row' }, titleOf(key)), create('td', {}, shown));
  });
  if (rows[0]) card.append(create('div', { class: 'scroll' }, create('table', {}, ...rows)));
  card.append(
    create('div', { class: 'top' }, ...(isAsked ? answers : [`${name}: ${accepted ? words.yes : words.no}`])),
  );
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  place.append(card);
};
