import { unescape } from './entity.ts';
import { parseInline, parseLink, normalizeLabel, type Definitions } from './inline.ts';
import {
  HEADING,
  FENCE,
  THEMATIC_BREAK,
  SETEXT,
  BLOCKQUOTE,
  LIST_ITEM,
  DELIMITER_CELL,
  UNDECIDED,
  isBlank,
  indentWidth,
  expandTabs,
  splitCells,
} from './block-patterns.ts';
import { addText, createNode, type Node } from './node.ts';
import { DEFINITION } from './inline-patterns.ts';

/** A growing Markdown document. After each call the tree is the parse of the text so far. */
export interface MarkdownDocument {
  readonly root: Node;
  write(chunk: string): void;
  /** Ends the text: unfinished constructs are parsed as they stand. */
  end(): void;
}

/** Deepest nesting of blocks; deeper ones are text. */
const MAX_DEPTH = 32;

const isParagraph = (node: Node | undefined): boolean => node?.kind === 'p';

/**
 * Block parser: adds lines to a tree of blocks and looks back at the open blocks only. The start of a line is buffered until its kind
 * is decided; further characters go straight to the open leaf.
 */
export function createDocument(): MarkdownDocument {
  const root = createNode('plain');
  /** Open blocks, from the root to the leaf. */
  const open = [root];
  const definitions: Definitions = new Map();
  /** The current line until its kind is decided. */
  let pending = '';
  let isPlaced = false;

  const leaf = (): Node => open.at(-1)!;

  function addPart(part: string): void {
    if (isPlaced) return addToLeaf(part);
    pending += part;
    isPlaced = !UNDECIDED.test(pending.slice(0, 99)) && leaf().kind !== 'table';
    if (isPlaced) startLine(pending);
  }

  function endLine(): void {
    if (!isPlaced) startLine(pending);
    pending = '';
    isPlaced = false;
  }

  /** Matches a line against the open containers; the rest belongs to the last one that it continues. */
  function startLine(raw: string): void {
    let rest = expandTabs(raw);
    let depth = 1;
    for (; open[depth]?.prefix; depth++) {
      const [start] = open[depth]!.prefix!.exec(rest) ?? [];
      // A list item can begin with at most one blank line (CommonMark 5.2).
      if (start === undefined || !(rest.trim() || open[depth]!.children[0])) break;
      rest = rest.slice(start.length);
    }
    const node = open[depth];
    if (node?.kind === 'pre' && continueCode(node, rest, depth > 1 ? rest : raw)) return;
    if (!isBlank(rest)) return startBlocks(depth, rest);
    const before = node ?? open[depth - 1]!.children.at(-1);
    if (before) before.endsBlank = true;
    close(depth);
  }

  /** Whether the line belongs to the code block. */
  function continueCode(code: Node, line: string, raw: string): boolean {
    const isEmpty = isBlank(line);
    if (code.mark) {
      const [, , mark, info] = FENCE.exec(line) ?? [];
      if (mark?.startsWith(code.mark) && !info) close(open.length - 1);
      else addCode(raw.slice(Math.min(code.level, indentWidth(raw))));
    } else if (isEmpty) code.source += `${line.slice(4)}\n`;
    else if (indentWidth(line) < 4) return false;
    else addCode(line.slice(4));
    return true;
  }

  /** Adds a line of code. Its line break is buffered in `source`: at the block's end it is no part of the code. */
  function addCode(text: string): void {
    const { children, source } = leaf();
    addText(children, source + text);
    leaf().source = '\n';
  }

  function addToLeaf(text: string): void {
    if (leaf().kind === 'pre') addText(leaf().children, text);
    else parseInline(leaf(), text, definitions);
  }

  function close(depth: number): void {
    while (open.length > depth) {
      if (isParagraph(leaf())) parseInline(leaf(), '', definitions, true);
      open.pop();
    }
  }

  /** Opens the blocks that a line starts, in the container at depth `start`, and adds its text. */
  function startBlocks(start: number, line: string): void {
    let depth = start;
    let rest = line;
    while (depth < MAX_DEPTH) {
      if (indentWidth(rest) > 3) {
        if (isParagraph(leaf()) || isBlank(rest)) break;
        add(depth, createNode('pre'));
        return addCode(rest.slice(4));
      }
      const isText = isParagraph(open[depth]);
      if (isText && changesParagraph(rest)) return;
      const block = leafBlock(rest);
      if (block) return void add(depth, block);
      const quote = BLOCKQUOTE.exec(rest);
      const item = LIST_ITEM.exec(`${rest} `);
      if (quote) depth = add(depth, createNode('blockquote', { prefix: BLOCKQUOTE }));
      // A paragraph is interrupted only by a list item with content that is a bullet or starts at 1 (CommonMark 5.2).
      else if (item && !(isText && (isBlank(rest.slice(item[0].length)) || +item[2]! - 1)))
        depth = addItem(depth, item);
      else break;
      rest = rest.slice((quote ?? item)![0].length);
    }
    let level = 0;
    // Lazy continuation: a paragraph goes on without its containers' prefixes.
    if (depth > start || !isParagraph(leaf())) {
      if (isBlank(rest) || isDefinition(rest)) return;
      if (open[depth]?.kind === 'table') return addRow(open[depth]!, splitCells(rest));
      if (leaf().kind === 'li') level = 1 + ['[ ] ', '[x] '].indexOf(rest.slice(0, 4).toLowerCase());
      add(depth, createNode('p', { level }));
    }
    addToLeaf(`\n${rest.slice(level && 4).trimStart()}`);
  }

  function addItem(depth: number, [whole, sign, number, mark = sign!]: RegExpExecArray): number {
    close(depth);
    const { children } = leaf();
    const last = children.at(-1);
    const list = last?.mark === mark ? last : createNode(number ? 'ol' : 'ul', { mark, level: +number! });
    if (list !== last) children.push(list);
    return add(depth, createNode('li', { prefix: new RegExp(`^(?: {${whole.length}}|\\s*$)`) }), list);
  }

  function isDefinition(line: string): boolean {
    const [, label, address, title] = DEFINITION.exec(line) ?? [];
    if (!label) return false;
    const key = normalizeLabel(label);
    if (!definitions.has(key)) definitions.set(key, parseLink(address!, title));
    return true;
  }

  /** Turns the open paragraph into a heading or a table if the line says so; returns whether it did. */
  function changesParagraph(line: string): boolean {
    const paragraph = leaf();
    if (SETEXT.test(line)) {
      close(open.length - 1);
      Object.assign(paragraph, { kind: 'heading', level: line.includes('=') ? 1 : 2 });
      return true;
    }
    const [row = ''] = /\n\|.*$/.exec(paragraph.source) ?? [];
    const head = splitCells(row);
    const marks = splitCells(line).map((cell) => DELIMITER_CELL.exec(cell)!);
    if (!row || head.length !== marks.length || !marks.every(Boolean)) return false;
    paragraph.source = paragraph.source.slice(0, -row.length);
    const columns = marks.map(([, left, right]) => (left ? (right ? 'center' : 'left') : right ? 'right' : ''));
    add(open.length - 1, createNode('table', { columns }));
    addRow(leaf(), head, 'th');
    return true;
  }

  function leafBlock(line: string): Node | undefined {
    if (THEMATIC_BREAK.test(line)) return createNode('hr');
    const [, signs, words] = HEADING.exec(line) ?? [];
    if (signs) {
      const text = words!.trim().replace(/(?:^|\s)#+$/, '');
      return parseInline(createNode('heading', { level: signs.length }), `\n${text}`, definitions, true);
    }
    const [, indent, mark, info] = FENCE.exec(line) ?? [];
    return mark ? createNode('pre', { mark, level: indent!.length, title: unescape(info!) }) : undefined;
  }

  function addRow({ columns, children }: Node, cells: string[], kind: 'th' | 'td' = 'td'): void {
    const row = createNode('tr');
    row.children = columns!.map((align, at) =>
      parseInline(createNode(kind, { align }), `\n${cells[at] ?? ''}`, definitions, true),
    );
    children.push(row);
  }

  /** Appends and opens a block in the container at `depth`; returns the block's depth. */
  function add(depth: number, block: Node, parent?: Node): number {
    close(depth);
    (parent ?? leaf()).children.push(block);
    return open.push(block);
  }

  /** Only the last node of each level can change: gives them new versions. */
  function touch(): void {
    for (let node: Node | undefined = root; node; node = node.children.at(-1)) node.version = {};
  }

  return {
    root,
    write(chunk) {
      touch();
      for (const part of chunk.replaceAll('\r', '').split(/(\n)/))
        if (part === '\n') endLine();
        else addPart(part);
    },
    end() {
      touch();
      if (pending) endLine();
      close(1);
    },
  };
}
