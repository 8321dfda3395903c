import type { Language } from '../text/language.ts';

/**
 * A word in a passage, as one number, which keeps lists of them small: slot of the passage, whether the word is in its head,
 * and how often in its text, up to 127. Lists are in the order of slots.
 */
export const COUNT_BITS = 127;
export const HEAD_BIT = 128;
/** No posting is 0, since each has a count or the head bit. */
export const NONE = 0;
export const pack = (slot: number, tally: number): number => (slot << 8) | tally;
export const repack = (packed: number, slot: number): number => (slot << 8) | (packed & 255);
export const slotOf = (packed: number): number => packed >>> 8;
export const headOf = (packed: number): number => (packed >>> 7) & 1;
export const countOf = (packed: number): number => packed & 127;

/** The words of a passage. */
export interface PassageTerms {
  /** The language of its words in Latin letters. */
  language: Language;
  /** Word forms of the text in order, without stop words, numbered by the vocabulary. */
  forms: Uint32Array;
  /** The roots of the different words of title and headings. */
  head: Uint32Array;
  /** Orders passages with the same score, lowest first. It depends on what is indexed, not on when it was. */
  rank: number;
}

/** How far from where it would be in an evenly spread list a posting is looked for first. */
const STRIDE = 16;

/** The posting of that slot in a list; `NONE` where there is none. */
export function find(list: number[], slot: number): number {
  const { length } = list;
  if (length === 0) return NONE;
  const low = slotOf(list[0]!);
  const spread = slotOf(list[length - 1]!) - low;
  if (slot < low || slot > low + spread) return NONE;
  const guess = spread === 0 ? 0 : Math.floor(((slot - low) / spread) * (length - 1));
  let from = guess;
  let to = guess + 1;
  for (let step = STRIDE; from > 0 && slotOf(list[from]!) > slot; step *= 2)
    [to, from] = [from, Math.max(0, from - step)];
  for (let step = STRIDE; to < length && slotOf(list[to]!) <= slot; step *= 2)
    [from, to] = [to, Math.min(length, to + step)];
  while (to - from > 1) {
    const middle = (from + to) >>> 1;
    if (slotOf(list[middle]!) > slot) to = middle;
    else from = middle;
  }
  return slotOf(list[from]!) === slot ? list[from]! : NONE;
}

/** The passages that a search is limited to. */
export interface SlotSet {
  /** Their slots, a list a source. */
  slots: number[][];
  size: number;
  /** By slot: 1 for those. */
  has: Uint8Array;
}

/** `count`: of all slots. */
export function slotSetOf(slots: number[][], count: number): SlotSet {
  const has = new Uint8Array(count);
  for (const some of slots) for (const slot of some) has[slot] = 1;
  return { slots, size: slots.reduce((sum, { length }) => sum + length, 0), has };
}
