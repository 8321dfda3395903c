import type { Citation } from '../../../server/types.ts';
import type { Chat } from '../../chat/types.ts';
import type { Elements, Part } from '../elements.ts';
import { linkCitation } from './quote-link.ts';

export { attend } from './attend.ts';

/** Title and host of a cited page, linked to the quote; a file has no address and is not linked. */
export function createSource(citation: Citation, chat: Chat, { create, parseSafe }: Elements): HTMLElement {
  const { title, host, href } = linkCitation(citation, parseSafe);
  const link = create('a', { class: 'jump', rel: 'noopener' }, title);
  if (href) {
    const target = chat.targetOf(href);
    Object.assign(link, { href, target });
    if (target === '_blank') link.title = chat.words.peek().newTab;
  }
  return create('p', {}, link, ' ', create('span', { class: 'host' }, host));
}

/** Lists an answer's sources: one row per page or file, with all markers that cite it. */
export const show: Part = (place, chat, turn, elements) => {
  const { create } = elements;
  const citations = turn.citations.peek();
  const pages = new Map<string, HTMLElement>();
  const rows = Object.entries(citations).flatMap(([marker, citation]) => {
    const known = pages.get(citation.file_name);
    const markers = known ?? create('span');
    markers.append(create('span', { class: 'marker' }, marker));
    pages.set(citation.file_name, markers);
    return known ? [] : create('li', {}, markers, createSource(citation, chat, elements));
  });
  place.append(create('p', {}, chat.words.peek().sources), create('ul', {}, ...rows));
};
