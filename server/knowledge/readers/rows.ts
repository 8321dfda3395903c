import type { Block } from './blocks.ts';
import { inWords } from './table.ts';

const NUMBER = /^[\s\d.,:%+\-/€$£¥()]*$/;

/** Turns rows that come one by one into text: each value with its column's name. */
export class Rows {
  readonly #blocks: Block[];
  /** The first row with several cells. Only a second row shows that it is the header. */
  #first: string[] | undefined;
  #names: string[] | undefined;

  constructor(blocks: Block[]) {
    this.#blocks = blocks;
  }

  add(row: string[]): void {
    const cells = row.map((cell) => cell.replace(/\s+/g, ' ').trim());
    const filled = cells.filter(Boolean);
    if (filled.length === 0) return;
    if (this.#first) this.#begin(this.#first);
    // A title or a remark above the table.
    if (!this.#names && filled.length === 1) this.#push(filled[0]!);
    else if (this.#names) this.#push(inWords(cells, this.#names, false));
    else this.#first = cells;
  }

  end(): void {
    if (this.#first) this.#push(inWords(this.#first, [], false));
  }

  /** A first row with figures is data, not a header. */
  #begin(first: string[]): void {
    const figures = first.some((cell) => cell && NUMBER.test(cell));
    this.#names = figures ? [] : first;
    if (figures) this.#push(inWords(first, [], false));
    this.#first = undefined;
  }

  #push(text: string): void {
    if (text) this.#blocks.push({ kind: 'row', text });
  }
}
