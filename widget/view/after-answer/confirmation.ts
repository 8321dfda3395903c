import { confirmCall, watchAnswer } from '../../chat/confirm.ts';
import { confirmationWords } from '../../words/confirmation.ts';
import type { Elements, Part } from '../elements.ts';

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

function createTable(values: [name: string, value: unknown][], create: Elements['create']): HTMLElement {
  const rows = values.map(([name, value]) => {
    const header = create('th', { scope: 'row' }, titleOf(name));
    const cell = create('td', { dir: 'auto' }, textOf(value));
    header.style.verticalAlign = 'top';
    cell.style.whiteSpace = 'pre-wrap';
    cell.style.overflowWrap = 'anywhere';
    return create('tr', {}, header, cell);
  });
  return create('div', { class: 'scroll' }, create('table', {}, ...rows));
}

/**
 * Shows the turn's pending call: its arguments, and buttons to make it or not, below the text that names it; once it was answered, the visitor's
 * Yes or No instead; once it is too late, that is said.
 */
export const show: Part = (place, chat, turn, { create, createButton }) => {
  const { pending } = turn;
  if (!pending) return;
  const { name, arguments: values, until, accepted } = pending;
  const words = { ...confirmationWords, ...chat.words.peek() };
  const isAsked = until < Infinity;
  const left = until - Date.now();
  const expire = (): void => {
    if (turn.pending !== pending) return;
    turn.pending = undefined;
    turn.status.value = { is: 'limited', message: words.expired };
  };
  if (left <= 0) return expire();
  if (isAsked) {
    setTimeout(expire, left);
    watchAnswer(chat, turn, place);
  }
  const answers = [name, words.decline].map((label, at) =>
    createButton(label, () => {
      place.replaceChildren();
      if (turn.pending === pending) void confirmCall(chat, turn, !at);
    }),
  );
  if (isAsked) place.className = 'asks';
  answers[0]!.style.cssText = 'color: var(--on); background: var(--fill)';
  const rows = Object.entries(values);
  place.append(
    create(
      'div',
      { role: 'group', 'aria-label': name },
      rows[0] ? createTable(rows, create) : '',
      create('div', { class: 'top' }, ...(isAsked ? answers : [`${name}: ${accepted ? words.yes : words.no}`])),
    ),
  );
};
