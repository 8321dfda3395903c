import { MAX_BLOCKS, MAX_INDENT, TOO_MANY_BLOCKS, type Block, type Readable } from './blocks.ts';
import { inWords } from './table.ts';
import { TimeSlice } from '../../async/time-slice.ts';

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ATX_HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const CLOSING_MARKS = /(?<![#\t ])[ \t]+#{1,99}[ \t]*$|^#{1,99}[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const LIST_MARKER = /^([ \t]*)(?:[-*+]|(\d{1,3})[.)]|\d{4,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/;
const INDENTED = /^(?: {2}| ?\t)/;
const QUOTE = /^ {0,3}(?:>[ \t]?)+/;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$/;
const LINK_DEFINITION = /^ {0,3}\[[^\]]+\]:[ \t]*\S/;
/** UTF-16 units of a paragraph whose marks are removed. A longer one is generated, and the patterns would take too long. */
const MAX_MARKED_LENGTH = 10_000;
/** UTF-16 units. Longer lines and paragraphs are split. */
const MAX_LINE_LENGTH = 8 * 1024;
const MAX_PARAGRAPH_LENGTH = 16 * 1024;
/** YAML front matter. */
const FRONT_MATTER = /^---[ \t]*(?:\r\n?|\n)([^]{0,20000}?)(?:\r\n?|\n)(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|$)/;
const LINE_END = /\r\n?|\n/g;
/** Whole characters of a long line, up to a space where there is one. */
const PART = new RegExp(`[^]{1,${MAX_LINE_LENGTH}}(?:\\s|$)|[^]{1,${MAX_LINE_LENGTH}}`, 'gu');

/** Reads Markdown as headings, paragraphs, list items, table rows and code, without marks. */
export async function readMarkdown(text: string): Promise<Readable> {
  const front = FRONT_MATTER.exec(text);
  const page = new MarkdownBlocks();
  const timeSlice = new TimeSlice();
  let cut = false;
  for (const line of markdownLines(text, front?.[0].length ?? 0)) {
    if ((cut = page.size >= MAX_BLOCKS)) break;
    page.line(line);
    if (timeSlice.isOver) await timeSlice.renew();
  }
  const blocks = page.end();
  const named = /^title:[ \t]*(["']?)(.+?)\1[ \t\r]*$/m.exec(front?.[1] ?? '')?.[2];
  const title = named ?? blocks.find(({ kind }) => kind === 'heading')?.text ?? '';
  return { title, blocks, ...(cut ? { cut: TOO_MANY_BLOCKS } : {}) };
}

/** Lazy: splitting a long text at once would block the event loop. */
function* markdownLines(text: string, from: number): Generator<string> {
  let start = from;
  for (const { index, 0: end } of text.slice(from).matchAll(LINE_END)) {
    yield* partsOf(text.slice(start, from + index));
    start = from + index + end.length;
  }
  yield* partsOf(text.slice(start));
}

function* partsOf(line: string): Generator<string> {
  if (line.length <= MAX_LINE_LENGTH) yield line;
  else for (const [part] of line.matchAll(PART)) yield part;
}

class MarkdownBlocks {
  readonly #blocks: Block[] = [];
  readonly #list = new MarkdownList();
  #kind: Block['kind'] = 'text';
  #lines: string[] = [];
  /** Characters of `#lines`. */
  #length = 0;
  #fence = '';
  /** The cells above a table's line of dashes. */
  #columns: string[] = [];

  line(rawLine: string): void {
    const line = this.#fence ? rawLine : rawLine.replace(QUOTE, '');
    const [, fence = ''] = FENCE.exec(line) ?? [];
    if (this.#fence) this.#code(line, fence);
    else if (fence) this.#open('code', line, fence);
    else if (line.trim() === '') this.#close();
    else this.#read(line);
  }

  get size(): number {
    return this.#blocks.length;
  }

  end(): Block[] {
    this.#close();
    return this.#blocks;
  }

  #read(line: string): void {
    const [start = '', marks] = ATX_HEADING.exec(line) ?? [];
    const [, under] = this.#kind === 'text' && this.#lines.length > 0 ? (UNDERLINE.exec(line) ?? []) : [];
    if (marks) this.#heading(marks.length, line.slice(start.length).replace(CLOSING_MARKS, ''));
    else if (TABLE_RULE.test(line) && this.#lines.length > 0) this.#columns = cellsOf(this.#lines.pop()!);
    else if (under) this.#heading(under.startsWith('=') ? 1 : 2, this.#lines.splice(0).join(' '));
    else if (RULE.test(line)) this.#close();
    else if (this.#columns.length > 0) this.#row(cellsOf(line));
    else if (!LINK_DEFINITION.test(line)) this.#words(line);
  }

  #words(line: string): void {
    const marker = LIST_MARKER.exec(line);
    if (marker) {
      this.#close();
      this.#kind = 'item';
      this.#list.item(marker[1]!, marker[2]);
    } else if (this.#lines.length === 0) this.#list.paragraph(line);
    this.#keep(line.replace(LIST_MARKER, ''));
  }

  #heading(level: number, words: string): void {
    this.#close();
    this.#list.end();
    this.#push({ kind: 'heading', level, text: visibleText(words) });
  }

  #row(cells: string[]): void {
    this.#list.end();
    this.#push({ kind: 'item', text: visibleText(inWords(cells, this.#columns, false)) });
  }

  #open(kind: Block['kind'], line: string, fence: string): void {
    this.#close();
    this.#list.paragraph(line);
    this.#kind = kind;
    this.#fence = fence;
  }

  #code(line: string, fence: string): void {
    const closes = fence.startsWith(this.#fence) && line.trim() === fence;
    if (!closes) return this.#keep(line);
    this.#fence = '';
    this.#close();
  }

  /** Splits a paragraph at `MAX_PARAGRAPH_LENGTH`. */
  #keep(line: string): void {
    this.#lines.push(line);
    this.#length += line.length + 1;
    if (this.#length < MAX_PARAGRAPH_LENGTH) return;
    const kind = this.#kind;
    this.#close();
    this.#kind = kind === 'code' ? 'code' : 'text';
  }

  #close(): void {
    this.#length = 0;
    const lines = this.#lines.splice(0);
    const text = this.#kind === 'code' ? lines.join('\n').trimEnd() : visibleText(lines.join(' '));
    this.#push({ kind: this.#kind, text });
    this.#kind = 'text';
    this.#columns = [];
  }

  #push(block: Block): void {
    if (block.text) this.#blocks.push({ ...block, ...this.#list.of(block.kind) });
  }
}

