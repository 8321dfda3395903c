import type { HeadLinks } from './links.ts';

/** A page or file as its reader sees it: blocks in order, each under its headings. */
export interface Readable {
  title: string;
  blocks: Block[];
  /** What the header and the footer tell of how to reach those of the site, under its headings; none by default. */
  siteFacts?: Block[];
  /** Of a page of HTML alone. */
  headLinks?: HeadLinks;
  /** Which limit cut the text off, as a sentence for its owner; absent where all of it is read. */
  cut?: string;
}

export interface Block {
  /** An `item` is one of a list or one row of a page's table; a `row`, of a table that is a file, stands for itself. */
  kind: 'heading' | 'text' | 'item' | 'row' | 'code';
  /** A heading's level, 1 to 6. */
  level?: number;
  /** Number of an item of an ordered list; without one it has a bullet. */
  number?: number;
  /** Of what is in a list: the number of the outermost one on the page, whose items stay together. */
  list?: number;
  /** Spaces before the mark of an item that is nested in another, and before what else is in an item; none by default. */
  indent?: number;
  /** Of an item: it is a term with its definition, which the text before it leads to only with a colon. */
  isDefinition?: boolean;
  /** Nearly all of it is links to other pages. */
  leadsAway?: true;
  text: string;
}

/** Spaces before a mark. What is nested deeper is not indented further. */
export const MAX_INDENT = 12;

/** Blocks of one page; the rest is not read. Each takes a few hundred bytes of memory, even an empty one. */
export const MAX_BLOCKS = 200_000;

export const TOO_MANY_BLOCKS = `only the first ${MAX_BLOCKS} paragraphs are read`;

/** UTF-16 units read between two turns of the event loop, in formats where each costs little. */
const DEFAULT_SLICE_LENGTH = 16 * 1024;
/** In order of preference. `\r\n` is before its halves, so that it is not split. */
const CUTS = ['\n\n', '\r\n\r\n', '\r\n', '\n', '\r', ' '];

/**
 * Pieces of `size` to twice `size` characters, cut before an empty line; in a longer paragraph before any line or
 * word.
 */
export function* slices(text: string, size = DEFAULT_SLICE_LENGTH): Generator<string> {
  for (let from = 0; from < text.length;) {
    const window = text.slice(from + size, from + 2 * size);
    const cut = CUTS.map((mark) => window.indexOf(mark)).find((at) => at >= 0);
    // Without a space in the window, cut so that no surrogate pair is split.
    const to = from + size + (cut ?? (/[\ud800-\udbff]$/.test(window) ? window.length - 1 : window.length));
    yield text.slice(from, to);
    from = to;
  }
}
