import { MAX_BLOCKS, slices, TOO_MANY_BLOCKS, type Block, type Readable } from './blocks.ts';
import { inWords } from './table.ts';
import { plainTex } from './tex-words.ts';
import { TimeSlice } from '../../async/time-slice.ts';

/** Environments whose lines are kept as they stand. */
const CODE = /^(?:verbatim|lstlisting|minted|alltt)\*?$/;
const MATH = /^(?:equation|align|alignat|gather|multline|eqnarray|displaymath|math|flalign)\*?$/;
const TABLE = /^(?:tabular|tabularx|longtable|array)\*?$/;
/** Environments that are skipped. */
const UNREAD = /^(?:tikzpicture|comment|filecontents|thebibliography)\*?$/;
const BEGIN = /\\begin\{([a-zA-Z]{1,30}\*?)\}(?:\[[^\]]{0,200}\])?/g;
const LEVELS = ['part', 'chapter', 'section', 'subsection', 'subsubsection', 'paragraph', 'subparagraph'];
const SECTION_COMMAND = new RegExp(`^\\s*\\\\(${LEVELS.join('|')})\\*?(?:\\[[^\\]]{0,300}\\])?\\{`);
const ITEM_COMMAND = /^\s*\\item\b\s*(?:\[([^\]]{0,200})\])?/;
const COMMENT = /((?:^|[^\\])(?:\\\\)*)%.*$/;
/** UTF-16 units. A longer paragraph is split. */
const MAX_TEX_PARAGRAPH_LENGTH = 16 * 1024;
const MAX_PREAMBLE_LENGTH = 200_000;
/** UTF-16 units of a line; a longer one is split. */
const MAX_TEX_LINE_LENGTH = 8 * 1024;

/** Reads LaTeX as headings, paragraphs, items, rows of tables and code; formulas stay as source. */
export async function readTex(text: string): Promise<Readable> {
  const begin = text.slice(0, MAX_PREAMBLE_LENGTH).indexOf('\\begin{document}');
  const preamble = begin < 0 ? '' : text.slice(0, begin);
  const page = new TexBlocks();
  const timeSlice = new TimeSlice();
  let cut = false;
  for (const line of texLines(begin < 0 ? text : text.slice(begin + '\\begin{document}'.length))) {
    if (line.startsWith('\\end{document}') || (cut = page.size >= MAX_BLOCKS)) break;
    page.line(line);
    if (timeSlice.isOver) await timeSlice.renew();
  }
  const blocks = page.end();
  const named = /\\title(?:\[[^\]]{0,200}\])?\{((?:[^{}]|\{[^{}]{0,200}\}){1,500})\}/.exec(preamble)?.[1];
  const title = named ? plainTex(named) : (blocks.find(({ kind }) => kind === 'heading')?.text ?? '');
  return { title, blocks, ...(cut ? { cut: TOO_MANY_BLOCKS } : {}) };
}

function* texLines(text: string): Generator<string> {
  // A slice begins with the end of the line before it.
  for (const slice of slices(text, MAX_TEX_LINE_LENGTH)) yield* slice.replace(/^(?:\r\n?|\n)/, '').split(/\r\n?|\n/);
}

class TexBlocks {
  readonly #blocks: Block[] = [];
  #kind: Block['kind'] = 'text';
  #lines: string[] = [];
  #length = 0;
  /** The environment whose lines are not paragraphs; '' for none. */
  #environment = '';

  get size(): number {
    return this.#blocks.length;
  }

  end(): Block[] {
    this.#close();
    return this.#blocks;
  }

