import { confirmCall, watchAnswer } from '../chat/confirm.ts';
import type { Turn } from '../chat/turn.ts';
import type { Chat } from '../chat/types.ts';
import { confirmationWords } from '../words/confirmation.ts';

/** By the prototype's method (embed/document-member.ts). Strings become text nodes. */
function create(tag: string, attributes: Record<string, string>, ...children: (Node | string)[]): HTMLElement {
  const element = Document.prototype.createElement.call(document, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A list of plain values has a line each. */
const textOf = (value: unknown): string =>
  [value]
    .flat()
    .map((one) => (one instanceof Object ? JSON.stringify(one) : `${one}`))
    .join('\n');

function createTable(values: [name: string, value: unknown][]): HTMLElement {
  const rows = values.map(([name, value]) => {
    const header = create('th', { scope: 'row' }, name);
    const cell = create('td', { dir: 'auto' }, textOf(value));
    header.style.verticalAlign = 'top';
    cell.style.whiteSpace = 'pre-wrap';
    cell.style.overflowWrap = 'anywhere';
    return create('tr', {}, header, cell);
  });
  return create('div', { class: 'scroll' }, create('table', {}, ...rows));
}

/**
 * Shows the turn's pending call in `place`, unless it is shown there: its arguments and two buttons, below the text that names it;
 * once it was confirmed, the visitor's Yes instead; once it is too late, the turn fails. The file is loaded when a call is to be
 * confirmed; it does without Preact, so that it needs no other file.
 */
export function show(place: HTMLElement | null, chat: Chat, turn: Turn): void {
  const { pending } = turn;
  if (!place || place.firstChild || !pending) return;
  const { name, arguments: values, expires_in } = pending;
  const words = { ...confirmationWords, ...chat.words.peek() };
  const isAsked = expires_in < Infinity;
  const expire = (): void => {
    if (turn.pending !== pending) return;
    turn.pending = undefined;
    turn.status.value = { is: 'failed', message: words.expired };
  };
  if (!expires_in) return expire();
  if (isAsked) {
    setTimeout(expire, expires_in * 1000);
    watchAnswer(chat, turn, place);
  }
  const answers = (['yes', 'no'] as const).map((answer) => {
    const button = create('button', { class: 'chip', type: 'button' }, words[answer]);
    button.onclick = () => {
      place.replaceChildren();
      if (turn.pending === pending) void confirmCall(chat, turn, answer === 'yes');
    };
    return button;
  });
  const rows = Object.entries(values);
  place.append(
    create(
      'div',
      { role: 'group', 'aria-label': name },
      rows[0] ? createTable(rows) : '',
      create('div', { class: 'top' }, ...(isAsked ? answers : [`${name}: ${words.yes}`])),
    ),
  );
}
