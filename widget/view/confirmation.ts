import { confirmCall } from '../chat/confirm.ts';
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

function createTable(name: string, values: Record<string, unknown>): HTMLElement {
  const rows = Object.entries(values).map(([key, value]) => {
    const header = create('th', { scope: 'row' }, key);
    const cell = create('td', { dir: 'auto' }, typeof value === 'string' ? value : JSON.stringify(value));
    header.style.verticalAlign = 'top';
    cell.style.whiteSpace = 'pre-wrap';
    cell.style.overflowWrap = 'anywhere';
    return create('tr', {}, header, cell);
  });
  const table = create('table', {}, create('tbody', {}, ...rows));
  return create('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': name }, table);
}

/**
 * Shows the turn's pending call in `place`, unless it is shown there: its name, its arguments, and two buttons; once it is too late,
 * the turn fails. The file is loaded when a call is to be confirmed; it does without Preact, so that it needs no other file.
 */
export function show(place: HTMLElement | null, chat: Chat, turn: Turn): void {
  const { pending } = turn;
  if (!place || place.firstChild || !pending) return;
  const { name, arguments: values, expires_in } = pending;
  const words = { ...confirmationWords, ...chat.words.peek() };
  pending.until ??= Date.now() + expires_in * 1000;
  const left = pending.until - Date.now();
  const expire = (): void => {
    if (turn.pending === pending) turn.status.value = { is: 'failed', message: words.expired };
  };
  if (left <= 0) return expire();
  setTimeout(expire, left);
  const buttons = (['yes', 'no'] as const).map((answer) => {
    const button = create('button', { class: 'chip', type: 'button' }, words[answer]) as HTMLButtonElement;
    button.onclick = () => {
      for (const one of buttons) one.disabled = true;
      void confirmCall(chat, turn, answer === 'yes');
    };
    return button;
  });
  place.setAttribute('role', 'group');
  place.setAttribute('aria-label', name);
  place.append(create('p', { dir: 'auto' }, create('strong', {}, name)));
  if (Object.keys(values)[0]) place.append(createTable(words.table, values));
  place.append(create('div', { class: 'top' }, ...buttons));
}
