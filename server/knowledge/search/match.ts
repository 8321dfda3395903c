import type { Postings } from './bm25.ts';
import type { Match, Sentence } from './found.ts';
import type { Query } from './query.ts';
import { MAX_PAGE_ANSWER } from './question-pairs.ts';
import type { Entry, Hit } from './types.ts';

interface Readers<S> {
  postings: Postings;
  sentences(entry: Entry<S>): Sentence[];
}

/** What an answer needs to know of a hit; what is costly is read when it is asked for. */
export const matchOf = <S>(
  { entry, first, isAsked = false, likeness, meaning, quoted, share, isHere = false }: Hit<S>,
  query: Query,
  { postings, sentences }: Readers<S>,
): Match => ({
  exact: isAsked && entry.pair?.isOwners === true,
  asked: isAsked && entry.text.length <= MAX_PAGE_ANSWER,
  rank: entry.rank,
  likeness,
  meaning,
  quoted,
  isHere,
  leadsAway: share !== undefined,
  head: entry.head,
  matchShare: () => postings.matchShare(first ?? entry, query),
  sentences: () => sentences(entry),
});
