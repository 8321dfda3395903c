import type { Sentence } from './found.ts';
import type { Entry, Hit, ScoreRecorder } from './types.ts';
import type { Query } from './query.ts';
import type { TermShare } from './query-terms.ts';
import { leadsOf, sentencesOf } from '../text/sentences.ts';

/** Weights, 0 to 1, of a term in the context of a sentence and not in it. */
export interface ContextWeights {
  /** In the sentence that leads to it, in the one that leads to that, and in the next. */
  lead: number;
  secondLead: number;
  next: number;
  /** In the title or a heading, and anywhere in the passage. */
  head: number;
  passage: number;
}

const RANKING: ContextWeights = { lead: 0.6, secondLead: 0, next: 0, head: 0.8, passage: 0.1 };
/** Passages that are read, and what the best sentence's coverage is worth beside BM25 as a share of the question. */
const PASSAGES_READ = 10;
const COVERAGE = 1.35;
/** What it adds that a sentence holds the kind of thing asked for: a date, a number, a name. */
const ANSWER_TYPE = 0.3;

/** The sentences of a text, with the roots of their words. */
export function readSentences(text: string, rootsOf: (sentence: string) => number[]): Sentence[] {
  const spans = sentencesOf(text);
  const leads = leadsOf(text, spans);
  return spans.map(({ start, end }, at) => {
    const sentence = text.slice(start, end);
    return { text: sentence, start, lead: leads[at]!, roots: rootsOf(sentence) };
  });
}

/**
 * For each sentence of a passage, by term, 0 to 1: how well it has the term, in itself or around it. `surely`: terms that
 * count so much in every sentence.
 */
export function coverageOf(
  sentences: Sentence[],
  head: Uint32Array,
  { terms, termByRoot }: Query,
  weights: ContextWeights,
  surely?: { terms: number[]; weight: number },
): Float64Array[] {
  const own = sentences.map(({ roots }) => termsOf(roots, termByRoot));
  const around = new Float64Array(terms.length);
  for (const one of own) raise(around, one, weights.passage);
  raise(around, termsOf(head, termByRoot), weights.head);
  for (const term of surely?.terms ?? []) around[term] = surely!.weight;
  return sentences.map(({ lead }, at) => {
    const coverage = around.slice();
    if (lead >= 0) raise(coverage, own[lead]!, weights.lead);
    if (lead > 0 && weights.secondLead > 0) raise(coverage, own[sentences[lead]!.lead] ?? [], weights.secondLead);
    if (at + 1 < own.length && weights.next > 0) raise(coverage, own[at + 1]!, weights.next);
    raise(coverage, own[at]!, 1);
    return coverage;
  });
}

/**
 * The hits, best first. So many of the best, or as many as are asked for, are read by sentences: a passage gains when one
 * sentence of it has much of the question. Keywords without a question look for a page, so their order stays.
 */
export function bySentences<S, H extends Hit<S>>(
  hits: H[],
  query: Query,
  limit: number,
  sentences: (entry: Entry<S>) => Sentence[],
  scores?: ScoreRecorder<S>,
): H[] {
  hits.sort(byScore);
  if (!query.isQuestion) return hits;
  for (const hit of hits.slice(0, Math.max(limit, PASSAGES_READ))) {
    if (hit.score <= 0) continue;
    const gain = (hit.share ?? 1) * COVERAGE * bestCoverage(sentences(hit.entry), hit.entry.head, query);
    hit.score += gain;
    scores?.add(hit.entry, 'sentence', gain);
  }
  return hits.sort(byScore);
}

/** For `sort`, best first. */
export const byScore = <S>(a: Hit<S>, b: Hit<S>): number => b.score - a.score || a.entry.rank - b.entry.rank;

/** 0 to 1.3: how much of the question the passage's best sentence holds. */
function bestCoverage(sentences: Sentence[], head: Uint32Array, query: Query): number {
  const { terms, totalWeight, hasAnswerType } = query;
  let best = 0;
  for (const [at, coverage] of coverageOf(sentences, head, query, RANKING).entries()) {
    let share = 0;
    for (let term = 0; term < terms.length; term++) share += (terms[term]!.weight * coverage[term]!) / totalWeight;
    if (share + ANSWER_TYPE > best && hasAnswerType?.(sentences[at]!.text)) share += ANSWER_TYPE;
    if (share > best) best = share;
  }
  return best;
}

/** The terms that some roots stand for. */
function termsOf(roots: Iterable<number>, termByRoot: Map<number, TermShare>): TermShare[] {
  const terms: TermShare[] = [];
  for (const root of roots) {
    const term = termByRoot.get(root);
    if (term) terms.push(term);
  }
  return terms;
}

/** Raises the coverage of these terms to `weight` where it is less. */
function raise(coverage: Float64Array, terms: TermShare[], weight: number): void {
  for (const { term, share } of terms) if (coverage[term]! < weight * share) coverage[term] = weight * share;
}
