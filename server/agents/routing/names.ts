import { forEachSliced } from '../../async/time-slice.ts';

/**
 * The places of names in a list. The names stay in the text that they were read from, with two numbers each: a Map of ten thousand
 * short strings takes six times the memory.
 */
export class NameTable {
  readonly #text: string;
  readonly #starts: Uint32Array;
  readonly #end: string;
  /** By hash: a place, from 1 on; 0 is free. At most half of them are taken. */
  readonly #slots: Uint32Array;

  private constructor(text: string, starts: Uint32Array, end: string) {
    this.#text = text;
    this.#starts = starts;
    this.#end = end;
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(starts.length * 2 + 1)));
  }

  /** Names that differ, by where they begin in the text; behind each stands `end`, a character that none of them has. */
  static within(text: string, starts: Uint32Array, end: string): NameTable {
    const table = new NameTable(text, starts, end);
    for (const [place, start] of starts.entries()) table.#add(text.slice(start, text.indexOf(end, start)), place);
    return table;
  }

  /** In slices between which others have their turn. */
  static async of(names: readonly string[]): Promise<NameTable> {
    const starts = new Uint32Array(names.length);
    let next = 0;
    for (const [place, name] of names.entries()) {
      starts[place] = next;
      next += name.length + 1;
    }
    const table = new NameTable(names.map((name) => `${name}\n`).join(''), starts, '\n');
    await forEachSliced(names, (name, place) => table.#add(name, place));
    return table;
  }

  /** -1 for one that is not in the list. */
  placeOf(name: string): number {
    return this.#slots[this.#slotOf(name)]! - 1;
  }

  #add(name: string, place: number): void {
    this.#slots[this.#slotOf(name)] = place + 1;
  }

  /** The slot that has the name, else the free one where it would be. */
  #slotOf(name: string): number {
    const slots = this.#slots;
    let slot = hashOf(name) & (slots.length - 1);
    while (slots[slot]! > 0 && !this.#isAt(this.#starts[slots[slot]! - 1]!, name))
      slot = (slot + 1) & (slots.length - 1);
    return slot;
  }

  #isAt(start: number, name: string): boolean {
    return this.#text.startsWith(name, start) && this.#text[start + name.length] === this.#end;
  }
}

/** FNV-1a, 32 bits, of UTF-16 units. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  // The last bits alone choose the slot.
  return hash ^ (hash >>> 15);
}
