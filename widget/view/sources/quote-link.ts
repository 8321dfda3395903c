import type { Citation } from '../../../server/types.ts';

// `-`, `,` and `&` separate the parts of a text directive; encodeURIComponent does not escape `-`, and throws at half a character.
const encodeWords = (words: string[]): string =>
  encodeURIComponent(
    words
      .join(' ')
      .replace(/\p{Cs}/gu, '')
      .trim(),
  ).replaceAll('-', '%2D');

/** Index of the last word of a quote that is put into the directive whole; longer ones are given by their ends. */
const MAX_WHOLE_WORDS = 10;
const END_WORDS = 5;

/** Text directive (`#:~:text=`) of a quote: the whole quote when it is short and in one block, else its first and last words. */
function textDirective(quote: string): string {
  const blocks = quote.trim().split('\n');
  const first = blocks[0]!.split(/\s+/);
  const last = blocks.pop()!.split(/\s+/);
  if (!blocks[0] && !first[MAX_WHOLE_WORDS]) return encodeWords(first);
  // Browsers match exact text within one block only; a range may span several.
  return `${encodeWords(first.slice(0, END_WORDS))},${encodeWords(last.slice(-END_WORDS))}`;
}

/** Link to the page or file that a citation quotes. */
interface CitationLink {
  title: string;
  /** The page's host, or the name of the file. */
  host: string;
  /** Address of the page with a text directive, so that the browser scrolls to the quote; undefined for a file. */
  href: string | undefined;
}

/** `parse`: parses an address; undefined where it is invalid, or of a scheme that links must not have. */
export function linkCitation(
  { title, text, file_name }: Citation,
  parse: (address: string) => URL | undefined,
): CitationLink {
  const url = parse(file_name);
  const host = url?.host || file_name;
  if (url) url.hash += `:~:text=${textDirective(text)}`;
  return { title: title || host, host, href: url?.href };
}
