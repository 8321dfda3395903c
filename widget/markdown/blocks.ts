import { createBlock, endsWithBlank, isLeaf, openChild, type Block } from './block.ts';
import { unescape } from './entity.ts';
import { normalLabel, parseInline, type Definitions } from './inline.ts';
import {
  HEADING,
  FENCE,
  RULE,
  SETEXT,
  QUOTE,
  ITEM,
  ROW_OF_DASHES,
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
  readonly root: Block;
  /** `isWhole`: false for a line whose end has not come; it then defines nothing. */
  line(raw: string, isWhole: boolean): void;
  /** Closes what is open below `block`, the innermost first. */
  close(block: Block): void;
  readInline(block: Block, isUnfinished?: boolean): void;
}

/** Puts whole lines into a tree of blocks, one after another, never looking back further than the open ones. */
export function createBlocks(): Blocks {
  const root: Block = createBlock('document');
  const definitions: Definitions = new Map();

  function line(raw: string, isWhole: boolean): void {
    const wide = expandTabs(raw);
    const { container, rest } = descend(wide);
    const leaf = openChild(container);
    if (leaf?.kind === 'code' && continueCode(leaf, rest, container === root ? raw : rest)) return;
    if (isBlank(rest)) return addBlank(container);
    place(container, rest, isWhole);
  }

  function close(block: Block): void {
    const open = openChild(block);
    if (!open) return;
    close(open);
    open.isOpen = false;
    if (open.kind === 'paragraph' && !open.text) block.children.pop();
    if (open.kind === 'code' && !open.mark) open.text = `${trimBlankEnd(open.text)}\n`;
    readInline(open);
  }

  function readInline(block: Block, isUnfinished = block.isOpen): void {
    if (block.kind !== 'paragraph' && block.kind !== 'heading') return;
    block.inline = parseInline(block.text.trim(), definitions, isUnfinished);
  }

  /** Follows the open containers as far as the line continues them. */
  function descend(line: string): { container: Block; rest: string } {
    let container = root;
    let rest = line;
    for (let next = openChild(container); next && !isLeaf(next); next = openChild(container)) {
      const inner = continued(next, rest);
      if (inner === undefined) break;
      container = next;
      rest = inner;
    }
    return { container, rest };
  }

  /** What is left of the line inside a container, or undefined where the line is no part of it. */
  function continued(block: Block, line: string): string | undefined {
    if (block.kind === 'list') return line;
    if (block.kind === 'quote') return QUOTE.test(line) ? line.replace(QUOTE, '') : undefined;
    if (isBlank(line)) return block.children.length > 0 ? '' : undefined;
    return indentOf(line) >= block.level ? line.slice(block.level) : undefined;
  }

  /** True when the line belongs to the code. */
  function continueCode(code: Block, line: string, raw: string): boolean {
    if (!code.mark) {
      if (!isBlank(line) && indentOf(line) < 4) return false;
      code.text += `${line.slice(4)}\n`;
      code.endsBlank = isBlank(line);
      return true;
    }
    const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
    if (closing?.startsWith(code.mark)) code.isOpen = false;
    else code.text += `${raw.slice(Math.min(code.level, indentOf(raw)))}\n`;
    return true;
  }

  function addBlank(container: Block): void {
    close(container);
    const last = container.children.at(-1);
    if (last) last.endsBlank = true;
  }

  function place(container: Block, line: string, isWhole: boolean): void {
    const tip = findTip();
    const isLazy = tip.kind === 'paragraph' && openChild(container) !== tip;
    const opened = openBlocks(container, line, isWhole);
    if (opened === undefined) return;
    if (isLazy && opened.container === container) return addText(tip, opened.rest, isWhole);
    const parent = opened.container.kind === 'list' ? leaveList(opened.container) : opened.container;
    if (isBlank(opened.rest)) return;
    const open = openChild(parent);
    if (open?.kind === 'table') return addRow(open, opened.rest);
    const paragraph = open?.kind === 'paragraph' ? open : add(parent, createBlock('paragraph'));
    addText(paragraph, opened.rest, isWhole);
  }

  function findTip(): Block {
    let block = root;
    for (let next = openChild(block); next; next = openChild(block)) block = next;
    return block;
  }

  function parentOf(block: Block): Block {
    let parent = root;
    while (openChild(parent) !== block) parent = openChild(parent)!;
    return parent;
  }

  function leaveList(list: Block): Block {
    const parent = parentOf(list);
    close(parent);
    return parent;
  }

  /** Opens the containers that the line starts; undefined when a leaf took the whole line. */
  function openBlocks(start: Block, line: string, isWhole: boolean): { container: Block; rest: string } | undefined {
    let container = start;
    let rest = line;
    for (;;) {
      const tip = findTip();
      const isInParagraph = tip.kind === 'paragraph';
      if (indentOf(rest) >= 4) {
        if (isInParagraph || isBlank(rest)) return { container, rest };
        add(container, createBlock('code', { text: `${rest.slice(4)}\n` }));
        return undefined;
      }
      const quote = QUOTE.exec(rest);
      const item = quote || RULE.test(rest) ? null : startsItem(container, rest);
      if (quote) container = add(container, createBlock('quote'));
      else if (item && !isSetext(container, rest)) container = addItem(container, item);
      else return startsLeaf(container, rest, isWhole) ? undefined : { container, rest };
      rest = quote ? rest.slice(quote[0].length) : rest.slice(Math.min(rest.length, container.level));
    }
  }

  function startsItem(container: Block, line: string): RegExpExecArray | null {
    const found = ITEM.exec(line);
    const paragraph = openChild(container);
    if (!found || paragraph?.kind !== 'paragraph') return found;
    // Inside a paragraph only a list that starts at 1 and says something interrupts.
    const isEmpty = isBlank(line.slice(found[0].length));
    return isEmpty || (found[3] !== undefined && Number(found[3]) !== 1) ? null : found;
  }

  function addItem(container: Block, found: RegExpExecArray): Block {
    const [whole, indent, sign, number, after, gap] = found;
    const mark = after ?? sign!;
    const isSame = container.kind === 'list' && container.mark === mark;
    const list = isSame ? container : add(container, createBlock('list', { mark, level: Number(number ?? -1) }));
    const isEmpty = whole.length === found.input.length;
    // Five spaces and more: one belongs to the sign, the rest is code.
    const level = isEmpty || gap!.length > 4 ? indent!.length + sign!.length + 1 : whole.length;
    return add(list, createBlock('item', { level }));
  }

  function isSetext(container: Block, line: string): boolean {
    const open = openChild(container);
    return open?.kind === 'paragraph' && open.text !== '' && SETEXT.test(line);
  }

  function startsLeaf(container: Block, line: string, isWhole: boolean): boolean {
    const open = openChild(container);
    if (isSetext(container, line)) {
      Object.assign(open!, { kind: 'heading', level: line.includes('=') ? 1 : 2 });
      close(container);
      return true;
    }
    if (open?.kind === 'paragraph' && becomesTable(open, line)) return true;
    const leaf = leafOf(line);
    if (!leaf) return false;
    const { isOpen } = leaf;
    leaf.isOpen = true;
    const added = add(container, leaf);
    added.isOpen = isOpen;
    readInline(added, !isWhole);
    return true;
  }

  function leafOf(line: string): Block | undefined {
    const heading = HEADING.exec(line);
    if (heading) {
      const text = line
        .slice(heading[0].length)
        .trim()
        .replace(/(?:^|[ \t])#+$/, '');
      return createBlock('heading', { level: heading[1]!.length, text, isOpen: false });
    }
    if (RULE.test(line)) return createBlock('rule', { isOpen: false });
    const fence = FENCE.exec(line);
    if (!fence) return undefined;
    const [whole, indent, mark] = fence;
    const info = unescape(line.slice(whole.length).trim().split(/\s/)[0] ?? '');
    return createBlock('code', { mark: mark!, level: indent!.length, info });
  }

  function becomesTable(paragraph: Block, line: string): boolean {
    if (!line.includes('|') || !ROW_OF_DASHES.test(line)) return false;
    const cut = paragraph.text.lastIndexOf('\n');
    const head = cellsOf(paragraph.text.slice(cut + 1));
    const align = cellsOf(line).map(alignOf);
    if (head.length !== align.length) return false;
    const rows = [head.map((cell) => parseInline(cell, definitions))];
    if (cut < 0) Object.assign(paragraph, { kind: 'table', text: '', inline: [], align, rows });
    else {
      paragraph.text = paragraph.text.slice(0, cut);
      add(parentOf(paragraph), createBlock('table', { align, rows }));
    }
    return true;
  }

  function addRow(table: Block, line: string): void {
    const cells = cellsOf(line);
    table.rows = [...table.rows, table.align.map((_, column) => parseInline(cells[column] ?? '', definitions))];
  }

  function add(container: Block, block: Block): Block {
    const parent = container.kind === 'list' && block.kind !== 'item' ? leaveList(container) : container;
    close(parent);
    const before = parent.children.at(-1);
    const list = parent.kind === 'list' ? parent : parent.kind === 'item' ? parentOf(parent) : undefined;
    if (list && before && endsWithBlank(before)) list.isLoose = true;
    parent.children.push(block);
    return block;
  }

  function addText(paragraph: Block, line: string, isWhole: boolean): void {
    const definition = isWhole && !paragraph.text ? DEFINITION.exec(line) : null;
    if (definition) return define(definition);
    paragraph.text += (paragraph.text && '\n') + line.trimStart();
  }

  function define([, label, angled, bare, title]: RegExpExecArray): void {
    const key = normalLabel(label!);
    if (definitions.has(key)) return;
    definitions.set(key, { href: unescape(angled ?? bare ?? ''), title: unescape(title?.slice(1, -1) ?? '') });
  }

  return { root, line, close, readInline };
}
