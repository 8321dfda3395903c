import { Incremental } from './incremental.ts';

/** Letters that two stems must begin with together, and their share of the longer one. */
const MIN_SHARED_LETTERS = 5;
const MIN_SHARED_PART = 0.6;
/** For shorter stems: letters that must be the same, and letters that may follow. */
const MIN_STEM = 4;
const MAX_ENDING = 3;
/** Letters from which on a stem may begin a compound: XQuAD in German +.002 nDCG. */
const MIN_COMPOUND = 6;

/**
 * Finds the stems that are likely of one family with another: tribe and tribal, elect and election. A stemmer
 * keeps these apart for precision; they are the fallback where a passage lacks the word itself.
 */
export class WordFamilies {
  readonly #stems: readonly string[];
  /** By the first letters: the numbers of the stems. */
  readonly #families = new Map<string, number[]>();
  readonly #incremental: Incremental;

  /** `stems` may grow; new items are listed at the next query. */
  constructor(stems: readonly string[]) {
    this.#stems = stems;
    this.#incremental = new Incremental(stems);
  }

  /** The numbers of the others of its family. */
  of(stem: string): number[] {
    for (const _ of this.updateInSteps());
    const family = this.#families.get(stem.slice(0, MIN_STEM)) ?? [];
    return family.filter((number) => areRelated(this.#stems[number]!, stem));
  }

  /** As in `SpellingIndex`. */
  updateInSteps(): Generator<void> {
    return this.#incremental.steps((from, to) => {
      for (let number = from; number < to; number++) this.#list(this.#stems[number]!, number);
    });
  }

  #list(stem: string, number: number): void {
    if (stem.length < MIN_STEM) return;
    const letters = stem.slice(0, MIN_STEM);
    const family = this.#families.get(letters);
    if (family) family.push(number);
    else this.#families.set(letters, [number]);
  }
}

/** Of two stems that begin with the same `MIN_STEM` letters. */
function areRelated(a: string, b: string): boolean {
  if (a === b) return false;
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  let same = MIN_STEM;
  while (same < shorter.length && shorter.charCodeAt(same) === longer.charCodeAt(same)) same++;
  if (same === shorter.length && same >= MIN_COMPOUND) return true;
  return (same >= MIN_SHARED_LETTERS && same >= MIN_SHARED_PART * longer.length) || same >= longer.length - MAX_ENDING;
}
