import { unescape } from './entity.ts';
import { createReader, linkOf, normalLabel, type Definitions } from './inline.ts';
import {
  HEADING,
  FENCE,
  CLOSING_FENCE,
  RULE,
  SETEXT,
  QUOTE,
  ITEM,
  DASHES,
  isBlank,
  indentOf,
  expandTabs,
  cellsOf,
  alignOf,
} from './line.ts';
import { addText, createNode, type Node } from './node.ts';
import { DEFINITION, find, mayBecome } from './pattern.ts';

/** Lines become a tree. */
export interface Blocks {
  /** The blocks that the next line may go on, each in the one before; the first is the document. */
  readonly open: Node[];
  /** A line, or so much of its start that what it is stands fast. */
  line(start: string): void;
  /** More of that line. */
  more(text: string): void;
  endLine(): void;
  /** Closes all but the first `depth`, the innermost first. */
  close(depth: number): void;
}

/** Blocks inside each other; more are text. (A list and its item are two.) */
const DEEPEST = 32;

/** A quote, a list, an item. */
const isContainer = ({ kind }: Node): boolean => /^(?:bl|li)/.test(kind);
const isParagraph = (node: Node | undefined): boolean => node?.kind === 'p';

function endsWithBlank({ endsBlank, kind, children }: Node): boolean {
  const last = children.at(-1);
  return endsBlank || (kind !== 'blockquote' && last !== undefined && endsWithBlank(last));
}

