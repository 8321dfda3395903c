import { fullScreen } from '../browser/full-screen.ts';
import { readDocument } from '../browser/read-document.ts';
import { parseAddress, safeAddress } from '../markdown/address.ts';
import type { Chat } from '../chat/types.ts';
import type { Turn } from '../chat/turn.ts';

/**
 * Creates an element by the prototype's method, which a page's markup cannot hide (embed/document-member.ts). Strings become text
 * nodes.
 */
function create(tag: string, attributes: Record<string, string> = {}, ...children: (Node | string)[]): HTMLElement {
  const element = readDocument('createElement').call(document, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A button with words on it. */
function createButton(words: string, onclick: () => void): HTMLElement {
  const button = create('button', { class: 'chip', type: 'button' }, words);
  button.onclick = onclick;
  return button;
}

/** Parses an address; undefined where it is invalid, or of a scheme that links must not have. */
const parseSafe = (address: string): URL | undefined => (safeAddress(address) ? parseAddress(address) : undefined);

/** What a file that is loaded later makes elements with and asks the page: it is handed over, so that such a file needs no other. */
export const elements = { create, createButton, fullScreen, readDocument, parseSafe };

export type Elements = typeof elements;

/** Fills an empty place of a turn, and keeps it in step with the turn; it does without Preact, which it would have to import. */
export type Part = (place: HTMLElement, chat: Chat, turn: Turn, elements: Elements) => void;
