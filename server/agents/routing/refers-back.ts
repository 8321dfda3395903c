import { hasVerb, isFragment } from '../../knowledge/search/asking/fragments.ts';
import { readPointers } from '../../knowledge/search/asking/points-back.ts';
import { wordsOf } from './features.ts';

/** A message that names more is about what it names. */
const MAX_NAMED = 3;
/** Words with a meaning of their own that make a message of its own without a verb: "opening hours". */
const MIN_NAMED = 2;

/** Whether a message goes on with what was said before: it has a word that stands for that, and names little of its own. */
export function refersBack(message: string): boolean {
  const { pointsBack, rest } = readPointers(message);
  return pointsBack && wordsOf(rest).filter(({ stop }) => !stop).length <= MAX_NAMED;
}

/** Whether a message can be understood without those before it: it names something that is known here, in a sentence or by a keyword. */
export function standsAlone(message: string, isKnown: (word: string) => boolean): boolean {
  const named = wordsOf(message).filter(({ stop }) => !stop);
  if (!named.some(({ word }) => isKnown(word)) || refersBack(message) || isFragment(message)) return false;
  return named.length >= MIN_NAMED || hasVerb(message);
}
