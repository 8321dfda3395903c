import { sentencesOf } from '../../knowledge/text/sentences.ts';
import { isEmptyClaim } from './verify.ts';

/** What stands before a line's own words: quote signs, list marks, numbers of items. */
const LINE_MARKS = /^(?:[ \t]*(?:>|#{1,6}|[-*+•–]|\d{1,3}[.)]|\[[ xX]\])(?=[ \t]|$))+/;
const URL_PATTERN = /\]\([^()\s]*\)|\bhttps?:\/\/\S+/g;

export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/**
 * What a marker stands for: the last sentence, list item or table row before it. One that says nothing by itself (“Yes, you
 * can.”) is taken together with the one before. Empty where there is none.
 */
export function claimOf(text: string): string {
  const sentences = text.split('\n').flatMap((line) => {
    const words = line.replace(LINE_MARKS, '').replace(URL_PATTERN, ' ');
    return sentencesOf(words).map(({ start, end }) => words.slice(start, end));
  });
  let claim = '';
  while (sentences.length > 0 && isEmptyClaim(claim)) claim = `${sentences.pop()!} ${claim}`;
  return claim;
}
