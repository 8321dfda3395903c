import { Incremental } from './incremental.ts';

/** Shorter words have too many neighbours one edit away. */
const MIN_LENGTH = 4;
const MAX_LENGTH = 24;
/** Words that fit into one list: a hash and a word's number share a double. */
const MAX_WORDS = 2 ** 21;

/**
 * Finds words one edit away from a mistyped one: an insertion, deletion, substitution or transposition (SymSpell's symmetric
 * deletes). Two such words share a form with one letter removed, so the index has each word without each of its letters.
 */
export class SpellingIndex {
  readonly #words: readonly string[];
  /**
   * Sorted hashes of remainders, each with its word's number; a piece for each range of words. Each piece is at least twice
   * as long as the next, so that there are few to search.
   */
  readonly #pieces: Float64Array[] = [];
  readonly #incremental: Incremental;

  /** `words` may grow; new items are listed at the next query. */
  constructor(words: readonly string[]) {
    this.#words = words;
    this.#incremental = new Incremental(words, MAX_WORDS);
  }

  /** The numbers of the words one edit away. */
  near(word: string): number[] {
    if (word.length < MIN_LENGTH || word.length > MAX_LENGTH) return [];
    for (const _ of this.updateInSteps());
    const found = new Set<number>();
    eachRemainder(word, (hash) => {
      for (const piece of this.#pieces) collect(piece, hash, found);
    });
    return [...found].filter((number) => isSlip(word, this.#words[number]!));
  }

  /** For `restore`, once all words are listed. */
  get pieces(): readonly Float64Array[] {
    return this.#pieces;
  }

  /** The `pieces` of another one with the same words, instead of listing them. */
  restore(pieces: Float64Array[]): void {
    this.#pieces.push(...pieces);
    this.#incremental.skip();
  }

  /** Lists new words in steps of a few milliseconds. Callers must run it to its end. */
  updateInSteps(): Generator<void> {
    return this.#incremental.steps((from, to) => this.#list(from, to));
  }

  #list(from: number, to: number): void {
    const list: number[] = [];
    for (let number = from; number < to; number++) {
      const word = this.#words[number]!;
      if (word.length < MIN_LENGTH - 1 || word.length > MAX_LENGTH) continue;
      eachRemainder(word, (hash) => list.push(hash * MAX_WORDS + number));
    }
    if (list.length === 0) return;
    let last = Float64Array.from(list).sort();
    while (this.#pieces.length > 0 && this.#pieces.at(-1)!.length < 2 * last.length) {
      last = mergeSorted(this.#pieces.pop()!, last);
    }
    this.#pieces.push(last);
  }
}

/** Merges two sorted lists; sorting them again takes ten times as long. */
function mergeSorted(one: Float64Array, other: Float64Array): Float64Array<ArrayBuffer> {
  const both = new Float64Array(one.length + other.length);
  for (let at = 0, a = 0, b = 0; at < both.length; at++) {
    both[at] = b === other.length || one[a]! < other[b]! ? one[a++]! : other[b++]!;
  }
  return both;
}

function collect(piece: Float64Array, hash: number, found: Set<number>): void {
  const least = hash * MAX_WORDS;
  let from = 0;
  let to = piece.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (piece[middle]! < least) from = middle + 1;
    else to = middle;
  }
  for (; from < piece.length && piece[from]! < least + MAX_WORDS; from++) found.add(piece[from]! - least);
}

/** Visits the hash of the word itself and of the word without each of its letters. */
function eachRemainder(word: string, visit: (hash: number) => void): void {
  for (let without = -1; without < word.length; without++) {
    // Removing either of two equal letters leaves the same word.
    if (without > 0 && word.charCodeAt(without) === word.charCodeAt(without - 1)) continue;
    let hash = 2166136261;
    for (let at = 0; at < word.length; at++) {
      if (at !== without) hash = Math.imul(hash ^ word.charCodeAt(at), 16777619);
    }
    visit(hash >>> 0);
  }
}

/** Whether two different words are one edit apart. */
export function isSlip(a: string, b: string): boolean {
  if (a.length > b.length) return isSlip(b, a);
  if (b.length - a.length > 1 || a === b) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (a.length < b.length) return a.slice(at) === b.slice(at + 1);
  if (a.slice(at + 1) === b.slice(at + 1)) return true;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}
