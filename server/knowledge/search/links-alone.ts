import type { Vocabulary } from '../text/tokenizer.ts';
import type { Query } from './query.ts';
import { SAME_WORD } from './question-pairs.ts';
import type { Entry, Hit, ScoreRecorder } from './types.ts';
import { rootsOf } from './words/entry.ts';

/** What a list of links counts beside the pages that it leads to: “You may also like” tells nothing of them but their names. */
const LINKS_SHARE = 0.5;

/** A hit that is nothing but links to other pages counts less, unless it stands under a heading with all words of the question. */
export function withLinksLowered<S>(
  hit: Hit<S>,
  query: Query,
  words: Vocabulary,
  scores: ScoreRecorder<S> | undefined,
): Hit<S> {
  if (!hit.entry.leadsAway || isAskedFor(hit.entry, query, words)) return hit;
  scores?.scale(hit.entry, LINKS_SHARE);
  return { ...hit, score: LINKS_SHARE * hit.score, share: LINKS_SHARE };
}

function isAskedFor<S>({ headings, language }: Entry<S>, query: Query, words: Vocabulary): boolean {
  const named = new Set<number>();
  for (const root of rootsOf(words, headings.at(-1) ?? '', language)) {
    const { term = -1, share = 0 } = query.termByRoot.get(root) ?? {};
    if (share >= SAME_WORD) named.add(term);
  }
  return query.terms.slice(0, query.implied).every((_, term) => named.has(term));
}
