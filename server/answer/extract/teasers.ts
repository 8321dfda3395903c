import type { Found } from '../../knowledge/search/found.ts';

/** UTF-16 units of a text under a heading that only leads to another page. */
const MAX_LENGTH = 250;
/** The least share of its score with which the page that it leads to is preferred. */
const MIN_SHARE = 0.75;

/**
 * Whether a passage only leads to a page that has been found: a card of a start page, with that page's heading and a line of what
 * it tells.
 */
export function isTeaser({ source, headings, text, score }: Found, found: readonly Found[]): boolean {
  const heading = nameOf(headings.at(-1));
  // Below its own name a page tells what it is about.
  if (headings.length < 2 || heading === nameOf(headings[0])) return false;
  if (heading === '' || text.length > MAX_LENGTH || source.type === 'qa') return false;
  return found.some(
    (other) =>
      other.source.uuid !== source.uuid &&
      other.score >= MIN_SHARE * score &&
      (nameOf(other.headings[0]) === heading || nameOf(other.source.title) === heading) &&
      nameOf(source.title) !== heading,
  );
}

const nameOf = (heading = ''): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
