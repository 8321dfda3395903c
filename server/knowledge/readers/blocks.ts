import type { HeadLinks } from './links.ts';

/** A page or file as its reader sees it: blocks in order, each under its headings. */
export interface Readable {
  title: string;
  blocks: Block[];
  /** Of a page of HTML alone. */
  leads?: HeadLinks;
  /** What was left out, where it is more than is kept, for its owner to read. */
  cut?: string;
}

export interface Block {
  /** An `item` is one of a list or one row of a page's table; a `row`, of a table that is a file, stands for itself. */
  kind: 'heading' | 'text' | 'item' | 'row' | 'code';
  /** A heading's level, 1 to 6. */
  level?: number;
  text: string;
}

/** A page of more blocks than anybody wrote is read until there: each costs a few hundred bytes, whatever it says. */
export const MOST_BLOCKS = 200_000;

export const TOO_MANY_BLOCKS = `only the first ${MOST_BLOCKS} paragraphs are read`;

export const isHeading = (block: Block): boolean => block.kind === 'heading';

/** Characters read between two turns of the event loop, where each costs little. */
const SLICE = 16 * 1024;
/** In the order in which they are looked for; a line's end of two characters is not to be cut in two. */
const CUTS = ['\n\n', '\r\n\r\n', '\r\n', '\n', '\r', ' '];

/**
 * Pieces of `size` to twice `size` characters, cut before an empty line; in a paragraph that goes on and on, before any
 * line or word.
 */
export function* slices(text: string, size = SLICE): Generator<string> {
  for (let from = 0; from < text.length;) {
    const window = text.slice(from + size, from + 2 * size);
    const cut = CUTS.map((mark) => window.indexOf(mark)).find((at) => at >= 0);
    // Where there is no space either, half a surrogate pair must not be left behind.
    const to = from + size + (cut ?? (/[\ud800-\udbff]$/.test(window) ? window.length - 1 : window.length));
    yield text.slice(from, to);
    from = to;
  }
}
