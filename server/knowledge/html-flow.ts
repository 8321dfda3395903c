import type { Block } from './blocks.ts';
import { rowsOf, type Cell, type Row } from './html-table.ts';

/** Where a link leads: to a place of the same page, or away from it. */
export type Linked = 'page' | 'away';

/** A block, and where in the page its text stood. */
export interface Placed<P> {
  block: Block;
  place: P;
  /** Nearly all of it is links. */
  linked?: Linked | undefined;
  /** All of it is bold. */
  bold?: boolean;
}

/** The share of a block's text from which on it is one link, with a comma or an arrow beside it. */
const NEARLY_ALL = 0.9;

/** Stands for a `<br>` until the white space around it has been put in order. */
export const LINE_BREAK = '\u2028';

/** What the text of an element becomes. `used` once: of a list item's paragraphs only the first is the item. */
interface Role {
  kind: Block['kind'];
  level?: number;
  used?: boolean;
}

interface Table<P> {
  rows: Row<Placed<P>>[];
  cells: Cell<Placed<P>>[];
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
  #parts: string[] = [];
  #place: P | undefined;
  /** Of the text since the last block: its characters, and those of them that are links. */
  #length = 0;
  #links = { page: 0, away: 0 };
  #bold = 0;
  /** What the text taken last was. */
  #linked: Linked | undefined;
  #isBold = false;
  /** A definition list's term waits for its definition. */
  #term = '';

  text(text: string, place: P, link?: Linked, bold = false): void {
    const length = text.trim().length;
    if (this.#place === undefined && length > 0) this.#place = place;
    this.#length += length;
    if (link) this.#links[link] += length;
    if (bold) this.#bold += length;
    this.#parts.push(text);
  }

  open(name: string): void {
    this.#flush();
    const outer = this.#roles.at(-1)!;
    this.#roles.push(roleOf(name) ?? outer);
    if (name === 'table') this.#tables.push({ rows: [], cells: [], outer: this.#out });
    else if (name === 'td' || name === 'th') this.#openCell(name === 'th');
  }

  close(name: string, place: P): void {
    if (name === 'dt') this.#keepTerm(place);
    else this.#flush();
    if (this.#roles.length > 1) this.#roles.pop();
    if (name === 'dl') this.#emitTerm(place);
    else if (name === 'td' || name === 'th') this.#closeCell();
    else if (name === 'tr') this.#closeRow();
    else if (name === 'table') this.#closeTable(place);
    // What a disclosure holds ends with it: an empty heading takes its summary off the path.
    else if (name === 'details') this.#out.push({ block: { kind: 'heading', level: 6, text: '' }, place });
  }

  end(): Placed<P>[] {
    this.#flush();
    return this.blocks;
  }

  #take(): string {
    const text = this.#parts.join('').replace(/[\u00ad\u200b\ufeff]/g, '');
    this.#parts = [];
    const { page, away } = this.#links;
    this.#linked = page + away < NEARLY_ALL * this.#length ? undefined : page > away ? 'page' : 'away';
    this.#isBold = this.#bold > 0 && this.#bold === this.#length;
    this.#length = this.#bold = 0;
    this.#links = { page: 0, away: 0 };
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
    for (const text of tidyLines(raw).split(/\n{2,}/)) if (text) this.#push(role, this.#withTerm(text), place);
  }

  #push(role: Role, text: string, place: P): void {
    const kind = role.kind === 'item' && role.used ? 'text' : role.kind;
    role.used = true;
    this.count++;
    const block = { kind, text, ...(role.level ? { level: role.level } : {}) };
    const linked = kind === 'code' ? undefined : this.#linked;
    this.#out.push({ block, place, linked, ...(this.#isBold && kind !== 'code' ? { bold: true } : {}) });
  }

  #keepTerm(place: P): void {
    const term = tidyLines(this.#take());
    this.#place = undefined;
    this.#emitTerm(place);
    this.#term = term;
  }

  /** A term that got no definition is an item by itself. */
  #emitTerm(place: P): void {
    if (this.#term) this.#push({ kind: 'item' }, this.#term, place);
    this.#term = '';
  }

  #withTerm(text: string): string {
    if (!this.#term) return text;
    const joined = /[:?!.]$/.test(this.#term) ? `${this.#term} ${text}` : `${this.#term}: ${text}`;
    this.#term = '';
    return joined;
  }

  #openCell(header: boolean): void {
    const table = this.#tables.at(-1);
    if (!table) return;
    this.#out = [];
    table.cells.push({ header, blocks: this.#out });
  }

  #closeCell(): void {
    const table = this.#tables.at(-1);
    if (table) this.#out = table.outer;
  }

  #closeRow(): void {
    const table = this.#tables.at(-1);
    if (!table?.cells.length) return;
    table.rows.push(table.cells);
    table.cells = [];
  }

  #closeTable(place: P): void {
    this.#closeRow();
    const table = this.#tables.pop();
    if (!table) return;
    this.#out = table.outer;
    const rows = rowsOf(table.rows, ({ block }) => block);
    this.#linked = linkedIn(table);
    this.#isBold = false;
    if (rows) for (const text of rows) this.#push({ kind: 'item' }, text, table.rows[0]![0]!.blocks[0]?.place ?? place);
    else for (const placed of table.rows.flat().flatMap((cell) => cell.blocks)) this.#out.push(placed);
  }
}

/** A table that has links alone, if it is one. */
function linkedIn<P>({ rows }: Table<P>): Linked | undefined {
  const blocks = rows.flat().flatMap((cell) => cell.blocks);
  return blocks.every(({ linked }) => linked) ? blocks[0]?.linked : undefined;
}

function roleOf(name: string): Role | undefined {
  if (/^h[1-6]$/.test(name)) return { kind: 'heading', level: Number(name[1]) };
  if (name === 'summary') return { kind: 'heading', level: 6 };
  if (name === 'li' || name === 'dd') return { kind: 'item' };
  if (name === 'pre') return { kind: 'code' };
  if (name === 'td' || name === 'th') return { kind: 'text' };
  return undefined;
}

/** White space as a browser shows it; a line break stays one. */
function tidyLines(text: string): string {
  return text
    .replace(/[ \t\n\r\f\v\u00a0]+/g, ' ')
    .replace(/ ?\u2028 ?/g, '\n')
    .trim();
}
