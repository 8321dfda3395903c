import { unescape } from './entity.ts';
import { linkOf, normalLabel, readText, type Definitions } from './inline.ts';
import {
  HEADING,
  FENCE,
  CLOSING_FENCE,
  RULE,
  SETEXT,
  QUOTE,
  ITEM,
  DASHES,
  WAITS,
  isBlank,
  indentOf,
  expandTabs,
  cellsOf,
  alignOf,
} from './line.ts';
import { addText, createNode, type Node } from './node.ts';
import { DEFINITION, FAR } from './pattern.ts';

/** A Markdown text that grows. After each call the tree is what the text so far means. */
export interface MarkdownDocument {
  readonly root: Node;
  write(chunk: string): void;
  /** No more comes: what is unfinished is taken as it stands. */
  end(): void;
}

/** Blocks inside each other; more are text. */
const DEEPEST = 32;

const isParagraph = (node: Node | undefined): boolean => node?.kind === 'p';

/**
 * Puts lines into a tree of blocks, one after another, never looking back further than the open ones. The start of a line is kept
 * until it is clear what the line is; from then on its characters go straight to where they belong.
 */
export function createDocument(): MarkdownDocument {
  const root = createNode('plain');
  /** The blocks that the next line may go on, each in the one before. */
  const open = [root];
  const definitions: Definitions = new Map();
  /** What of the open leaf more text may change: of a paragraph, after the character before it; of code, the ends of lines. */
  let source = '';
  /** The line, as long as it is not placed. */
  let kept = '';
  let isPlaced = false;

  const leaf = (): Node => open.at(-1)!;

  function take(part: string): void {
    if (isPlaced) return more(part);
    kept += part;
    isPlaced = !WAITS.test(kept.slice(0, 99)) && leaf().kind !== 'table';
    if (isPlaced) line(kept);
  }

  function endLine(): void {
    if (!isPlaced) line(kept);
    kept = '';
    isPlaced = false;
  }

  /** Follows the open containers as far as the line continues them; what is left of it is for the last. */
  function line(raw: string): void {
    let rest = expandTabs(raw);
    let depth = 1;
    for (; /^[bl]/.test(open[depth]?.kind ?? ''); depth++) {
      const inner = continued(open[depth]!, rest);
      if (inner === undefined) break;
      rest = inner;
    }
    const node = open[depth];
    if (node?.kind === 'pre' && continueCode(node, rest, depth > 1 ? rest : raw)) return;
    if (!isBlank(rest)) return place(depth, rest);
    const before = node ?? open[depth - 1]!.children.at(-1);
    if (before) before.endsBlank = true;
    close(depth);
  }

  /** What is left of the line inside a quote or an item, or undefined where the line is no part of it. */
  function continued({ kind, children, level }: Node, line: string): string | undefined {
    if (kind === 'blockquote') return QUOTE.test(line) ? line.replace(QUOTE, '') : undefined;
    if (isBlank(line)) return children[0] && '';
    return indentOf(line) < level ? undefined : line.slice(level);
  }

  /** True when the line belongs to the code. */
  function continueCode(code: Node, line: string, raw: string): boolean {
    const isEmpty = isBlank(line);
    if (code.mark) {
      if (CLOSING_FENCE.exec(line)?.[1]!.startsWith(code.mark)) close(open.length - 1);
      else addCode(raw.slice(Math.min(code.level, indentOf(raw))));
    } else if (isEmpty) source += `${line.slice(4)}\n`;
    else if (indentOf(line) < 4) return false;
    else addCode(line.slice(4));
    code.endsBlank = isEmpty;
    return true;
  }

  function addCode(text: string): void {
    addText(leaf().children, source + text);
    source = '\n';
  }

  function more(text: string): void {
    if (leaf().kind === 'pre') return addText(leaf().children, text);
    for (let at = 0; at < text.length; at += FAR) {
      source += text.slice(at, at + FAR);
      read(false);
    }
  }

  function close(depth: number): void {
    while (open.length > depth) {
      if (isParagraph(leaf())) read(true);
      const { kind, children } = open.pop()!;
      if (kind === 'p' && !children[0]) leaf().children.pop();
      source = '';
    }
  }

  /** Reads the paragraph, but for what more text may make something else of. */
  function read(isLast: boolean): void {
    const [parent, node] = open.slice(-2) as [Node, Node];
    if (isLast) source = source.trimEnd();
    const box = !node.done && parent.kind === 'li' && parent.children[0] === node && /^\n\[([ x])\]\s/i.exec(source);
    if (box) {
      node.level = box[1] === ' ' ? 1 : 2;
      source = source.slice(4);
    }
    while (!node.done && source.startsWith('\n[')) {
      DEFINITION.lastIndex = 0;
      const [all, label, angled, bare, title] = DEFINITION.exec(source) ?? [''];
      const after = source.slice(all.length);
      const isBegun = (!all || !/^\n[^"'(]/.test(after)) && /^\n\[[^\]]*(?:$|\](?:$|:))/.test(source);
      if (!isLast && source.length < FAR && isBegun) return;
      if (!label || all.length > FAR) break;
      const key = normalLabel(label);
      if (!definitions.has(key)) definitions.set(key, linkOf(angled ?? bare!, title));
      source = after;
    }
    source = readText(node, source, isLast, definitions);
  }

  /** Opens what the line starts, in the container at `start`, and adds its words. */
  function place(start: number, line: string): void {
    let depth = start;
    let rest = line;
    while (depth < DEEPEST) {
      if (indentOf(rest) > 3) {
        if (isParagraph(leaf()) || isBlank(rest)) break;
        add(depth, createNode('pre'));
        return addCode(rest.slice(4));
      }
      if (isParagraph(open[depth]) && changesParagraph(rest)) return;
      const quote = QUOTE.exec(rest);
      const block = quote ? createNode('blockquote', { level: quote[0].length }) : leafOf(rest);
      const item = block ? null : ITEM.exec(rest);
      const isEmpty = item && isBlank(rest.slice(item[0].length));
      // Inside a paragraph only a list that starts at 1 and says something interrupts.
      if (item && !(isParagraph(open[depth]) && (isEmpty || +(item[3] ?? 1) !== 1)))
        depth = addItem(depth, item, isEmpty!);
      else if (block) depth = add(depth, block);
      else break;
      if (block && !quote) return;
      rest = rest.slice(leaf().level);
    }
    // A paragraph goes on below the containers that the line left out.
    if (depth > start || !isParagraph(leaf())) {
      if (isBlank(rest)) return;
      if (open[depth]?.kind === 'table') return addRow(open[depth]!, cellsOf(rest));
      add(depth, createNode('p'));
    }
    more(`\n${rest.trimStart()}`);
  }

  function addItem(
    depth: number,
    [whole, lead, sign, number, mark = sign!, gap]: RegExpExecArray,
    isEmpty: boolean,
  ): number {
    close(depth);
    const { children } = leaf();
    const last = children.at(-1);
    const list = last?.mark === mark ? last : createNode('list', { mark, level: +(number ?? -1) });
    if (list !== last) children.push(list);
    // Five spaces and more: one belongs to the sign, the rest is code.
    const level = isEmpty || gap!.length > 4 ? lead!.length + 1 : whole.length;
    const item = createNode('li', { level });
    list.children.push(item);
    return open.push(item);
  }

  /** True when the line makes a heading or a table of the paragraph before it. */
  function changesParagraph(line: string): boolean {
    if (SETEXT.test(line)) {
      read(true);
      if (!leaf().children[0]) return false;
      Object.assign(leaf(), { kind: 'heading', level: line.includes('=') ? 1 : 2 });
      return true;
    }
    const dashes = cellsOf(line);
    const cut = source.lastIndexOf('\n');
    const head = cellsOf(source.slice(cut + 1));
    if (source[cut + 1] !== '|' || head.length !== dashes.length || !dashes.every((cell) => DASHES.test(cell)))
      return false;
    source = source.slice(0, cut);
    add(open.length - 1, createNode('table', { columns: dashes.map(alignOf) }));
    addRow(leaf(), head, 'th');
    return true;
  }

  function leafOf(line: string): Node | undefined {
    if (RULE.test(line)) return createNode('hr');
    const heading = HEADING.exec(line);
    if (heading) {
      const text = line.slice(heading[0].length).replace(/(?:^|\s)#+\s*$/, '');
      return readWhole(createNode('heading', { level: heading[1]!.length }), text.trim());
    }
    const [whole, indent, mark] = FENCE.exec(line) ?? [];
    if (!mark) return undefined;
    const title = unescape(line.slice(whole!.length).trim().split(/\s/)[0]!);
    return createNode('pre', { mark, level: indent!.length, title });
  }

  function readWhole(node: Node, text: string): Node {
    let rest = '\n';
    for (let at = 0; at < text.length; at += FAR)
      rest = readText(node, rest + text.slice(at, at + FAR), false, definitions);
    readText(node, rest, true, definitions);
    return node;
  }

  function addRow({ columns, children }: Node, cells: string[], kind: 'th' | 'td' = 'td'): void {
    const row = createNode('tr');
    row.children = columns!.map((align, at) => readWhole(createNode(kind, { align }), cells[at] ?? ''));
    children.push(row);
  }

  /** Opens a block as the last of the container at `depth`; gives its own depth. */
  function add(depth: number, block: Node): number {
    close(depth);
    leaf().children.push(block);
    return open.push(block);
  }

  /** Only what is last can change. */
  function touch(): void {
    for (let node: Node | undefined = root; node; node = node.children.at(-1)) node.version = {};
  }

  return {
    root,
    write(chunk) {
      touch();
      for (const part of chunk.replaceAll('\r', '').split(/(\n)/))
        if (part === '\n') endLine();
        else take(part);
    },
    end() {
      touch();
      if (kept) endLine();
      close(1);
    },
  };
}
