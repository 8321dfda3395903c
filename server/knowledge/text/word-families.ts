import { Incremental } from './incremental.ts';

/** Letters that two stems must begin with together, and their share of the longer one. */
const LETTERS = 5;
const SHARE = 0.6;
/** Shorter stems are told apart by fewer letters: so many must be the same, and few may follow. */
const SHORTEST = 4;
const ENDING = 3;
/** A stem so long may begin a compound: XQuAD in German +.002 nDCG. */
const COMPOUND = 6;

/**
 * Finds the stems that are likely of one family with another: tribe and tribal, elect and election. What a stemmer keeps
 * apart to be precise is still the next best thing where the word itself is missing.
 */
export class WordFamilies {
  readonly #stems: readonly string[];
  /** By the first letters: the numbers of the stems. */
  readonly #families = new Map<string, number[]>();
  readonly #newcomers: Incremental;

  /** `stems` may grow; those that came since are listed at the next question. */
  constructor(stems: readonly string[]) {
    this.#stems = stems;
    this.#newcomers = new Incremental(stems);
  }

  /** The numbers of the others of its family. */
  of(stem: string): number[] {
    for (const _ of this.catchingUp());
    const family = this.#families.get(stem.slice(0, SHORTEST)) ?? [];
    return family.filter((number) => areRelated(this.#stems[number]!, stem));
  }

  /** As in `SpellingIndex`. */
  catchingUp(): Generator<void> {
    return this.#newcomers.steps((from, to) => {
      for (let number = from; number < to; number++) this.#list(this.#stems[number]!, number);
    });
  }

  #list(stem: string, number: number): void {
    if (stem.length < SHORTEST) return;
    const letters = stem.slice(0, SHORTEST);
    const family = this.#families.get(letters);
    if (family) family.push(number);
    else this.#families.set(letters, [number]);
  }
}

/** Of two stems that begin with the same `SHORTEST` letters. */
function areRelated(a: string, b: string): boolean {
  if (a === b) return false;
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  let same = SHORTEST;
  while (same < shorter.length && shorter.charCodeAt(same) === longer.charCodeAt(same)) same++;
  if (same === shorter.length && same >= COMPOUND) return true;
  return (same >= LETTERS && same >= SHARE * longer.length) || same >= longer.length - ENDING;
}
