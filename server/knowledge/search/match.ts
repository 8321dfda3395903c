import type { Vocabulary } from '../text/tokenizer.ts';
import { answersOther } from './asking/written.ts';
import type { Postings } from './bm25.ts';
import type { Match, Sentence } from './found.ts';
import type { Query } from './query.ts';
import { MAX_PAGE_ANSWER } from './question-pairs.ts';
import type { Entry, Hit } from './types.ts';

interface Readers<S> {
  postings: Postings;
  index: { words: Vocabulary; sentences(entry: Entry<S>): Sentence[] };
}

/** What an answer needs to know of a hit; what is costly is read when it is asked for. */
export const matchOf = <S>(
  { entry, first, isAsked = false, likeness, meaning, quoted, share, isHere = false }: Hit<S>,
  query: Query,
  { postings, index }: Readers<S>,
): Match => ({
  exact: isAsked && entry.pair?.isOwners === true,
  asked: isAsked && entry.text.length <= MAX_PAGE_ANSWER,
  answersOther: !isAsked && answersOther(entry, query, index.words),
  rank: entry.rank,
  likeness,
  meaning,
  quoted,
  isHere,
  leadsAway: share !== undefined,
  head: entry.head,
  matchShare: () => postings.matchShare(first ?? entry, query),
  sentences: () => index.sentences(entry),
});
