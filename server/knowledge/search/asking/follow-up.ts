import { hasVerb } from './fragments.ts';
import { readPointers } from './points-back.ts';

/** Other words that point back at what was said. */
const OTHERS = /\b(?:there|same|else|other)\b/i;
/** Where "there" points at nothing. */
const EXISTS = /\b(?:is|are|was|were) there\b/gi;
const CONTINUING = /^\W*(?:and|or|but|so|also|what about|how about|what if)\b/i;
/** Questions about the chatbot itself, which are no follow-ups. */
const WHO_ANSWERS = [
  /\b(?:who|what|how)(?:\s+(?:are|r)|['’]?re)\s+(?:you|u)(?:\s+(?:really|exactly|doing|today))?\P{L}*$/iu,
  /\bare you(?:\s+(?:an?|the|real|really|ai|robot|bot|chatbot|machine|human|person|there|ok))*\P{L}*$/iu,
  /\b(?:what (?:can|could|do) you do|(?:what|who)\b.{0,20}\byour name)\P{L}*$/iu,
  /(?:wer (?:bist du|sind sie)|was (?:bist|kannst) du|qui (?:es-tu|êtes-vous)|quién (?:eres|es usted))\P{L}*$/iu,
  /(?:chi sei|quem é você|wie (?:ben (?:jij|je)|bent u)|кто (?:ты|вы)(?: такой)?)\P{L}*$/iu,
];

/**
 * Whether a question needs the ones before it: it has at most one term, or refers back. One in a sentence of its own about
 * something that the site has, `isKnown`, does not: "What gloves do you have?".
 */
export function isFollowUp(text: string, terms: number, isKnown: boolean): boolean {
  if (terms <= 1 && (!/\p{L}/u.test(text) || WHO_ANSWERS.some((one) => one.test(text)))) return false;
  const refersBack = readPointers(text).pointsBack || OTHERS.test(text.replace(EXISTS, ' '));
  if (terms === 1 && isKnown && hasVerb(text) && !CONTINUING.test(text) && !refersBack) return false;
  return terms <= 1 || CONTINUING.test(text) || (terms <= 3 && refersBack);
}
