import type { Block } from '../blocks.ts';
import { Definitions } from './definitions.ts';
import { Lists, type ListPlace } from './lists.ts';
import type { Linked, Placed } from './placed.ts';
import { rowsOf, type Cell, type Row } from '../table.ts';

/** A block with this share of its text in links counts as a link; the rest is a comma or an arrow. */
const NEARLY_ALL = 0.9;

/** UTF-16 units. A longer paragraph is split. */
const MAX_BLOCK_LENGTH = 16 * 1024;
/** Cells of a row, and cells that are converted to text at once. A longer row is split. */
const MAX_HTML_CELLS = 500;

/** Stands for a `<br>` until the white space around it has been put in order. */
export const LINE_BREAK = '\u2028';

/** What the text of an element becomes. `used` once: of a list item's paragraphs only the first is the item. */
interface Role {
  kind: Block['kind'];
  level?: number;
  /** It is a definition. */
  isPart?: boolean;
  /** Of a list's item. */
  place?: ListPlace | undefined;
  used?: boolean;
  /** Of the question of an answer: headings within it are no others. */
  isQuestion?: boolean;
}

interface Table<P> {
  rows: Row<Placed<P>>[];
  cells: Cell<Placed<P>>[];
  /** Cells of `rows`. */
  count: number;
  /** The columns' names, once rows above have been converted. */
  names?: string[];
  /** Its `thead` is open. */
  isHead?: boolean;
  /** Where the blocks went before this table's cells took them. */
  outer: Placed<P>[];
}

/** Turns opening and closing block elements and the text between them into a flat list of blocks. */
export class Flow<P> {
  readonly blocks: Placed<P>[] = [];
  /** Blocks so far, those within tables too. */
  count = 0;
  #out = this.blocks;
  readonly #roles: Role[] = [{ kind: 'text' }];
  readonly #tables: Table<P>[] = [];
  readonly #lists = new Lists();
  readonly #definitions = new Definitions<P>();
  #parts: string[] = [];
  /** Characters of `#parts`. */
  #size = 0;
  #place: P | undefined;
  /** Of the text since the last block: its characters, and those of them that are links. */
  #length = 0;
  #links = { ...NO_LINKS };
  #bold = 0;
  /** It has words that are not bold. */
  #hasPlain = false;
  /** Of the text that `#take` returned last. */
  #linked: Linked | undefined;
  #isBold = false;

