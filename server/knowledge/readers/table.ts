import type { Block } from './blocks.ts';

export interface Cell<B> {
  header: boolean;
  blocks: B[];
}
export type Row<B> = Cell<B>[];

/** UTF-16 units of a cell. A longer one means that the table lays out the page. */
const MAX_CELL_LENGTH = 500;

/**
 * The rows of a table as text, each value with its column's name: `Zone: Europe; Price: €9`, or, where the first cell labels
 * the row, `Europe — Price: €9`. No rows where the table only lays out the page; its blocks then stand for
 * themselves. `above`: the columns' names, where rows above these were converted before.
 */
export function rowsOf<B>(
  rows: Row<B>[],
  blockOf: (one: B) => Block,
  above?: string[],
): { rows?: string[]; names: string[] } {
  const texts = rows.map((row) => row.map((cell) => cell.blocks.map(blockOf)));
  if (texts.flat().some(isLayout) || !texts.some((row) => row.length > 1)) return { names: above ?? [] };
  const words = texts.map((row) =>
    row.map((blocks) =>
      blocks
        .map(({ text }) => text)
        .join(' ')
        .replace(/\s+/g, ' '),
    ),
  );
  const first = rows[0]!;
  const named = !above && rows.length > 1 && first.every((cell) => cell.header);
  const names = above ?? (named ? words[0]! : []);
  const lines = words
    .slice(named ? 1 : 0)
    .map((row, at) => inWords(row, names, rows[at + (named ? 1 : 0)]![0]!.header))
    .filter(Boolean);
  return { rows: lines, names };
}

function isLayout(blocks: Block[]): boolean {
  const length = blocks.reduce((sum, { text }) => sum + text.length, 0);
  return (
    blocks.length > 3 || length > MAX_CELL_LENGTH || blocks.some(({ kind }) => kind === 'heading' || kind === 'code')
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
