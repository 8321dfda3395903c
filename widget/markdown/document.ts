import { createBlocks } from './blocks.ts';
import { UNDECIDED, WHOLE } from './line.ts';
import type { Node } from './node.ts';

/** A Markdown text that grows. After each call the tree is what the text so far means. */
export interface MarkdownDocument {
  readonly root: Node;
  write(chunk: string): void;
  /** No more comes: what is unfinished is taken as it stands. */
  end(): void;
}

/** What so much of a line does not decide is decided when it is whole. */
const HEAD = 99;

/**
 * The start of a line is kept until it is clear what the line is; from then on its characters go straight to where they belong.
 * So no character is looked at twice for being in another chunk, and any cutting of the text gives the same tree.
 */
export function createDocument(): MarkdownDocument {
  const { open, line, more, endLine, close } = createBlocks();
  const root = open[0]!;
  /** The end of a chunk that is half of something: of a line's end, of a character. */
  let carry = '';
  /** The line as long as it is not placed. */
  let kept = '';
  let isWhole = false;
  let isPlaced = false;

  function take(part: string): void {
    if (isPlaced) return more(part);
    kept += part;
    if (isWhole) return;
    const head = kept.slice(0, HEAD);
    const waits = UNDECIDED.test(head);
    isWhole = waits ? head.length === HEAD : WHOLE.test(head) || open.at(-1)!.kind === 'table';
    isPlaced = !waits && !isWhole;
    if (isPlaced) line(kept);
  }

  function newLine(): void {
    if (!isPlaced) line(kept);
    endLine();
    kept = '';
    isWhole = isPlaced = false;
  }

  function change(chunk: string, isEnd = false): void {
    const text = carry + chunk;
    carry = isEnd ? '' : /[\r\ud800-\udbff]?$/.exec(text)![0];
    const parts = text.slice(0, text.length - carry.length).split(/\r\n?|\n/);
    parts.forEach((part, at) => {
      if (at) newLine();
      if (part) take(part);
    });
    if (isEnd) {
      if (kept || isPlaced) newLine();
      close(1);
    }
    for (const node of open) node.version++;
  }

  return { root, write: (chunk) => change(chunk), end: () => change('', true) };
}
