import type { Citation, Citations } from '../server/types.ts';

const isCitation = (value: Partial<Citation> | null): boolean =>
  [value?.title, value?.text, value?.file_name].every((field) => typeof field === 'string');

/** `cite_data_json` as a table by marker; what is not a citation is left out. */
export function readCitations(json: string): Citations {
  try {
    return Object.fromEntries(Object.entries(JSON.parse(json) as Citations).filter(([, value]) => isCitation(value)));
  } catch {
    return {};
  }
}

/** The address of a web page; undefined for the name of an uploaded file and for any other scheme. */
const pageAddress = (fileName: string): URL | undefined =>
  /^https?:\/\//i.test(fileName) && URL.canParse(fileName) ? new URL(fileName) : undefined;

/** The page's host, or the name of the file. */
export const hostOf = ({ file_name }: Citation): string =>
  pageAddress(file_name)?.host.replace(/^www\./, '') ?? file_name;

export const titleOf = (citation: Citation): string => citation.title || hostOf(citation);

// `-`, `,` and `&` separate the parts of a text directive; encodeURIComponent leaves the first.
const encode = (words: string[]): string => encodeURIComponent(words.join(' ')).replaceAll('-', '%2D');

/** Longest quote that is looked for as a whole, in words. */
const WHOLE_WORDS = 10;
const END_WORDS = 5;

/** The text directive for a quote: whole when it is short and in one block, else by its first and last words. */
function textDirective(quote: string): string {
  const blocks = quote.trim().split(/\s*\n\s*/);
  const first = blocks[0]!.split(/\s+/);
  if (blocks.length < 2 && first.length <= WHOLE_WORDS) return encode(first);
  // An exact match never crosses a block's border, a range may.
  return `${encode(first.slice(0, END_WORDS))},${encode(blocks.at(-1)!.split(/\s+/).slice(-END_WORDS))}`;
}

/** The page with the quote found and marked by the browser; undefined where the citation is no page. */
export function quoteAddress(citation: Citation): string | undefined {
  const url = pageAddress(citation.file_name);
  if (!url) return undefined;
  const directive = textDirective(citation.text);
  if (directive) url.hash = `${url.hash.split(':~:')[0]}:~:text=${directive}`;
  return url.href;
}
