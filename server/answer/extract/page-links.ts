import type { Found } from '../../knowledge/search/found.ts';
import { readParts } from '../../schema/parts.ts';
import type { Part } from '../../types.ts';

/** Links in one reply. */
const MAX_LINKS = 2;
/** Pages that stand in for an answer that failed. */
const MAX_CARDS = 3;
/** UTF-16 units of a card's title. */
const MAX_TITLE = 200;

/** Cards for the first pages among these passages: a list of one part, or of none where no passage is of a page. */
export function cardsTo(found: Pick<Found, 'source'>[]): Part[] {
  const cards = new Map<string, { title: string; url: string }>();
  for (const { source } of found) {
    const url = source.file_name.replace(/#.*$/, '');
    if (!cards.has(url)) cards.set(url, { title: nameOf(source).slice(0, MAX_TITLE).toWellFormed(), url });
  }
  const isValid = (card: object): boolean => readParts([{ type: 'link_cards', cards: [card] }]).length > 0;
  const valid = [...cards.values()].filter(isValid).slice(0, MAX_CARDS);
  return valid.length > 0 ? [{ type: 'link_cards', cards: valid }] : [];
}

/** A Markdown list of links to the first pages among these passages; '' where there is none. */
export function linksTo(found: Pick<Found, 'source'>[]): string {
  const links = new Map<string, string>();
  for (const { source } of found) {
    const name = nameOf(source);
    const page = isAddress(source.file_name) ? source.file_name.replace(/#.*$/, '') : name;
    if (name && !links.has(page)) links.set(page, linkTo(name, source.file_name));
  }
  return Array.from(links.values(), (link) => `- ${link}`)
    .slice(0, MAX_LINKS)
    .join('\n');
}

/** Signs of Markdown within a name are shown as they are. */
export const escaped = (name: string): string => name.replace(/[\\[\]`*_<>]/g, '\\$&');

const isAddress = (name: string): boolean => /^https?:\/\//i.test(name);

/** The title, or the address of a page without one. */
const nameOf = ({ title, file_name }: Found['source']): string =>
  collapseSpace(title) || collapseSpace(file_name.replace(/^https?:\/\//i, ''));

const collapseSpace = (text: string): string => text.replace(/[\s\p{Cf}]+/gu, ' ').trim();

function linkTo(title: string, address: string): string {
  const name = escaped(title);
  if (!isAddress(address)) return name;
  return `[${name}](${address.replace(/[()\s<>]/g, (sign) => encodeURIComponent(sign).replace(/[()]/g, percentEncode))})`;
}

/** `encodeURIComponent` leaves parentheses as they are. */
const percentEncode = (sign: string): string => `%${sign.charCodeAt(0).toString(16)}`;
