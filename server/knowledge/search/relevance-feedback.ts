import type { Entry, Hit } from './types.ts';
import type { Query } from './query.ts';
import type { Term } from './query-terms.ts';
import { UNSEEN, type Vocabulary } from '../text/tokenizer.ts';

/** Terms of a query. Expansion by the words of the best hits helps a few keywords and harms a whole question. */
const MAX_KEYWORDS = 4;
/** Passages whose words are counted. */
export const FEEDBACK_PASSAGES = 10;
const MAX_WORDS = 20;
/** Inverse document frequency of a word that one passage in five has. */
const MIN_IDF = 1.5;
/** Passages. Fewer passages are found by the keywords alone. */
const MIN_SITE = 200;

export const wantsFeedback = ({ terms, isQuestion }: Query, size: number): boolean =>
  size >= MIN_SITE && !isQuestion && terms.length <= MAX_KEYWORDS;

/** The keywords with the words that mark the passages they found, of the same weight together (RM3). */
export function withFeedback<S>(query: Query, hits: Hit<S>[], words: Vocabulary, idf: (root: number) => number): Query {
  const first = hits.slice(0, FEEDBACK_PASSAGES);
  const total = first.reduce((sum, { score }) => sum + score, 0);
  const marks = new Map<number, number>();
  for (const { entry, score } of first) countInto(marks, entry, words, score / total);
  const best = [...marks]
    .map(([root, share]): [number, number, number] => [root, share * idf(root), idf(root)])
    .filter(([root, , rarity]) => rarity > MIN_IDF && !query.termByRoot.has(root))
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_WORDS);
  const all = best.reduce((sum, [, mark]) => sum + mark, 0);
  const terms = [...query.terms];
  const termByRoot = new Map(query.termByRoot);
  for (const [root, mark] of best) {
    const weight = (query.totalWeight * mark) / all;
    termByRoot.set(root, {
      term: terms.push({ word: '', form: UNSEEN, root, weight, worth: 0, loss: 0 } satisfies Term) - 1,
      share: 1,
    });
  }
  return { ...query, terms, termByRoot, totalWeight: query.totalWeight * 2 };
}

function countInto<S>(marks: Map<number, number>, { forms }: Entry<S>, words: Vocabulary, share: number): void {
  for (const form of forms) {
    const root = words.root(form);
    marks.set(root, (marks.get(root) ?? 0) + share / forms.length);
  }
}
