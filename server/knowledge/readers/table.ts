import type { Block } from './blocks.ts';

export interface Cell<B> {
  header: boolean;
  blocks: B[];
  /** Columns and rows that it spans; 1 by default. */
  columns?: number;
  rows?: number;
}
export type Row<B> = Cell<B>[];

/** UTF-16 units of a cell, and its paragraphs where no header marks the rows or columns. More mean that the table lays out the page. */
const [MAX_CELL_LENGTH, MAX_CELL_BLOCKS] = [500, 3];
/** Columns and rows that a cell may span, and UTF-16 units of one that counts in each of its rows. */
const MAX_SPAN = 50;
const MAX_LABEL_LENGTH = 100;
const FIGURE = /\d/;
/** Columns and rows of a table whose columns are named by its first row without any mark. */
const MIN_UNMARKED = 3;

/** The words of a cell: the same object in each column and row that it spans. */
interface Slot {
  text: string;
  header: boolean;
}

interface TextRows {
  /** None where the table only lays out the page; its blocks then stand for themselves. */
  rows?: string[];
  /** What stands in a row of its own above the columns' names. */
  caption?: string | undefined;
  names: string[];
}

/**
 * The rows of a table as text, each value with its column's name: `Zone: Europe; Price: €9`, or, where the first cell labels
 * the row, `Europe — Price: €9`. Rows below one that spans the table begin with its words. `above`: the columns' names, where
 * rows above these were converted before.
 */
export function rowsOf<B>(rows: Row<B>[], blockOf: (one: B) => Block, above?: string[]): TextRows {
  const texts = rows.map((row) => row.map((cell) => cell.blocks.map(blockOf)));
  const most = hasHeaders(rows) ? Infinity : MAX_CELL_BLOCKS;
  if (texts.flat().some((cell) => isLayout(cell, most)) || !texts.some((row) => row.length > 1))
    return { names: above ?? [] };
  const grid = gridOf(rows, (blocks) =>
    blocks
      .map((one) => blockOf(one).text)
      .join(' ')
      .replace(/\s+/g, ' '),
  ).filter((row) => row.some(({ text }) => text));
  const isWide = (row: Slot[] = []): boolean => new Set(row).size === 1 && row.length > 1;
  const caption = !above && isWide(grid[0]) ? grid.shift()![0]!.text : undefined;
  const names = above ?? [];
  const hasHeader = (): boolean => grid.length > 1 && !isWide(grid[0]) && isHeader(grid, names.length > 0);
  if (!above)
    while (hasHeader())
      for (const [at, { text }] of grid.shift()!.entries())
        if (text && names[at] !== text) names[at] = names[at] ? `${names[at]} ${text}` : text;
  let group = '';
  const lines: string[] = [];
  for (const [at, row] of grid.entries()) {
    if (isWide(row) && row[0]!.text.length <= MAX_LABEL_LENGTH && at + 1 < grid.length) group = row[0]!.text;
    else {
      const cells = row.map((slot, column) => (column > 0 && row[column - 1] === slot ? '' : slot.text));
      const line = inWords(cells, names, row[0]!.header || (names.length > 0 && !names[0]));
      if (line) lines.push(group ? `${group.replace(/\s*:$/, '')}: ${line}` : line);
    }
  }
  return { rows: lines, caption, names: Array.from(names, (name = '') => name) };
}

/** Each cell in the columns and rows that it spans. */
function gridOf<B>(rows: Row<B>[], wordsOf: (blocks: B[]) => string): Slot[][] {
  const below: { slot: Slot; rows: number }[] = [];
  return rows.map((row) => {
    const slots: Slot[] = [];
    const fill = (): void => {
      for (let over = below[slots.length]; over && over.rows > 0; over = below[slots.length]) {
        over.rows -= 1;
        slots.push(over.slot);
      }
    };
    for (const { header, blocks, columns = 1, rows: height = 1 } of row) {
      fill();
      const slot = { header, text: wordsOf(blocks) };
      const left = slot.text.length <= MAX_LABEL_LENGTH ? Math.min(height, MAX_SPAN) - 1 : 0;
      for (let column = 0; column < Math.min(columns, MAX_SPAN); column++) {
        below[slots.length] = { slot, rows: left };
        slots.push(slot);
      }
    }
    fill();
    return slots;
  });
}

/** Whether the first row names the columns: by its marks, or as the only one without figures. */
function isHeader([first = [], ...rest]: Slot[][], isSecond: boolean): boolean {
  if (first.some(({ header }) => header)) return first.every(({ header, text }) => header || !text);
  if (isSecond || rest.length + 1 < MIN_UNMARKED || first.length < MIN_UNMARKED) return false;
  const hasFigures = (row: Slot[]): boolean => row.slice(1).some(({ text }) => FIGURE.test(text));
  return first.every(({ text }) => text && !FIGURE.test(text)) && rest.every(hasFigures);
}

/** Whether cells that are marked name the columns, or each row. */
const hasHeaders = <B>([first = [], ...rest]: Row<B>[]): boolean =>
  first.length > 1 &&
  rest.length > 0 &&
  (first.every(({ header, blocks }) => header || blocks.length === 0) || rest.every(([label]) => label?.header));

function isLayout(blocks: Block[], most: number): boolean {
  const length = blocks.reduce((sum, { text }) => sum + text.length, 0);
  return (
    blocks.length > most || length > MAX_CELL_LENGTH || blocks.some(({ kind }) => kind === 'heading' || kind === 'code')
  );
}

/** UTF-16 units of a column's name: it is repeated in every row, which multiplies its length. */
const MAX_COLUMN_NAME_LENGTH = 100;

/** `names`: the columns'. `labelled`: the first cell labels the row. */
export function inWords(cells: string[], names: string[], labelled: boolean): string {
  if (names.length) {
    const pairs = cells.map((text, at) => {
      const name = (names[at] ?? '').slice(0, MAX_COLUMN_NAME_LENGTH).toWellFormed().replace(/\s*:$/, '');
      return text && name && text !== name ? `${name}: ${text}` : text;
    });
    const values = pairs.slice(1).filter(Boolean).join('; ');
    if (labelled && cells[0] && values) return `${cells[0].replace(/\s*:$/, '')} — ${values}`;
    return pairs.filter(Boolean).join('; ');
  }
  const [label = '', ...values] = cells;
  const rest = values.filter(Boolean).join('; ');
  if (!label || !rest) return label || rest;
  return labelled || cells.length === 2 ? `${label.replace(/:$/, '')}: ${rest}` : `${label}; ${rest}`;
}
