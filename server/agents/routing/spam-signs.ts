import { eachWord } from '../../knowledge/text/tokenizer.ts';

/** Signs of spam that no word tells: floods of links and repetitions. */

/** Addresses with a scheme, with `www.`, or of a host and a path. */
const LINK = /(?:https?:\/\/|www\.)\S+|(?<![\w.@/-])(?:[a-z\d-]+\.)+[a-z]{2,}\/[^\s/]\S*/gi;
/** So many links are a flood, and so many where the text has hardly more words. */
const [MANY_LINKS, FEW_LINKS] = [4, 2];
/** So often one sign, one word, or one sentence follows itself. */
const SAME_SIGN = /([^\s\d.\-_=*#~])\1{14,}/u;
const SAME_WORDS = 6;
const SAME_SENTENCES = 3;
/** A text of so many words or more has to have more different words than this share. */
const [LONG, LEAST_DIFFERENT] = [12, 0.25];

export const isFlood = (text: string): boolean => hasManyLinks(text) || SAME_SIGN.test(text) || isRepeated(text);

function hasManyLinks(text: string): boolean {
  const links = text.match(LINK)?.length ?? 0;
  if (links < FEW_LINKS) return false;
  const words = text.replace(LINK, ' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return links >= MANY_LINKS || words <= 2 * links;
}

function isRepeated(text: string): boolean {
  const words: string[] = [];
  // In lower case already, so that no word is divided at a capital.
  eachWord(text.toLowerCase(), (word) => words.push(word));
  if (words.length >= LONG && new Set(words).size <= LEAST_DIFFERENT * words.length) return true;
  if (longestRun(words) >= SAME_WORDS && !words.every((word) => /^\p{N}+$/u.test(word))) return true;
  const sentences = text
    .toLowerCase()
    .split(/[.!?\n]+/)
    .map((one) => one.trim());
  return longestRun(sentences.filter((one) => one.includes(' '))) >= SAME_SENTENCES;
}

function longestRun(items: readonly string[]): number {
  let [run, longest] = [0, 0];
  for (const [at, item] of items.entries()) {
    run = item === items[at - 1] ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  return longest;
}
