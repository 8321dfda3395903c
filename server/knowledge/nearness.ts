import type { Question } from './question.ts';
import type { Vocabulary } from './words.ts';

/** What the ways in which words can stand together are worth beside BM25, as shares of it; tuned on SQuAD. */
const NEAR = 0.2;
const WINDOW = 0.5;
const PHRASE = 0.3;
const EXACT = 0.3;
/** Words of a window: about a long sentence, empty words not counted. */
const WIDTH = 16;

/** Where a passage has a word of the question, and which of its terms that is. */
interface Spots {
  at: number[];
  term: number[];
}

/**
 * 0 to about 1.3: what BM25, which counts words wherever they stand, does not see. Words of the question near each
 * other, many of them within one sentence's length, in the question's own order, in the question's own form.
 */
export function nearness(forms: Uint32Array, question: Question, words: Vocabulary): number {
  const { terms, places, total } = question;
  const spots: Spots = { at: [], term: [] };
  const seen = new Uint8Array(terms.length);
  let exactly = 0;
  let different = 0;
  for (let at = 0; at < forms.length; at++) {
    const form = forms[at]!;
    const term = places.get(words.root(form))?.term;
    if (term === undefined) continue;
    spots.at.push(at);
    spots.term.push(term);
    const exact = terms[term]!.form === form ? 2 : 1;
    if (!seen[term]) different++;
    if (exact === 2 && seen[term] !== 2) exactly += terms[term]!.weight;
    seen[term] = Math.max(seen[term]!, exact);
  }
  const together = different > 1 ? pairs(spots, question) + WINDOW * window(spots, question) : 0;
  const alone = different === 1 && terms.length > 1 ? WINDOW * terms[spots.term[0]!]!.weight : 0;
  return (together + alone + EXACT * exactly) / total;
}

/** Neighbouring spots of two different terms: the closer the more, and more again in the question's order. */
function pairs({ at, term }: Spots, { terms }: Question): number {
  const near = new Float64Array(terms.length);
  const phrase = new Uint8Array(terms.length);
  for (let next = 1; next < at.length; next++) {
    const a = term[next - 1]!;
    const b = term[next]!;
    if (a === b) continue;
    const value = 1 / (at[next]! - at[next - 1]!);
    if (value > near[a]!) near[a] = value;
    if (value > near[b]!) near[b] = value;
    if (value === 1 && b === a + 1) phrase[a] = 1;
  }
  let sum = 0;
  for (let one = 0; one < terms.length; one++) {
    sum += NEAR * near[one]! * terms[one]!.weight;
    if (phrase[one]) sum += PHRASE * Math.min(terms[one]!.weight, terms[one + 1]!.weight);
  }
  return sum;
}

/** The weight of the different terms in the best window. */
function window({ at, term }: Spots, { terms }: Question): number {
  const count = new Uint16Array(terms.length);
  let sum = 0;
  let best = 0;
  let from = 0;
  for (let to = 0; to < at.length; to++) {
    const one = term[to]!;
    if (count[one]!++ === 0) sum += terms[one]!.weight;
    while (at[to]! - at[from]! >= WIDTH) {
      const gone = term[from++]!;
      if (--count[gone]! === 0) sum -= terms[gone]!.weight;
    }
    if (sum > best) best = sum;
  }
  return best;
}