  text(text: string, place: P, link?: Linked, bold = false): void {
    const cut = this.#size > MAX_BLOCK_LENGTH ? text.search(/\s/) : -1;
    if (cut < 0 && this.#size < 2 * MAX_BLOCK_LENGTH) return this.#add(text, place, link, bold);
    this.#add(text.slice(0, Math.max(0, cut)), place, link, bold);
    this.#flush();
    this.#add(text.slice(Math.max(0, cut)), place, link, bold);
  }

  #add(text: string, place: P, link: Linked | undefined, bold: boolean): void {
    const length = text.trim().length;
    if (this.#place === undefined && length > 0) this.#place = place;
    this.#length += length;
    if (link) this.#links[link] += length;
    if (bold) this.#bold += length;
    else this.#hasPlain ||= /[\p{L}\p{N}]/u.test(text);
    this.#parts.push(text);
    this.#size += text.length;
  }

  /** `question`: the level of the heading that the element's text is, since an answer follows. */
  open(name: string, attributes: Record<string, string>, question?: number): void {
    this.#flush();
    const outer = this.#roles.at(-1)!;
    const place = this.#lists.open(name, attributes, outer.place);
    if (question !== undefined) this.#roles.push({ kind: 'heading', level: question, isQuestion: true });
    else this.#roles.push(place ? { kind: 'item', place } : outer.isQuestion ? outer : (roleOf(name) ?? outer));
    if (name === 'dl') this.#definitions.openList();
    else if (name === 'dd') this.#definitions.part(this.#out);
    if (name === 'table') this.#tables.push({ rows: [], cells: [], count: 0, outer: this.#out });
    else if (name === 'thead' && this.#tables.length > 0) this.#tables.at(-1)!.isHead = true;
    else if (name === 'td' || name === 'th') this.#openCell(name === 'th', attributes);
  }

  /** `ends`: the level of the headings whose sections end here. */
  close(name: string, place: P, ends?: number): void {
    if (name === 'dt') this.#keepTerm(place);
    else this.#flush();
    this.#lists.close(name);
    if (this.#roles.length > 1) this.#roles.pop();
    if (name === 'dl') this.#definitions.closeList();
    else if (name === 'td' || name === 'th') this.#closeCell();
    else if (name === 'tr') this.#closeRow();
    else if (name === 'thead' && this.#tables.length > 0) this.#tables.at(-1)!.isHead = false;
    else if (name === 'table') this.#closeTable(place);
    // An empty heading ends a section.
    if (ends !== undefined) this.#out.push({ block: { kind: 'heading', level: ends, text: '' }, place });
  }

  end(): Placed<P>[] {
    this.#flush();
    this.#definitions.closeList();
    return this.blocks;
  }

  #take(): string {
    const text = this.#parts.join('').replace(/[\u00ad\u200b\ufeff]/g, '');
    this.#parts = [];
    this.#size = 0;
    this.#linked = mostOf(this.#links, this.#length);
    this.#isBold = this.#bold > 0 && !this.#hasPlain;
    this.#length = this.#bold = 0;
    this.#hasPlain = false;
    this.#links = { ...NO_LINKS };
    return text;
  }

  #flush(): void {
    const raw = this.#take();
    const place = this.#place;
    this.#place = undefined;
    if (place === undefined) return;
    const role = this.#roles.at(-1)!;
    if (role.kind === 'code')
      return this.#push(
        role,
        raw
          .replaceAll(LINE_BREAK, '\n')
          .replace(/^\s*\n/, '')
          .trimEnd(),
        place,
      );
    for (const text of tidyLines(raw).split(/\n{2,}/)) if (text) this.#push(role, text, place);
  }

  #push(role: Role, text: string, place: P): void {
    const kind = role.kind === 'item' && role.used ? 'text' : role.kind;
    role.used = true;
    this.count++;
    const linked = kind === 'code' ? undefined : this.#linked;
    const leads = linked === 'away' ? { leadsAway: true as const } : {};
    const level = role.level ? { level: role.level } : {};
    const block = { kind, text, ...level, ...this.#lists.of(kind, role.place), ...leads };
    const marks = {
      ...(this.#isBold && kind !== 'code' ? { bold: true } : {}),
      ...(role.isPart ? { isPart: true } : {}),
    };
    this.#out.push({ block, place, linked, ...marks });
  }

  #keepTerm(place: P): void {
    const term = tidyLines(this.#take());
    this.#place = undefined;
    this.#definitions.term(term, place, this.#out);
  }

  #openCell(isMarked: boolean, { colspan, rowspan }: Record<string, string>): void {
    const table = this.#tables.at(-1);
    if (!table) return;
    if (table.cells.length >= MAX_HTML_CELLS) this.#closeRow();
    this.#out = [];
    const header = isMarked || table.isHead === true;
    table.cells.push({ header, blocks: this.#out, columns: Number(colspan) || 1, rows: Number(rowspan) || 1 });
  }

  #closeCell(): void {
    const table = this.#tables.at(-1);
    if (!table) return;
    const cell = table.cells.at(-1);
    if (cell && cell.blocks.length > 0 && cell.blocks.every(({ bold }) => bold)) cell.header = true;
    this.#out = table.outer;
  }

  #closeRow(): void {
    const table = this.#tables.at(-1);
    if (!table?.cells.length) return;
    table.rows.push(table.cells);
    table.count += table.cells.length;
    table.cells = [];
    if (table.count >= MAX_HTML_CELLS) this.#emitRows(table, undefined);
  }

  #closeTable(place: P): void {
    this.#closeRow();
    const table = this.#tables.pop();
    if (!table) return;
    this.#out = table.outer;
    this.#emitRows(table, place);
  }

  /** Converts the rows so far to text; long tables are converted in parts. */
  #emitRows(table: Table<P>, otherwise: P | undefined): void {
    const out = this.#out;
    this.#out = table.outer;
    const { rows, names, caption } = rowsOf(table.rows, ({ block }) => block, table.names);
    this.#linked = linkedIn(table);
    this.#isBold = false;
    const blocks = table.rows.flat().flatMap((cell) => cell.blocks);
    const place = blocks[0]?.place ?? otherwise;
    if (caption && place !== undefined) this.#push({ kind: 'text' }, caption, place);
    if (!rows) for (const placed of blocks) this.#out.push(placed);
    else if (place !== undefined) for (const text of rows) this.#push({ kind: 'item' }, text, place);
    table.names = names;
    table.rows = [];
    table.count = 0;
    this.#out = out;
  }
}

const NO_LINKS: Record<Linked, number> = { page: 0, away: 0, contact: 0 };

/** The kind of links that a text of this length has most of, where nearly all of it is links. */
function mostOf({ page, away, contact }: Record<Linked, number>, length: number): Linked | undefined {
  if (page + away + contact < NEARLY_ALL * length) return undefined;
  if (page > away) return 'page';
  return contact > away ? 'contact' : 'away';
}

/** The kind of links where all blocks of the table are links. */
function linkedIn<P>({ rows }: Table<P>): Linked | undefined {
  const blocks = rows.flat().flatMap((cell) => cell.blocks);
  return blocks.every(({ linked }) => linked) ? blocks[0]?.linked : undefined;
}

function roleOf(name: string): Role | undefined {
  if (/^h[1-6]$/.test(name)) return { kind: 'heading', level: Number(name[1]) };
  if (name === 'li') return { kind: 'item' };
  if (name === 'dd') return { kind: 'item', isPart: true };
  if (name === 'pre') return { kind: 'code' };
  if (name === 'td' || name === 'th') return { kind: 'text' };
  return undefined;
}

/** Collapses white space as a browser does, except line breaks. */
function tidyLines(text: string): string {
  return text
    .replace(/[ \t\n\r\f\v\u00a0]+/g, ' ')
    .replace(/ ?\u2028 ?/g, '\n')
    .trim();
}
