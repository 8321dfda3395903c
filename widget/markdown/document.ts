import type { Block } from './block.ts';
import { createBlocks } from './blocks.ts';

/** A Markdown text that grows. After each call the tree is what the text so far means. */
export interface MarkdownDocument {
  readonly root: Block;
  write(chunk: string): void;
  /** No more comes: what is unfinished is taken as it stands. */
  end(): void;
}

/** A line that is signs so far may yet be anything: a rule, a list, the line under a heading. It waits. */
const UNDECIDED = /^[\s\-=|:*_+#>`~]*(?:\d{1,3}[.)]?)?$/;

/** What takes an open block back to how it is now. */
function undoOf(block: Block): () => void {
  const fields = { ...block };
  const { length } = block.children;
  const last = block.children.at(-1);
  return () => {
    Object.assign(block, fields, { version: block.version });
    block.children.length = Math.max(0, length - 1);
    if (last) block.children.push(last);
  };
}

/**
 * Whole lines are settled at once and for good. The line that is still coming is put in on trial and taken back
 * when more of it comes, so any cutting of the text into chunks gives the same tree.
 */
export function createDocument(): MarkdownDocument {
  const { open, line, close, readInline } = createBlocks();
  const root = open[0]!;
  let rest = '';
  let undo = (): void => undefined;

  function settle(isEnd: boolean): void {
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = isEnd ? '' : lines.pop()!;
    for (const each of lines) if (!isEnd || each || lines[1] !== undefined) line(each, true);
  }

  function change(chunk: string, isEnd: boolean): void {
    undo();
    const touched = [...open];
    rest += chunk;
    settle(isEnd);
    const settled = [...open];
    const undos = settled.map(undoOf);
    undo = () => {
      open.splice(0, Infinity, ...settled);
      for (const back of undos) back();
    };
    if (isEnd) close(1);
    else if (!UNDECIDED.test(rest)) line(rest, false);
    for (const block of new Set([...touched, ...settled, ...open])) block.version++;
    readInline(open.at(-1)!, true);
  }

  return {
    root,
    write: (chunk) => change(chunk, false),
    end: () => change('', true),
  };
}
