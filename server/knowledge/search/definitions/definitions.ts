import { byScore } from '../coverage.ts';
import type { Query } from '../query.ts';
import type { Entry, Hit } from '../types.ts';
import { codeNamesAlone, codeNamesIn, codeNamesOfItems } from './code-names.ts';

/** Where a passage is: which of its source. */
interface Place {
  source: string;
  at: number;
}

/** Words of a question about a name in code; more ask for what its definition need not tell. */
const MAX_NAMED_WORDS = 3;
/** Added to the score of its definition then. */
const GAIN = 0.5;
/** Definitions of one name that are compared: `--verbose` may be an option of each command. */
const MAX_PLACES = 100;

/** The passages that define a name as it is written in code, under it as their heading or in an item that begins with it. */
export class Definitions {
  /** By name, and by source: one name may be defined on each of many pages. */
  readonly #places = new Map<string, Map<string, Place[]>>();
  readonly #names = new Map<string, Set<string>>();

  put(source: string, at: number, { headings, text }: Pick<Entry<unknown>, 'headings' | 'text'>): void {
    const names = new Set([...codeNamesAlone(headings.at(-1) ?? ''), ...codeNamesOfItems(text)]);
    for (const name of names) {
      const places = this.#places.get(name) ?? new Map<string, Place[]>();
      this.#places.set(name, places);
      places.set(source, [...(places.get(source) ?? []), { source, at }]);
      this.#names.set(source, (this.#names.get(source) ?? new Set()).add(name));
    }
  }

  remove(source: string): void {
    for (const name of this.#names.get(source) ?? []) {
      const places = this.#places.get(name)!;
      places.delete(source);
      if (places.size === 0) this.#places.delete(name);
    }
    this.#names.delete(source);
  }

  /** Of the names in the question. */
  find(question: string, scope: ReadonlySet<string> | undefined): Place[] {
    if (this.#places.size === 0) return [];
    const found: Place[] = [];
    for (const name of codeNamesIn(question))
      for (const [source, places] of this.#places.get(name) ?? []) {
        if (found.length >= MAX_PLACES) return found;
        if (!scope || scope.has(source)) found.push(...places);
      }
    return found;
  }
}

/**
 * The hits with those that define what the question names: first where it asks for little else, and one alone is the answer.
 * `onGain` gets what is added to the score of each.
 */
export function withDefinitions<S>(
  hits: Hit<S>[],
  defining: Hit<S>[],
  { implied }: Query,
  onGain: (hit: Hit<S>, gain: number) => void,
): Hit<S>[] {
  const asksLittleElse = implied <= MAX_NAMED_WORDS;
  const ahead = Math.max(0, (hits[0]?.score ?? 0) - Math.max(...defining.map(({ score }) => score)));
  const gain = asksLittleElse ? ahead + 1 : GAIN;
  const isAsked = asksLittleElse && defining.length === 1;
  const lifted = defining.map((hit) => ({ ...hit, score: hit.score + gain, ...(isAsked ? { isAsked } : {}) }));
  for (const hit of lifted) onGain(hit, gain);
  const known = new Set(lifted.map(({ entry }) => entry));
  return [...lifted, ...hits.filter(({ entry }) => !known.has(entry))].sort(byScore);
}
