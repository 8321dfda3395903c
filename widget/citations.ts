import type { Citation, Citations } from '../server/types.ts';

function isCitation(value: unknown): value is Citation {
  const fields = value as Record<string, unknown> | null;
  return (
    typeof fields === 'object' && ['title', 'text', 'file_name'].every((name) => typeof fields?.[name] === 'string')
  );
}

/** `cite_data_json` as a table by marker; what is not a citation is left out. */
export function readCitations(json: string): Citations {
  try {
    const entries = Object.entries(JSON.parse(json) as object);
    return Object.fromEntries(entries.filter((entry): entry is [string, Citation] => isCitation(entry[1])));
  } catch {
    return {};
  }
}

/** The address of a web page; undefined for the name of an uploaded file and for any other scheme. */
export function pageAddress(fileName: string): URL | undefined {
  const url = /^https?:\/\//i.test(fileName) && URL.canParse(fileName) ? new URL(fileName) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

const ends = (words: string[], count: number): [string, string] => [
  words.slice(0, count).join(' '),
  words.slice(-count).join(' '),
];

// `-`, `,` and `&` separate the parts of a text directive; encodeURIComponent leaves the first.
const encode = (words: string): string => encodeURIComponent(words).replaceAll('-', '%2D');

/** Longest quote that is looked for as a whole, in words. */
const WHOLE_WORDS = 10;
const END_WORDS = 5;

/** `text=…` for a quote: whole when it is short and in one block, else by its first and last words. */
function textDirective(quote: string): string {
  const blocks = quote.split(/\n+/).map((block) => block.split(/\s+/).filter(Boolean));
  const filled = blocks.filter((words) => words.length > 0);
  const all = filled.flat();
  if (all.length === 0) return '';
  if (filled.length === 1 && all.length <= WHOLE_WORDS) return `text=${encode(all.join(' '))}`;
  // An exact match never crosses a block's border, a range may.
  const [start] = ends(filled[0]!, END_WORDS);
  const [, end] = ends(filled.at(-1)!, END_WORDS);
  return `text=${encode(start)},${encode(end)}`;
}

/** The page with the quote found and marked by the browser; undefined where the citation is no page. */
export function quoteAddress(citation: Citation): string | undefined {
  const url = pageAddress(citation.file_name);
  if (!url) return undefined;
  const directive = textDirective(citation.text);
  if (directive) url.hash = `${url.hash.split(':~:')[0]}:~:${directive}`;
  return url.href;
}
