import type { Found } from '../../knowledge/search/found.ts';
import { CODE_FENCE } from '../../knowledge/text/sentences.ts';
import { eachWord } from '../../knowledge/text/tokenizer.ts';
import { SENTENCE_END } from './sentences/anaphora.ts';

/** UTF-16 units up to which a section is quoted by paragraphs: a sentence of it is often no answer without the next. */
const MAX_SECTION_LENGTH = 400;
const ITEM = /^(?:-|\d{1,3}\.) /m;
const PARAGRAPH_END = /\n[ \t]*\n/g;

/** Offsets in a passage. */
export interface Range {
  start: number;
  end: number;
}

/**
 * What is quoted whole around offset `at`: an owner's answer, or a paragraph of a short section, all of it on a page that the answer
 * before quoted. Undefined where sentences are quoted one by one; of lists and tables the items asked for are.
 */
export function wholeAround({ source, headings, text, match }: Found, at: number): Range | undefined {
  if (source.type === 'qa' || match.asked) return trimmed(text, 0, text.length);
  if (headings.length === 0 || text.length > MAX_SECTION_LENGTH || text.includes(CODE_FENCE) || ITEM.test(text)) return;
  // Who asks on about a page has read one paragraph of it.
  const ends = match.quoted ? [] : Array.from(text.matchAll(PARAGRAPH_END), ({ index }) => index);
  return trimmed(text, ends.findLast((end) => end < at) ?? 0, ends.find((end) => end >= at) ?? text.length);
}

function trimmed(text: string, from: number, to: number): Range {
  const quoted = text.slice(from, to);
  return { start: from + quoted.length - quoted.trimStart().length, end: from + quoted.trimEnd().length };
}

/** Headings above a quote that are told with it: a section's own, and that of the section around it. */
const MAX_HEADINGS = 2;
/** Headings that tell nothing. In text of a PDF a syllable of a broken line may have been read as one, and pages have numbers. */
const TELLS_NOTHING = /^(?:\p{Ll}{1,3}|Page \d+)$/u;

/**
 * The headings of the section that a quote is from, as its prefix, since one such as “Exceptions” turns its meaning. Without the
 * page's own, and those whose words the quote has. In place of one that many pages have the page's title is told. `isNeeded`: the
 * page's own is told where there is no other.
 */
export function headingOver(
  { source, pageTitle, headings, commonHeadings = [] }: Found,
  quote: string,
  isNeeded: boolean,
): string {
  const [first = ''] = headings;
  const isPages = headings.length > 1 || source.type === 'qa' || isNameOf(first, pageTitle);
  const lowest = headings.slice(isPages ? 1 : 0).slice(-MAX_HEADINGS);
  const sections = lowest.filter((heading) => !commonHeadings.includes(heading));
  if (sections.length < lowest.length) sections.unshift(source.title);
  const told = sections.filter((heading) => !TELLS_NOTHING.test(heading) && !hasWordsOf(quote, heading));
  const own = isNeeded && sections.length === 0 ? [first].filter((heading) => !TELLS_NOTHING.test(heading)) : told;
  return own.map(asPrefix).join('');
}

/** A heading as it stands before a quote. */
export const asPrefix = (heading: string): string =>
  heading && (/[:：]$/.test(heading) || SENTENCE_END.test(heading) ? `${heading} ` : `${heading}: `);

/** Puts a prefix before a quote; above it where that begins with a mark of Markdown. */
export function withPrefix(prefix: string, quote: string): string {
  return /^(?:```|- |\d{1,3}\. )/.test(quote) ? `${prefix.trimEnd()}\n\n${quote}`.trimStart() : prefix + quote;
}

const isNameOf = (heading: string, title: string): boolean => hasWordsOf(title, heading) || hasWordsOf(heading, title);

function hasWordsOf(text: string, part: string): boolean {
  const words = wordsIn(text);
  return [...wordsIn(part)].every((word) => words.has(word));
}

function wordsIn(text: string): Set<string> {
  const words = new Set<string>();
  eachWord(text, (word) => words.add(word));
  return words;
}
