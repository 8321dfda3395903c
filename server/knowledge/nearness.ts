import type { Question } from './question.ts';
import type { Vocabulary } from './words.ts';

/** What the ways in which words can stand together are worth beside BM25, as shares of it; tuned on SQuAD. */
const NEAR = 0.2;
const WINDOW = 0.5;
const PHRASE = 0.3;
const EXACT = 0.3;
/** Words of a window: about a long sentence, empty words not counted. */
const WIDTH = 16;

interface Place {
  at: number;
  /** Which of the question's terms. */
  term: number;
}

/**
 * 0 to about 1.3: what BM25, which counts words wherever they stand, does not see. Words of the question near each other,
 * many of them within one sentence's length, in the question's own order, in the question's own form.
 */
export function nearness(
  forms: Uint32Array,
  question: Question,
  words: Vocabulary,
  byRoot: Map<number, number>,
): number {
  const { terms, total } = question;
  const places: Place[] = [];
  const exact = new Uint8Array(terms.length);
  for (let at = 0; at < forms.length; at++) {
    const term = byRoot.get(words.root(forms[at]!));
    if (term === undefined) continue;
    places.push({ at, term });
    if (terms[term]!.form === forms[at]) exact[term] = 1;
  }
  const exactly = terms.reduce((sum, { weight }, term) => sum + weight * exact[term]!, 0);
  return (pairs(places, question) + WINDOW * window(places, question) + EXACT * exactly) / total;
}

/** Neighbouring places of two different terms: the closer the more, and more again in the question's order. */
function pairs(places: Place[], { terms }: Question): number {
  const near = new Float64Array(terms.length);
  const phrase = new Uint8Array(terms.length);
  for (let next = 1; next < places.length; next++) {
    const a = places[next - 1]!;
    const b = places[next]!;
    if (a.term === b.term) continue;
    const value = 1 / (b.at - a.at);
    near[a.term] = Math.max(near[a.term]!, value);
    near[b.term] = Math.max(near[b.term]!, value);
    if (value === 1 && b.term === a.term + 1) phrase[a.term] = 1;
  }
  let sum = 0;
  for (const [term, { weight }] of terms.entries()) {
    sum += NEAR * near[term]! * weight;
    if (phrase[term]) sum += PHRASE * Math.min(weight, terms[term + 1]!.weight);
  }
  return sum;
}

/** The weight of the different terms in the best window. */
function window(places: Place[], { terms }: Question): number {
  const count = new Uint16Array(terms.length);
  let sum = 0;
  let best = 0;
  let from = 0;
  for (const { at, term } of places) {
    if (count[term]!++ === 0) sum += terms[term]!.weight;
    while (at - places[from]!.at >= WIDTH) {
      const gone = places[from++]!.term;
      if (--count[gone]! === 0) sum -= terms[gone]!.weight;
    }
    best = Math.max(best, sum);
  }
  return best;
}
