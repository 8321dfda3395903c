import type { Citation, Citations } from '../../server/types.ts';
import { parseAddress, safeAddress } from '../markdown/address.ts';

/** `cite_data_json` as a table by marker; what quotes nothing is left out. */
export function readCitations(json: string): Citations {
  try {
    const all = Object.entries(JSON.parse(json) as Citations);
    return Object.fromEntries(all.filter(([, one]) => typeof one?.text === 'string'));
  } catch {
    return {};
  }
}

// `-`, `,` and `&` separate the parts of a text directive; encodeURIComponent leaves the first.
const encodeWords = (words: string[]): string => encodeURIComponent(words.join(' ').trim()).replaceAll('-', '%2D');

/** Longest quote that is looked for as a whole, in words. */
const MAX_WHOLE_WORDS = 10;
const END_WORDS = 5;

/** The text directive for a quote: whole when it is short and in one block, else by its first and last words. */
function textDirective(quote: string): string {
  const blocks = quote.trim().split('\n');
  const first = blocks[0]!.split(/\s+/);
  const last = blocks.pop()!.split(/\s+/);
  if (!blocks[0] && !first[MAX_WHOLE_WORDS]) return encodeWords(first);
  // An exact match never crosses a block's border, a range may.
  return `${encodeWords(first.slice(0, END_WORDS))},${encodeWords(last.slice(-END_WORDS))}`;
}

/** Where a quote stands. */
export interface CitationLink {
  title: string;
  /** The page's host, or the name of the file. */
  host: string;
  /** The page with the quote found and marked by the browser; undefined for a file. */
  href: string | undefined;
}

export function linkCitation({ title, text, file_name }: Citation): CitationLink {
  const url = safeAddress(file_name) ? parseAddress(file_name) : undefined;
  const host = url?.host || file_name;
  if (url) url.hash += `:~:text=${textDirective(text)}`;
  return { title: title || host, host, href: url?.href };
}