  line(rawLine: string): void {
    if (this.#environment) return this.#outside(this.#inside(rawLine).replace(COMMENT, '$1'));
    const line = rawLine.replace(COMMENT, '$1');
    // Unlike an empty line, a line with only a comment does not end the paragraph.
    if (line.trim() === '') return rawLine.trim() === '' ? this.#close() : undefined;
    this.#outside(line);
  }

  #outside(line: string): void {
    let rest = line;
    while (rest.trim()) {
      const begin = beginIn(rest);
      if (!begin) return this.#read(rest);
      const [start, name = ''] = begin;
      this.#read(rest.slice(0, begin.index));
      this.#close();
      this.#environment = name;
      rest = rest.slice(begin.index + start.length);
      // The arguments of a table describe its columns.
      if (TABLE.test(name)) rest = withoutArguments(rest);
      if (rest.trim()) rest = this.#inside(rest);
    }
  }

  /** Returns the rest of the line after the environment's end. */
  #inside(line: string): string {
    const name = this.#environment;
    const end = `\\end{${name}}`;
    const at = line.indexOf(end);
    const own = at < 0 ? line : line.slice(0, at);
    if (TABLE.test(name)) this.#row(own.replace(COMMENT, '$1'));
    else if (CODE.test(name)) this.#keep(own);
    else if (MATH.test(name)) this.#keep(own.replace(COMMENT, '$1'));
    if (at < 0) return '';
    this.#close();
    this.#environment = '';
    return line.slice(at + end.length);
  }

  #row(line: string): void {
    const cells = line
      .replace(/\\(?:hline|toprule|midrule|bottomrule|cline\{[^{}]{0,50}\})/g, ' ')
      .replace(/\\\\(?:\[[^\]]{0,50}\])?\s*$/, '')
      .split(/(?<!\\)&/)
      .map(plainTex);
    this.#push({ kind: 'item', text: inWords(cells, [], false) });
  }

  #read(line: string): void {
    const [start = '', name] = SECTION_COMMAND.exec(line) ?? [];
    if (name) {
      this.#close();
      const words = line.slice(start.length);
      const end = endOf(words);
      this.#push({
        kind: 'heading',
        level: Math.min(6, Math.max(1, LEVELS.indexOf(name))),
        text: plainTex(words.slice(0, end)),
      });
      return this.#read(words.slice(end + 1));
    }
    const [mark, label] = ITEM_COMMAND.exec(line) ?? [];
    if (mark !== undefined) {
      this.#close();
      this.#kind = 'item';
      this.#keep(`${label ? `${label}: ` : ''}${line.slice(mark.length)}`);
    } else if (line.trim()) this.#keep(line);
  }

  #keep(line: string): void {
    this.#lines.push(line);
    this.#length += line.length + 1;
    if (this.#length >= MAX_TEX_PARAGRAPH_LENGTH) this.#close();
  }

  #close(): void {
    const lines = this.#lines.splice(0);
    this.#length = 0;
    if (CODE.test(this.#environment)) this.#push({ kind: 'code', text: lines.join('\n').trimEnd() });
    else if (MATH.test(this.#environment))
      this.#push({ kind: 'text', text: lines.join(' ').replace(/\s+/g, ' ').trim() });
    else this.#push({ kind: this.#kind, text: plainTex(lines.join(' ')) });
    this.#kind = 'text';
  }

  #push(block: Block): void {
    if (block.text) this.#blocks.push(block);
  }
}

/** The first beginning of an environment that is not read as paragraphs. */
function beginIn(line: string): RegExpExecArray | undefined {
  for (const begin of line.matchAll(BEGIN)) {
    if ([CODE, MATH, TABLE, UNREAD].some((kind) => kind.test(begin[1]!))) return begin;
  }
  return undefined;
}

function withoutArguments(words: string): string {
  let rest = words.trimStart();
  while (rest.startsWith('{')) rest = rest.slice(endOf(rest.slice(1)) + 2);
  return rest;
}

/** Where the brace that was opened before these words closes; their end where it does not. */
function endOf(words: string): number {
  let depth = 1;
  for (let at = 0; at < words.length; at++) {
    if (words[at] === '\\') at++;
    else if (words[at] === '{') depth++;
    else if (words[at] === '}' && --depth === 0) return at;
  }
  return words.length;
}
