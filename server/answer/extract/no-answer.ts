import type { Found } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import { phrasesFor } from './phrases.ts';

/** Links in the reply. */
const MAX_LINKS = 2;

/**
 * The reply where no passage answers, in the visitor's language: two lines or more, with links to the closest pages where
 * there are any. `acceptedLanguages` as in `phrasesFor`.
 */
export function writeNoAnswer(query: Query, found: Found[], acceptedLanguages?: readonly string[]): string {
  const { unknown, closest, otherWords } = phrasesFor(query, found, acceptedLanguages);
  const links = new Map<string, string>();
  for (const { source } of found) {
    const name = nameOf(source);
    const page = isAddress(source.file_name) ? source.file_name.replace(/#.*$/, '') : name;
    if (name && !links.has(page)) links.set(page, linkTo(name, source.file_name));
  }
  const lines = [...links.values()].slice(0, MAX_LINKS).map((link) => `- ${link}`);
  return `${unknown}\n\n${lines.length > 0 ? `${closest}\n\n${lines.join('\n')}` : otherWords}`;
}

const isAddress = (name: string): boolean => /^https?:\/\//i.test(name);

/** The title, or the address of a page without one. */
const nameOf = ({ title, file_name }: Found['source']): string =>
  collapseSpace(title) || collapseSpace(file_name.replace(/^https?:\/\//i, ''));

const collapseSpace = (text: string): string => text.replace(/[\s\p{Cf}]+/gu, ' ').trim();

function linkTo(title: string, address: string): string {
  const name = title.replace(/[\\[\]`*_<>]/g, '\\$&');
  if (!isAddress(address)) return name;
  return `[${name}](${address.replace(/[()\s<>]/g, (sign) => encodeURIComponent(sign).replace(/[()]/g, percentEncode))})`;
}

/** `encodeURIComponent` leaves parentheses as they are. */
const percentEncode = (sign: string): string => `%${sign.charCodeAt(0).toString(16)}`;
