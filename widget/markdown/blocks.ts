import { createBlock, endsWithBlank, isContainer, type Block } from './block.ts';
import { unescape } from './entity.ts';
import { normalLabel, parseInline, type Definitions } from './inline.ts';
import {
  HEADING,
  FENCE,
  CLOSING_FENCE,
  RULE,
  SETEXT,
  QUOTE,
  ITEM,
  DASHES,
  DEFINITION,
  isBlank,
  indentOf,
  expandTabs,
  trimBlankEnd,
  cellsOf,
  alignOf,
} from './line.ts';

/** Lines become a tree. */
export interface Blocks {
  /** The blocks that the next line may go on, each in the one before; the first is the document. */
  readonly open: Block[];
  /** `isWhole`: false for a line whose end has not come; it then defines nothing. */
  line(raw: string, isWhole: boolean): void;
  /** Closes all but the first `depth`, the innermost first. */
  close(depth: number): void;
  readInline(block: Block, isUnfinished: boolean): void;
}

/** Puts whole lines into a tree of blocks, one after another, never looking back further than the open ones. */
export function createBlocks(): Blocks {
  const open = [createBlock('document')];
  const definitions: Definitions = new Map();

  /** Follows the open containers as far as the line continues them; what is left of it is for the last. */
  function line(raw: string, isWhole: boolean): void {
    let rest = expandTabs(raw);
    let depth = 1;
    for (; open[depth] && isContainer(open[depth]!); depth++) {
      const inner = continued(open[depth]!, rest);
      if (inner === undefined) break;
      rest = inner;
    }
    if (open[depth]?.kind === 'code' && continueCode(open[depth]!, rest, depth > 1 ? rest : raw)) return;
    if (!isBlank(rest)) return place(depth, rest, isWhole);
    close(depth);
    const last = open.at(-1)!.children.at(-1);
    if (last) last.endsBlank = true;
  }

  /** What is left of the line inside a container, or undefined where the line is no part of it. */
  function continued({ kind, children, level }: Block, line: string): string | undefined {
    if (kind === 'list') return line;
    if (kind === 'blockquote') return QUOTE.test(line) ? line.replace(QUOTE, '') : undefined;
    if (isBlank(line)) return children[0] && '';
    return indentOf(line) < level ? undefined : line.slice(level);
  }

  /** True when the line belongs to the code. */
  function continueCode(code: Block, line: string, raw: string): boolean {
    if (code.mark) {
      if (CLOSING_FENCE.exec(line)?.[1]!.startsWith(code.mark)) open.pop();
      else code.text += `${raw.slice(Math.min(code.level, indentOf(raw)))}\n`;
      return true;
    }
    if (!isBlank(line) && indentOf(line) < 4) return false;
    code.text += `${line.slice(4)}\n`;
    code.endsBlank = isBlank(line);
    return true;
  }

  function close(depth: number): void {
    while (open.length > depth) {
      const block = open.pop()!;
      if (block.kind === 'p' && !block.text) open.at(-1)!.children.pop();
      if (block.kind === 'code' && !block.mark) block.text = `${trimBlankEnd(block.text)}\n`;
      readInline(block, false);
    }
  }

  function readInline(block: Block, isUnfinished: boolean): void {
    if (block.kind === 'p' || block.kind === 'heading')
      block.inline = parseInline(block.text.trim(), definitions, isUnfinished);
  }

  /** Opens what the line starts, in the container at `start`, and adds its words. */
  function place(start: number, line: string, isWhole: boolean): void {
    let depth = start;
    let rest = line;
    for (;;) {
      const isCode = indentOf(rest) >= 4;
      if (isCode && (isParagraph(open.at(-1)) || isBlank(rest))) break;
      if (isCode) return void add(depth, createBlock('code', { text: `${rest.slice(4)}\n` }));
      const quote = QUOTE.exec(rest);
      const item = quote || RULE.test(rest) ? null : startsItem(depth, rest);
      if (quote) depth = add(depth, createBlock('blockquote'));
      else if (item && !isSetext(depth, rest)) depth = addItem(depth, item);
      else if (startsLeaf(depth, rest, isWhole)) return;
      else break;
      rest = rest.slice(quote ? quote[0].length : open.at(-1)!.level);
    }
    // A paragraph goes on below the containers that the line left out.
    if (depth === start && isParagraph(open.at(-1))) return addText(rest, isWhole);
    if (isBlank(rest)) return;
    if (open[depth]?.kind === 'table') return addRow(open[depth]!, cellsOf(rest));
    add(depth, createBlock('p'));
    addText(rest, isWhole);
  }

  const isParagraph = (block: Block | undefined): boolean => block?.kind === 'p';

  function startsItem(depth: number, line: string): RegExpExecArray | null {
    const found = ITEM.exec(line);
    if (!found || !isParagraph(open[depth])) return found;
    // Inside a paragraph only a list that starts at 1 and says something interrupts.
    return isBlank(line.slice(found[0].length)) || Number(found[3] ?? 1) !== 1 ? null : found;
  }

  function addItem(depth: number, found: RegExpExecArray): number {
    const [whole, indent, sign, number = -1, mark = sign!, gap] = found;
    const { kind, mark: last } = open[depth - 1]!;
    const isSame = kind === 'list' && mark === last;
    const list = isSame ? depth : add(depth, createBlock('list', { mark, level: Number(number) }));
    const isEmpty = whole.length === found.input.length;
    // Five spaces and more: one belongs to the sign, the rest is code.
    const level = isEmpty || gap!.length > 4 ? indent!.length + sign!.length + 1 : whole.length;
    return add(list, createBlock('li', { level }));
  }

  const isSetext = (depth: number, line: string): boolean =>
    isParagraph(open[depth]) && open[depth]!.text !== '' && SETEXT.test(line);

  /** True when the line is a leaf of its own, or makes one of the paragraph before it. */
  function startsLeaf(depth: number, line: string, isWhole: boolean): boolean {
    if (isSetext(depth, line)) {
      Object.assign(open[depth]!, { kind: 'heading', level: line.includes('=') ? 1 : 2 });
      close(depth);
      return true;
    }
    if (isParagraph(open[depth]) && becomesTable(depth, line)) return true;
    const leaf = leafOf(line);
    if (!leaf) return false;
    add(depth, leaf);
    if (leaf.kind === 'code') return true;
    readInline(leaf, !isWhole);
    open.pop();
    return true;
  }

  function leafOf(line: string): Block | undefined {
    const heading = HEADING.exec(line);
    if (heading) {
      const text = line.slice(heading[0].length).trim();
      return createBlock('heading', { level: heading[1]!.length, text: text.replace(/(?:^|[ \t])#+$/, '') });
    }
    if (RULE.test(line)) return createBlock('hr');
    const fence = FENCE.exec(line);
    if (!fence) return undefined;
    const [whole, indent, mark] = fence;
    const info = unescape(line.slice(whole.length).trim().split(/\s/)[0]!);
    return createBlock('code', { mark: mark!, level: indent!.length, info });
  }

  /** The paragraph's last line is the head of a table, when this one is its row of dashes. */
  function becomesTable(depth: number, line: string): boolean {
    const paragraph = open[depth]!;
    const cut = paragraph.text.lastIndexOf('\n');
    const head = cellsOf(paragraph.text.slice(cut + 1));
    const dashes = cellsOf(line);
    const isRow = line.includes('|') && dashes.every((cell) => DASHES.test(cell));
    if (!isRow || head.length !== dashes.length) return false;
    paragraph.text = paragraph.text.slice(0, Math.max(0, cut));
    add(depth, createBlock('table', { align: dashes.map(alignOf) }));
    addRow(open.at(-1)!, head);
    return true;
  }

  function addRow(table: Block, cells: string[]): void {
    table.rows = [...table.rows, table.align.map((_, column) => parseInline(cells[column] ?? '', definitions))];
  }

  /** Opens a block as the last of the container at `depth`; gives its own depth. */
  function add(container: number, block: Block): number {
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

  function addText(line: string, isWhole: boolean): void {
    const paragraph = open.at(-1)!;
    const definition = isWhole && !paragraph.text ? DEFINITION.exec(line) : null;
    if (definition) define(definition);
    else paragraph.text += (paragraph.text && '\n') + line.trimStart();
  }

  function define([, label, angled, bare, title]: RegExpExecArray): void {
    const key = normalLabel(label!);
    if (definitions.has(key)) return;
    definitions.set(key, { href: unescape(angled ?? bare!), title: unescape(title?.slice(1, -1) ?? '') });
  }

  return { open, line, close, readInline };
}