/** Puts lines into a tree of blocks, one after another, never looking back further than the open ones. */
export function createBlocks(): Blocks {
  const open = [createNode('plain')];
  const definitions: Definitions = new Map();
  const reader = createReader(definitions);
  /** What of the open leaf is not in it yet: what may be a definition or the head of a table, blank lines of code. */
  let held = '';
  /** All of the paragraph that is read. */
  let read = '';
  /** The last line of the paragraph begins with a pipe: it may be the head of a table, and is held. */
  let isRow = false;
  /** The open leaf is code, and the line is in it. */
  let isCode = false;

  const leaf = (): Node => open.at(-1)!;

  /** Follows the open containers as far as the line continues them; what is left of it is for the last. */
  function line(raw: string): void {
    isCode = false;
    let rest = expandTabs(raw);
    let depth = 1;
    for (; open[depth] && isContainer(open[depth]!); depth++) {
      const inner = continued(open[depth]!, rest);
      if (inner === undefined) break;
      rest = inner;
    }
    if (open[depth]?.kind === 'pre' && continueCode(open[depth]!, rest, depth > 1 ? rest : raw)) return;
    if (!isBlank(rest)) return place(depth, rest);
    close(depth);
    const before = leaf().children.at(-1);
    if (before) before.endsBlank = true;
  }

  /** What is left of the line inside a container, or undefined where the line is no part of it. */
  function continued({ kind, children, level }: Node, line: string): string | undefined {
    if (kind === 'list') return line;
    if (kind === 'blockquote') return QUOTE.test(line) ? line.replace(QUOTE, '') : undefined;
    if (isBlank(line)) return children[0] && '';
    return indentOf(line) < level ? undefined : line.slice(level);
  }

  /** True when the line belongs to the code. */
  function continueCode(code: Node, line: string, raw: string): boolean {
    if (code.mark) {
      if (CLOSING_FENCE.exec(line)?.[1]!.startsWith(code.mark)) close(open.length - 1);
      else addCode(raw.slice(Math.min(code.level, indentOf(raw))));
      return true;
    }
    const isEmpty = isBlank(line);
    if (!isEmpty && indentOf(line) < 4) return false;
    code.endsBlank = isEmpty;
    if (isEmpty) held += `${line.slice(4)}\n`;
    else addCode(line.slice(4));
    return true;
  }

  function addCode(text: string): void {
    isCode = true;
    more(held + text);
    held = '';
  }

  function more(text: string): void {
    if (isCode) return void addText(leaf(), text, leaf().children.at(-1));
    held += text;
    release(false);
  }

  function endLine(): void {
    if (isCode) more('\n');
  }

  function close(depth: number): void {
    while (open.length > depth) {
      if (isParagraph(leaf())) endParagraph();
      const { kind } = leaf();
      open.pop()!.version++;
      if (kind === 'p' && !read) leaf().children.pop();
      held = '';
    }
  }

  function endParagraph(): void {
    release(true);
    reader.end();
  }

  /** Reads what is held of the paragraph, but for what the next line may make something else of. */
  function release(isEnd: boolean): void {
    if (!read && !isStart(isEnd)) return;
    if (!held || (isRow && !isEnd)) return;
    read += held;
    reader.feed(held);
    held = '';
  }

  /** Takes definitions and the box of a task from the start of the paragraph. False while more text may make one. */
  function isStart(isEnd: boolean): boolean {
    if (open.at(-2)!.kind === 'li' && !open.at(-2)!.children[1] && !leaf().level) {
      const box = /^\[([ xX])\][ \t]/.exec(held);
      if (!box && !isEnd && /^\[[ xX]?\]?$/.test(held)) return false;
      if (box) {
        leaf().level = box[1] === ' ' ? 1 : 2;
        held = held.slice(4);
      }
    }
    while (held[0] === '[') {
      if (!isEnd && mayBecome(DEFINITION, held)) return false;
      const found = find(DEFINITION, held);
      if (!found) break;
      define(found);
      held = held.slice(found[0].length);
    }
    return true;
  }

  function define([, label, angled, bare, title]: RegExpExecArray): void {
    const key = normalLabel(label!);
    if (definitions.has(key)) return;
    definitions.set(key, linkOf(angled ?? bare!, title));
  }

  /** Opens what the line starts, in the container at `start`, and adds its words. */
  function place(start: number, line: string): void {
    let depth = start;
    let rest = line;
    while (depth < DEEPEST) {
      const isIndented = indentOf(rest) >= 4;
      if (isIndented && (isParagraph(leaf()) || isBlank(rest))) break;
      if (isIndented) {
        add(depth, createNode('pre'));
        return addCode(rest.slice(4));
      }
      const quote = QUOTE.exec(rest);
      const item = quote || RULE.test(rest) ? null : startsItem(depth, rest);
      if (quote) depth = add(depth, createNode('blockquote'));
      else if (item && !isSetext(depth, rest)) depth = addItem(depth, item);
      else if (startsLeaf(depth, rest)) return;
      else break;
      rest = rest.slice(quote ? quote[0].length : leaf().level);
    }
    // A paragraph goes on below the containers that the line left out.
    if (depth === start && isParagraph(leaf())) return addLine(rest);
    if (isBlank(rest)) return;
    if (open[depth]?.kind === 'table') return addRow(open[depth]!, cellsOf(rest));
    const paragraph = createNode('p');
    add(depth, paragraph);
    reader.start(paragraph);
    read = '';
    addLine(rest);
  }

  function addLine(line: string): void {
    const text = line.trimStart();
    const isFirst = !read && !held;
    isRow = text[0] === '|';
    // The line before was no head: it is text.
    if (isRow && held[0] !== '[') release(true);
    if (!isFirst) held += '\n';
    more(text);
  }

  function startsItem(depth: number, line: string): RegExpExecArray | null {
    const found = ITEM.exec(line);
    if (!found || !isParagraph(open[depth])) return found;
    // Inside a paragraph only a list that starts at 1 and says something interrupts.
    return isBlank(line.slice(found[0].length)) || +(found[3] ?? 1) !== 1 ? null : found;
  }

  function addItem(depth: number, found: RegExpExecArray): number {
    const [whole, indent, sign, number = -1, mark = sign!, gap] = found;
    const { kind, mark: last } = open[depth - 1]!;
    const isSame = kind === 'list' && mark === last;
    const list = isSame ? depth : add(depth, createNode('list', { mark, level: +number }));
    const isEmpty = whole.length === found.input.length;
    // Five spaces and more: one belongs to the sign, the rest is code.
    const level = isEmpty || gap!.length > 4 ? indent!.length + sign!.length + 1 : whole.length;
    return add(list, createNode('li', { level }));
  }

  /** The line makes a heading of the paragraph before it. */
  function isSetext(depth: number, line: string): boolean {
    if (!isParagraph(open[depth]) || !SETEXT.test(line)) return false;
    release(true);
    return read !== '';
  }

  /** True when the line is a leaf of its own, or makes one of the paragraph before it. */
  function startsLeaf(depth: number, line: string): boolean {
    if (isSetext(depth, line)) {
      endParagraph();
      Object.assign(leaf(), { kind: 'heading', level: line.includes('=') ? 1 : 2 });
      close(depth);
      return true;
    }
    if (isParagraph(open[depth]) && becomesTable(depth, line)) return true;
    const heading = HEADING.exec(line);
    const node = heading ? createNode('heading', { level: heading[1]!.length }) : leafOf(line);
    if (!node) return false;
    add(depth, node);
    if (heading)
      readWhole(
        node,
        line
          .slice(heading[0].length)
          .replace(/(?:^|[ \t])#+[ \t]*$/, '')
          .trim(),
      );
    if (node.kind !== 'pre') close(open.length - 1);
    return true;
  }

  function leafOf(line: string): Node | undefined {
    if (RULE.test(line)) return createNode('hr');
    const fence = FENCE.exec(line);
    if (!fence) return undefined;
    const [whole, indent, mark] = fence;
    const title = unescape(line.slice(whole.length).trim().split(/\s/)[0]!);
    return createNode('pre', { mark: mark!, level: indent!.length, title });
  }

  function readWhole(node: Node, text: string): Node {
    reader.start(node);
    reader.feed(text);
    reader.end();
    return node;
  }

  /** The paragraph's last line is the head of a table, when this one is its row of dashes. */
  function becomesTable(depth: number, line: string): boolean {
    if (!isRow) return false;
    const dashes = cellsOf(line);
    const cut = held.lastIndexOf('\n');
    const head = cellsOf(held.slice(cut + 1));
    if (head.length !== dashes.length || !dashes.every((cell) => DASHES.test(cell))) return false;
    held = held.slice(0, Math.max(0, cut));
    add(depth, createNode('table', { columns: dashes.map(alignOf) }));
    addRow(leaf(), head, 'th');
    return true;
  }

  function addRow({ columns, children }: Node, cells: string[], kind: 'th' | 'td' = 'td'): void {
    const row = createNode('tr');
    row.children = columns!.map((align, at) => readWhole(createNode(kind, { align }), cells[at] ?? ''));
    children.push(row);
  }

  /** Opens a block as the last of the container at `depth`; gives its own depth. */
  function add(container: number, block: Node): number {
    const isList = (at: number): boolean => open[at - 1]?.kind === 'list';
    const depth = isList(container) && block.kind !== 'li' ? container - 1 : container;
    close(depth);
    const { kind, children } = open[depth - 1]!;
    const before = children.at(-1);
    const list = isList(depth) ? depth : kind === 'li' ? depth - 1 : 0;
    if (list && before && endsWithBlank(before)) open[list - 1]!.isLoose = true;
    children.push(block);
    return open.push(block);
  }

  return { open, line, more, endLine, close };
}
