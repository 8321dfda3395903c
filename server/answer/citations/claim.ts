import { sentencesOf } from '../../knowledge/text/sentences.ts';
import { isEmptyClaim } from './verify.ts';

/** Markdown before the text of a line: quote signs, list marks, item numbers. */
const LINE_MARKS = /^(?:[ \t]*(?:>|#{1,6}|[-*+•–]|\d{1,3}[.)]|\[[ xX]\])(?=[ \t]|$))+/;
const URL_PATTERN = /\]\([^()\s]*\)|\bhttps?:\/\/\S+/g;

export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/**
 * The claim that a marker supports: the last sentence, list item or table row before it, with the one before where it has no
 * content words (“Yes, you can.”). Empty where there is none.
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
