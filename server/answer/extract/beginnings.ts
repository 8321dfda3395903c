import type { Found, Sentence } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import { codeNamesIn, codeNamesOfItem } from '../../knowledge/search/definitions/code-names.ts';

/** Added to a sentence that says what the question names. */
const SAYS_WHAT = 0.4;
/** The least share of the question that headings must have for the sentence below them to say it. */
const MIN_HEADED = 0.6;

/**
 * What a sentence of a passage gains by where it stands: the first below headings that have most of the question, `headed` of it
 * (0 to 1; 0 where the lowest has nothing of it), or a name in code that the question has; and the item that begins with that name.
 */
export function gainAtBeginnings(
  { headings, match }: Found,
  { question }: Query,
  headed: number,
): (sentence: Sentence, at: number) => number {
  const names = new Set(codeNamesIn(question));
  const defines = (found: string[]): boolean => found.some((name) => names.has(name));
  const isNamed = names.size > 0 && defines(codeNamesIn(headings.at(-1) ?? ''));
  const first = match.opensSection && (isNamed || headed >= MIN_HEADED) ? SAYS_WHAT * headed : 0;
  return ({ text }, at) => {
    const ofItem = names.size > 0 && defines(codeNamesOfItem(text)) ? SAYS_WHAT : 0;
    return ofItem + (at === 0 ? first : 0);
  };
}
