import { createBlocks } from './blocks.ts';
import { SIGNS, UNDECIDED, WHOLE } from './line.ts';
import type { Node } from './node.ts';

/** A Markdown text that grows. After each call the tree is what the text so far means. */
export interface MarkdownDocument {
  readonly root: Node;
  write(chunk: string): void;
  /** No more comes: what is unfinished is taken as it stands. */
  end(): void;
}

/** So much of a line is looked at as a whole. */
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
  let head = '';
  let isSigns = true;
  let isWhole = false;
  let isPlaced = false;

  function take(part: string): void {
    if (isPlaced) return more(part);
    kept += part;
    isSigns &&= SIGNS.test(part);
    if (head.length < HEAD) head = (head + part).slice(0, HEAD);
    const waits = isSigns && UNDECIDED.test(head);
    isWhole ||= !waits && (WHOLE.test(head) || open.at(-1)!.kind === 'table');
    if (waits || isWhole) return;
    line(kept);
    isPlaced = true;
  }

  function newLine(): void {
    if (!isPlaced) line(kept);
    endLine();
    kept = head = '';
    isSigns = true;
    isWhole = isPlaced = false;
  }

  function change(chunk: string, isEnd: boolean): void {
    const touched = [...open];
    const [, ready, rest] = /^([^]*?)([\r\ud800-\udbff]?)$/.exec(carry + chunk)!;
    carry = isEnd ? '' : rest!;
    const parts = (isEnd ? ready! + rest! : ready!).split(/\r\n|\n|\r/);
    for (const [at, part] of parts.entries()) {
      if (at > 0) newLine();
      if (part) take(part);
    }
    if (isEnd && (kept || isPlaced)) newLine();
    if (isEnd) close(1);
    for (const node of new Set([...touched, ...open])) node.version++;
  }

  return {
    root,
    write: (chunk) => change(chunk, false),
    end: () => change('', true),
  };
}