/** The list that is open, if any. */
class MarkdownList {
  #isOpen = false;
  #list = 0;
  #number: number | undefined;
  #indent = 0;

  item(space: string, number: string | undefined): void {
    if (!this.#isOpen) this.#list++;
    this.#isOpen = true;
    this.#number = number === undefined ? undefined : Number(number);
    this.#indent = Math.min(MAX_INDENT, space.replaceAll('\t', '    ').length);
  }

  /** A paragraph or code that is not indented ends the list. */
  paragraph(line: string): void {
    if (!INDENTED.test(line)) this.end();
  }

  end(): void {
    this.#isOpen = false;
  }

  of(kind: Block['kind']): Pick<Block, 'list' | 'number' | 'indent'> {
    if (!this.#isOpen || kind === 'heading') return {};
    const [list, indent] = [this.#list, this.#indent];
    if (kind !== 'item') return { list, ...(kind === 'text' ? { indent: indent + 3 } : {}) };
    return { list, ...(this.#number === undefined ? {} : { number: this.#number }), ...(indent ? { indent } : {}) };
  }
}

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** A line as it is rendered: the text of links, without emphasis and tags. */
function visibleText(words: string): string {
  const shown = words.length > MAX_MARKED_LENGTH ? words : withoutMarks(words);
  return shown.replace(/\s+/g, ' ').trim();
}

const withoutMarks = (words: string): string =>
  words
    .replace(/<!--[^]{0,2000}?-->/g, ' ')
    .replace(/!?\[([^\][]{0,500})\]\([^()\s]{0,2000}(?:[ \t]+"[^"]{0,200}")?\)/g, '$1')
    .replace(/\[([^\][]{1,500})\]\[[^\][]{0,200}\]/g, '$1')
    .replace(/<((?:https?:\/\/|mailto:)[^<>\s]{1,2000})>/g, '$1')
    .replace(/<\/?[a-z][a-z0-9-]{0,30}(?:\s[^<>]{0,500})?\/?>/gi, ' ')
    .replace(/(?<!`)(`{1,3})(?!`)([^`]{1,500})\1(?!`)/g, '$2')
    .replace(/(?<![\p{L}\p{N}\\])(\*{1,3}|_{1,3}|~~)(?=\S)(.{1,500}?)(?<=\S)\1(?![\p{L}\p{N}])/gu, '$2')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');
