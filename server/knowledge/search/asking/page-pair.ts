import type { Vocabulary } from '../../text/tokenizer.ts';
import type { Query } from '../query.ts';
import { asksTheSame, gainByLikeness } from '../question-pairs.ts';
import type { Entry, Hit } from '../types.ts';
import { rootsOf } from '../words/entry.ts';
import { MIN_TOPIC, topicIn } from './topic.ts';

/** Whether the question that a passage answers is the one asked, in these or other words. */
export const asksPair = <S>({ pair, language }: Entry<S>, query: Query, words: Vocabulary): boolean =>
  pair !== undefined && asksTheSame(pair.question, rootsOf(words, pair.question, language), query);

/** What a passage gains by how like the question asked the one is that it answers. */
export const gainOfPair = <S>({ pair, language }: Entry<S>, query: Query, words: Vocabulary): number =>
  pair ? gainByLikeness(new Set(rootsOf(words, pair.question, language)), query) : 0;

/**
 * Whether the question of a page is about what the visitor asked before: “What does it cost?” stands on many pages. What its owner
 * wrote as a question is taken as it is.
 */
export function isOfTopic<S>(entry: Entry<S>, query: Query, hits: Hit<S>[], words: Vocabulary): boolean {
  if (entry.pair?.isOwners || !query.isFollowUp || !query.pointsBack) return true;
  const roots = [...entry.head, ...Array.from(entry.forms, (form) => words.root(form))];
  return topicIn(roots, query) >= MIN_TOPIC || hits.some((hit) => hit.entry === entry && hit.quoted !== undefined);
}
