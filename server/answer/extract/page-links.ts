import type { Found } from '../../knowledge/search/found.ts';

/** Links in one reply. */
const MAX_LINKS = 2;

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
