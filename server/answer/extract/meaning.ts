import type { Found } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import { minConfidence, UNSURE_CONFIDENCE } from './threshold.ts';

/** What a likeness of one more or less is worth, and the limits of it. */
const SLOPE = 0.2;
const [LEAST, MOST] = [0.5, 1.8];
/** What a sentence's cosine is worth (told right .909, with it .919, in 52 words instead of 54), in standard deviations of those of the candidates, and how many count at most. */
const [SENTENCE_WEIGHT, MAX_DEVIATIONS] = [0.1, 2];
/** The least deviation: a few sentences may be equally near by chance. */
const LEAST_DEVIATION = 0.02;
/**
 * From where on a passage is an answer by its meaning alone: perhaps, and surely. 1 is the question itself, 0 as near as the
 * other passages. With a small sentence encoder, on a third of the paragraphs of half of SQuAD, with questions that share no
 * word with them: 58 in 100 are told something, 47 the answer, and 92 of 100 sure answers are right; with the article gone 6 in
 * 100 are told something, none surely.
 */
const [AHEAD, FAR_AHEAD] = [0.5, 0.6];
/** How far the next passage is behind, in the same measure, where one answers surely. */
const MIN_LEAD = 0.15;

/**
 * What the meaning of the best passage makes of a confidence that was counted by words: one that says it in other words has few
 * of them, and one about something else may have many. With a small sentence encoder, on a sixteenth of half of SQuAD's questions
 * and the same with their article gone: .889 instead of .836 are refused where 95 of 100 are kept.
 */
export const byMeaning = (confidence: number, { match: { likeness } }: Found): number =>
  likeness === undefined ? confidence : confidence * Math.min(MOST, Math.max(LEAST, 1 + SLOPE * likeness));

/**
 * The confidence that the meaning of a passage and of its best sentence gives by itself, whatever the words are: 0 without
 * vectors of its sentences. Models differ in their cosines, so that these count as a share of how far those of the other passages
 * are from 1.
 */
export function confidenceByMeaning(passage: Found, query: Query, found: Found[]): number {
  const { meaning } = passage.match;
  if (!meaning?.sentences || meaning.others === undefined) return 0;
  const { others, cosine, sentences } = meaning;
  const aheadOf = (one: number): number => (one - others) / (1 - others);
  const ahead = aheadOf((cosine + Math.max(...sentences)) / 2);
  if (ahead < AHEAD) return 0;
  const next = Math.max(...found.filter((one) => one !== passage).map(({ match }) => match.meaning?.cosine ?? others));
  const isFar = aheadOf(cosine) - aheadOf(next) >= MIN_LEAD && query.unknownNames === 0;
  const share = isFar ? Math.min(1, (ahead - AHEAD) / (FAR_AHEAD - AHEAD)) : 0;
  return minConfidence(query, found) * (UNSURE_CONFIDENCE + (1 - UNSURE_CONFIDENCE) * share);
}

/** What its meaning adds to the score of the sentence at `at` of a passage. */
export function sentenceScores(found: readonly Found[]): (passage: Found, at: number) => number {
  const all = found.flatMap(({ match }) => match.meaning?.sentences ?? []);
  if (all.length < 2) return () => 0;
  const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
  const squares = all.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const deviation = Math.max(LEAST_DEVIATION, Math.sqrt(squares / all.length));
  return ({ match: { meaning } }, at) => {
    const deviations = ((meaning?.sentences?.[at] ?? mean) - mean) / deviation;
    return SENTENCE_WEIGHT * Math.min(MAX_DEVIATIONS, Math.max(-MAX_DEVIATIONS, deviations));
  };
}
