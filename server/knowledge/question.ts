import { eachWord, NOTHING, UNSEEN, type Vocabulary } from './words.ts';

/** A question as one index sees it. */
export interface Question {
  terms: Term[];
  /** The sum of the terms' weights. */
  total: number;
}

export interface Term {
  word: string;
  /** `UNSEEN` where no passage has this form, or no form of the word. */
  form: number;
  root: number;
  /** How much the word tells: its inverse document frequency, less for words of earlier questions. */
  weight: number;
}

/** A question of thousands of words is searched by its first words that mean something. */
const MOST_TERMS = 48;
const MOST_CHARACTERS = 4000;
/** What a word of the question before weighs beside one of this question. */
const EARLIER = 0.35;
/** Words that point back at what was said. */
const POINTING = /\b(?:it|its|that|this|these|those|they|them|their|there|he|she|him|her|one|ones|same|else|other)\b/i;
const CONTINUING = /^\W*(?:and|or|but|so|also|what about|how about|what if)\b/i;

export function readQuestion(
  text: string,
  earlier: string[],
  words: Vocabulary,
  idf: (root: number) => number,
): Question {
  const terms: Term[] = [];
  const seen = new Set<number | string>();
  const add = (from: string, share: number) =>
    eachWord(from.slice(0, MOST_CHARACTERS), (word) => {
      const { form, root } = words.find(word);
      const key = root === UNSEEN ? word : root;
      if (root === NOTHING || terms.length >= MOST_TERMS || seen.has(key)) return;
      seen.add(key);
      terms.push({ word, form, root, weight: idf(root) * share });
    });
  add(text, 1);
  if (isFollowUp(text, terms.length)) {
    for (const [age, before] of earlier.slice(-2).reverse().entries()) add(before, EARLIER ** (age + 1));
  }
  return { terms, total: terms.reduce((sum, { weight }) => sum + weight, 0) };
}

/** A question that does not stand by itself: nearly nothing in it, or it points back. */
function isFollowUp(text: string, terms: number): boolean {
  return terms <= 1 || CONTINUING.test(text) || (terms <= 3 && POINTING.test(text));
}
