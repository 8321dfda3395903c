/** Shorter words have too many neighbours. */
const SHORTEST = 4;
const LONGEST = 24;
/** Pieces of the index beyond which they are made one. */
const PIECES = 6;
/** How many words one number of a list tells apart. */
const WORDS = 2 ** 21;

/**
 * Finds words that are one slip away from a mistyped one: a letter too many, too few, another, or two swapped. Two such
 * words have a letter less in common, so it lists what is left of each word when any one letter is taken out.
 */
export class Typos {
  readonly #words: readonly string[];
  /** Of words that came one after the other, the hash of each remainder with the word's number, sorted. */
  #pieces: Float64Array[] = [];
  #read = 0;

  /** `words` may grow; those that came since are listed at the next question. */
  constructor(words: readonly string[]) {
    this.#words = words;
  }

  /** The numbers of the words one slip away. */
  near(word: string): number[] {
    if (word.length < SHORTEST || word.length > LONGEST) return [];
    this.#catchUp();
    const found = new Set<number>();
    eachRemainder(word, (hash) => {
      for (const piece of this.#pieces) collect(piece, hash, found);
    });
    return [...found].filter((number) => isSlip(word, this.#words[number]!));
  }

  #catchUp(): void {
    const to = Math.min(this.#words.length, WORDS);
    if (this.#read >= to) return;
    if (this.#pieces.length >= PIECES) {
      this.#pieces = [];
      this.#read = 0;
    }
    const list: number[] = [];
    for (let number = this.#read; number < to; number++) {
      const word = this.#words[number]!;
      if (word.length < SHORTEST - 1 || word.length > LONGEST) continue;
      eachRemainder(word, (hash) => list.push(hash * WORDS + number));
    }
    this.#pieces.push(Float64Array.from(list).sort());
    this.#read = to;
  }
}

function collect(piece: Float64Array, hash: number, found: Set<number>): void {
  const least = hash * WORDS;
  let from = 0;
  let to = piece.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (piece[middle]! < least) from = middle + 1;
    else to = middle;
  }
  for (; from < piece.length && piece[from]! < least + WORDS; from++) found.add(piece[from]! - least);
}

/** Visits the hash of the word itself and of the word without each of its letters. */
function eachRemainder(word: string, visit: (hash: number) => void): void {
  for (let without = -1; without < word.length; without++) {
    // The second of two equal letters leaves the same.
    if (without > 0 && word.charCodeAt(without) === word.charCodeAt(without - 1)) continue;
    let hash = 2166136261;
    for (let at = 0; at < word.length; at++) {
      if (at !== without) hash = Math.imul(hash ^ word.charCodeAt(at), 16777619);
    }
    visit(hash >>> 0);
  }
}

/** Whether two different words are one slip apart. */
export function isSlip(a: string, b: string): boolean {
  if (a.length > b.length) return isSlip(b, a);
  if (b.length - a.length > 1 || a === b) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (a.length < b.length) return a.slice(at) === b.slice(at + 1);
  if (a.slice(at + 1) === b.slice(at + 1)) return true;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}
