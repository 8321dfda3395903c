import { hasVerb } from './fragments.ts';
import { readPointers } from './points-back.ts';

/** Other words that point back at what was said. */
const OTHERS = /\b(?:there|same|else|other)\b/i;
/** Where "there" points at nothing. */
const EXISTS = /\b(?:is|are|was|were) there\b/gi;
const CONTINUING = /^\W*(?:and|or|but|so|also|what about|how about|what if)\b/i;
/** Own words of a question that may be about the answer before it, and of a statement that goes on from it. */
const MAX_ASKED = 3;
export const MAX_STATED = 3;
/** Who speaks of something of their own: "ours is three metres", "my boy is two". */
const SUBJECT =
  /^\W*(?:(?:i|we|he|she|it|they)(?:['’](?:m|s|re|ve|d))?|my|our|ours|mine|ich|wir|er|sie|es|mein\p{L}*|unser\p{L}*|je|nous|il|elle|mon|ma|mes|notre|nos|j['’]|yo|mi|mis|nuestr\p{L}*|io|mio|mia|miei|nostr\p{L}*|eu|meu|minha|nosso|ik|wij|mijn|onze)(?!\p{L})/iu;
/** Questions about the chatbot itself, which are no follow-ups. */
const WHO_ANSWERS = [
  /\b(?:who|what|how)(?:\s+(?:are|r)|['’]?re)\s+(?:you|u)(?:\s+(?:really|exactly|doing|today))?\P{L}*$/iu,
  /\bare you(?:\s+(?:an?|the|real|really|ai|robot|bot|chatbot|machine|human|person|there|ok))*\P{L}*$/iu,
  /\b(?:what (?:can|could|do) you do|(?:what|who)\b.{0,20}\byour name)\P{L}*$/iu,
  /(?:wer (?:bist du|sind sie)|was (?:bist|kannst) du|qui (?:es-tu|êtes-vous)|quién (?:eres|es usted))\P{L}*$/iu,
  /(?:chi sei|quem é você|wie (?:ben (?:jij|je)|bent u)|кто (?:ты|вы)(?: такой)?)\P{L}*$/iu,
];

/**
 * Whether a question needs the ones before it: it has at most one term, `names` nothing, or refers back. One in a sentence of its
 * own about something that the site has, `isKnown`, does not: "What gloves do you have?".
 */
export function isFollowUp(
  text: string,
  terms: number,
  { isKnown, names }: { isKnown: boolean; names: boolean },
): boolean {
  if (terms <= 1 && (!/\p{L}/u.test(text) || WHO_ANSWERS.some((one) => one.test(text)))) return false;
  const refersBack = readPointers(text).pointsBack || OTHERS.test(text.replace(EXISTS, ' '));
  if (terms === 1 && isKnown && hasVerb(text) && !CONTINUING.test(text) && !refersBack) return false;
  return terms <= 1 || (!names && terms <= MAX_ASKED) || CONTINUING.test(text) || (terms <= 3 && refersBack);
}

/** Whether a message after an answer may be about the page of that answer: it is short, or refers back. */
export const mayContinue = (text: string, terms: number): boolean => terms <= MAX_ASKED || pointsBack(text);

export const pointsBack = (text: string): boolean => readPointers(text).pointsBack;

/** Whether a message tells of something that is the visitor's or was spoken of: it begins with that, and asks nothing. */
export const isStatementOfOwn = (text: string): boolean => SUBJECT.test(text) && !/[?？؟]/.test(text);
