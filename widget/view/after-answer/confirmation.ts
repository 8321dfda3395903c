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

/** A value of more characters may need more than six lines, below which a half of the next one shows; each line break counts as 20. */
const LONG = 120;

function createTable(values: [name: string, value: unknown][], create: Elements['create']): HTMLElement {
  const rows = values.map(([name, value], at) => {
    const text = textOf(value);
    const header = create('th', { scope: 'row' }, titleOf(name));
    const shown = create('div', { dir: 'auto' }, text);
    shown.style.cssText = 'max-height: 10.4em; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere';
    const cell = create('td', {}, shown);
    // Scrolls, and so takes the focus; its end fades above the room that it leaves, which ends at the row's rule.
    if (text.replaceAll('\n', ' '.repeat(20)).length > LONG) {
      shown.tabIndex = 0;
      shown.style.cssText += 'padding-bottom: 1.6em; mask: linear-gradient(#000 calc(100% - 1.6em), #0000)';
      cell.style.paddingBottom = '0';
    }
    const line = at ? '1px solid #8883' : '0';
    header.style.cssText = `vertical-align: top; background: none; border-top: ${line}`;
    cell.style.borderTop = line;
    return create('tr', {}, header, cell);
  });
  return create('div', { class: 'scroll' }, create('table', {}, ...rows));
}

/**
 * Shows the turn's pending call: its arguments, and buttons to make it or not, below the text that names it; once it was answered, the visitor's
 * Yes or No instead; once it is too late, that is said.
 */
export const show: Part = (place, chat, turn, { create, createButton, readDocument }) => {
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
    watchAnswer(chat, turn, place, () => readDocument('hidden'));
  }
  const answers = [name, words.decline].map((label, at) =>
    createButton(label, () => {
      place.replaceChildren();
      if (turn.pending === pending) void confirmCall(chat, turn, !at);
    }),
  );
  if (isAsked) place.className = 'asks';
  answers[0]!.style.cssText = 'color: var(--on); background: var(--fill); forced-color-adjust: none';
  const rows = Object.entries(values);
  const footer = create(
    'div',
    { class: 'top' },
    ...(isAsked ? answers : [`${name}: ${accepted ? words.yes : words.no}`]),
  );
  const card = create('div', { role: 'group', 'aria-label': name });
  if (rows[0]) {
    const table = createTable(rows, create);
    table.style.cssText = 'border: 0; border-radius: 0';
    footer.style.cssText = 'padding: 12px 14px; margin: 0; border-top: 1px solid #8883';
    card.style.cssText = 'overflow: hidden; border: 1px solid #8885; border-radius: var(--round)';
    card.append(table);
  }
  card.append(footer);
  place.append(card);
};
