import type { PassageTerms } from './posting.ts';
import type { Query } from './query.ts';
import type { Vocabulary } from '../text/tokenizer.ts';

/**
 * What is added to BM25 for a term of the question: in the best window of a passage, as a phrase with the term before it,
 * in the question's own form, in the title or a heading, and where only a word of the same family is there. Fitted by
 * logistic regression on half of SQuAD's articles and XQuAD in German and Arabic; other sets were for testing only. With `bestCoverage`: right first .807 to .829 on SQuAD, .907 to .915 in
 * German, Cranfield's nDCG .400 to .405.
 */
const WINDOW_WEIGHT = 0.85;
const PHRASE_WEIGHT = 0.44;
const EXACT_WEIGHT = 0.8;
const HEAD_WEIGHT = 0.7;
const FAMILY_WEIGHT = 1;
/** The share of its weight that a term of title or headings adds to every window. */
const NEAR_HEAD = 0.6;
/** Words of a window: a clause, stop words not counted. */
const WINDOW_WORDS = 8;

/** Where a passage has a word of the query, and which of its terms that is. */
interface TermPositions {
  at: number[];
  term: number[];
}

/** How a passage has a term; 0 not at all. */
const SAME_FAMILY = 1;
const SAME_ROOT = 2;
const SAME_FORM = 3;

/** By the lowest bits of a root: 1 where it may be one of the question's. To look up each word in a map takes longer. */
const FILTER_BITS = 1023;

/** Scores order, distance and form of the terms, which BM25 ignores: 0 to about 3, as a share of the question's weight. */
export function proximityTo(query: Query, words: Vocabulary): (passage: PassageTerms) => number {
  const { terms, termByRoot, relatedTerms, totalWeight } = query;
  const filter = new Uint8Array(FILTER_BITS + 1);
  for (const roots of [termByRoot, relatedTerms]) for (const root of roots.keys()) filter[root & FILTER_BITS] = 1;
  return ({ forms, head }) => {
    const positions: TermPositions = { at: [], term: [] };
    const matches = new Uint8Array(terms.length);
    for (let at = 0; at < forms.length; at++) {
      const root = words.root(forms[at]!);
      if (filter[root & FILTER_BITS] === 0) continue;
      const term = termByRoot.get(root)?.term;
      if (term === undefined) {
        const related = relatedTerms.get(root);
        if (related !== undefined && matches[related] === 0) matches[related] = SAME_FAMILY;
        continue;
      }
      positions.at.push(at);
      positions.term.push(term);
      const match = terms[term]!.form === forms[at] ? SAME_FORM : SAME_ROOT;
      if (matches[term]! < match) matches[term] = match;
    }
    const inHead = flagTerms(head, query);
    const sum =
      worthOf(matches, inHead, query) + phrases(positions, query) + WINDOW_WEIGHT * window(positions, inHead, query);
    return sum / totalWeight;
  };
}

/** By term: 1 for those that are among the roots. */
function flagTerms(roots: Uint32Array, { terms, termByRoot }: Query): Uint8Array {
  const among = new Uint8Array(terms.length);
  for (const root of roots) {
    const found = termByRoot.get(root);
    if (found) among[found.term] = 1;
  }
  return among;
}

function worthOf(matches: Uint8Array, inHead: Uint8Array, { terms }: Query): number {
  let sum = 0;
  for (let term = 0; term < terms.length; term++) {
    const { weight } = terms[term]!;
    const match = matches[term]!;
    if (inHead[term]) sum += HEAD_WEIGHT * weight;
    if (match === SAME_FORM || (match < SAME_ROOT && inHead[term])) sum += EXACT_WEIGHT * weight;
    else if (match === SAME_FAMILY) sum += FAMILY_WEIGHT * weight;
  }
  return sum;
}

function phrases({ at, term }: TermPositions, { terms }: Query): number {
  const seen = new Uint8Array(terms.length);
  let sum = 0;
  for (let next = 1; next < at.length; next++) {
    const first = term[next - 1]!;
    if (seen[first] || term[next] !== first + 1 || at[next]! - at[next - 1]! !== 1) continue;
    seen[first] = 1;
    sum += PHRASE_WEIGHT * Math.min(terms[first]!.weight, terms[first + 1]!.weight);
  }
  return sum;
}

/** The weight of the different terms in the best window, and of those of the title. */
function window({ at, term }: TermPositions, inHead: Uint8Array, { terms }: Query): number {
  const weight = (one: number) => terms[one]!.weight * (inHead[one] ? 1 - NEAR_HEAD : 1);
  const count = new Uint16Array(terms.length);
  let sum = 0;
  for (let one = 0; one < terms.length; one++) if (inHead[one]) sum += NEAR_HEAD * terms[one]!.weight;
  let best = sum;
  let from = 0;
  for (let to = 0; to < at.length; to++) {
    const one = term[to]!;
    if (count[one]!++ === 0) sum += weight(one);
    while (at[to]! - at[from]! >= WINDOW_WORDS) {
      const gone = term[from++]!;
      if (--count[gone]! === 0) sum -= weight(gone);
    }
    if (sum > best) best = sum;
  }
  return best;
}
