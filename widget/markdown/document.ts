import { openChild, type Block } from './block.ts';
import { createBlocks } from './blocks.ts';

/** A Markdown text that grows. After each call the tree is what the text so far means. */
export interface MarkdownDocument {
  readonly root: Block;
  write(chunk: string): void;
  /** No more comes: what is unfinished is taken as it stands. */
  end(): void;
}

interface Saved {
  block: Block;
  fields: Block;
  length: number;
  last: Block | undefined;
}

/** A line that is signs so far may yet be anything: a rule, a list, the line under a heading. It waits. */
const UNDECIDED = /^[\s\-=|:*_+#>`~]*(?:\d{1,3}[.)]?)?$/;

function openPath(root: Block): Block[] {
  const path: Block[] = [];
  for (let block: Block | undefined = root; block; block = openChild(block)) path.push(block);
  return path;
}

const save = (path: Block[]): Saved[] =>
  path.map((block) => ({
    block,
    fields: { ...block },
    length: block.children.length,
    last: block.children.at(-1),
  }));

function restore(saved: Saved[]): void {
  for (const { block, fields, length, last } of saved) {
    Object.assign(block, fields, { version: block.version });
    block.children.length = Math.max(0, length - 1);
    if (last) block.children.push(last);
  }
}

/**
 * Whole lines are settled at once and for good. The line that is still coming is put in on trial and taken back
 * when more of it comes, so any cutting of the text into chunks gives the same tree.
 */
export function createDocument(): MarkdownDocument {
  const parser = createBlocks();
  const { root } = parser;
  let rest = '';
  let trial: Saved[] = [];

  function settle(isEnd: boolean): void {
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = isEnd ? '' : lines.pop()!;
    for (const line of lines) if (!isEnd || line || lines.length > 1) parser.line(line, true);
  }

  function change(chunk: string, isEnd: boolean): void {
    restore(trial);
    const before = openPath(root);
    rest += chunk;
    settle(isEnd);
    const settled = openPath(root);
    trial = save(settled);
    if (isEnd) parser.close(root);
    else if (!UNDECIDED.test(rest)) parser.line(rest, false);
    const after = openPath(root);
    const touched = new Set([...before, ...settled, ...after]);
    for (const block of touched) block.version++;
    parser.readInline(after.at(-1)!);
  }

  return {
    root,
    write: (chunk) => change(chunk, false),
    end: () => change('', true),
  };
}
