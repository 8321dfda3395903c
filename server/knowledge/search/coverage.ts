import type { Entry, Hit, Sentence } from './types.ts';
import type { Place, Query } from './query.ts';

/** What a word of the question counts where it stands not in the sentence but around it. */
const BEFORE = 0.6;
const IN_HEAD = 0.8;
const IN_PASSAGE = 0.1;
/** Passages that are read, and what the best sentence's coverage is worth beside BM25 as a share of the question. */
const READ = 10;
const TOLD = 1.35;
/** What it adds that a sentence holds the kind of thing asked for: a date, a number, a name. */
const TYPE = 0.3;

/** For each sentence of a passage, by term, 0 to 1: how well it has the term, in itself or around it. */
function coverageOf(sentences: Sentence[], head: Uint32Array, { terms, places }: Query): Float64Array[] {
  const own = sentences.map(({ roots }) => placesOf(roots, places));
  const around = new Float64Array(terms.length);
  for (const one of own) mark(around, one, IN_PASSAGE);
  mark(around, placesOf(head, places), IN_HEAD);
  return sentences.map(({ lead }, at) => {
    const held = around.slice();
    if (lead >= 0) mark(held, own[lead]!, BEFORE);
    mark(held, own[at]!, 1);
    return held;
  });
}

/**
 * The hits, best first, after so many of the best, or as many as are asked for, were read by sentences. A passage gains
 * when one sentence of it tells what is asked. Keywords look for a page, not for a sentence.
 */
export function bySentences<S, H extends Hit<S>>(
  hits: H[],
  question: Query,
  limit: number,
  sentences: (entry: Entry<S>) => Sentence[],
): H[] {
  hits.sort(byScore);
  if (!question.asks) return hits;
  for (const hit of hits.slice(0, Math.max(limit, READ))) {
    if (hit.score > 0) hit.score += TOLD * bestCoverage(sentences(hit.entry), hit.entry.head, question);
  }
  return hits.sort(byScore);
}

const byScore = (a: { score: number }, b: { score: number }): number => b.score - a.score;

/** 0 to 1.3: how much of the question the passage's best sentence holds. */
function bestCoverage(sentences: Sentence[], head: Uint32Array, question: Query): number {
  const { terms, total, holds } = question;
  let best = 0;
  for (const [at, held] of coverageOf(sentences, head, question).entries()) {
    let share = 0;
    for (let term = 0; term < terms.length; term++) share += (terms[term]!.weight * held[term]!) / total;
    if (share + TYPE > best && holds?.(sentences[at]!.text)) share += TYPE;
    if (share > best) best = share;
  }
  return best;
}

/** Of some roots those that stand for terms of the question. */
export function placesOf(roots: Iterable<number>, places: Map<number, Place>): Place[] {
  const own: Place[] = [];
  for (const root of roots) {
    const place = places.get(root);
    if (place) own.push(place);
  }
  return own;
}

/** Notes the terms that were found, each at the most that it has been worth so far. */
export function mark(held: Float64Array, places: Place[], value: number): void {
  for (const { term, share } of places) if (held[term]! < value * share) held[term] = value * share;
}
