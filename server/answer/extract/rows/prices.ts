import type { Found } from '../../../knowledge/search/found.ts';
import type { Query } from '../../../knowledge/search/query.ts';
import { isItem } from '../../../knowledge/text/sentences.ts';
import { SYNONYM } from '../threshold.ts';

/** The price of a thing, in a line of its own right below the name of the thing. */

const PRICE_WORD = /^(?:prices?|costs?|fees?|charges?|expensive|preise?|kosten|kostet|teuer)$/;
const ASKS_PRICE =
  /(?<!\p{L})(?:prices?|costs?|fees?|charges?|how (?:much|expensive)|preise?|kosten|kostet|wie teuer)(?!\p{L})/iu;
/** An amount with two words at most: “£279.00”, “from €12 each”. */
const AMOUNT =
  /^(?:\p{L}+:?\s+){0,2}(?:[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[$€£¥]|EUR|USD|GBP|CHF))(?:\s+\p{L}+\.?){0,2}$/u;
/** Sentences of a passage among which it stands. */
const FIRST = 2;

/** Whether a text is nothing but an amount of money. */
export const isAmount = (text: string): boolean => AMOUNT.test(text);

/** Whether a sentence is the price that is asked for: title and headings have all other words of the question. */
export function isPriceOfNamed(
  { question, terms, implied, isFollowUp, unknownNames, termByRoot }: Query,
  passage: Found,
  at: number,
) {
  if (isFollowUp || unknownNames > 0 || at >= FIRST || !ASKS_PRICE.test(question)) return false;
  const { text, start } = passage.match.sentences()[at] ?? { text: '', start: 0 };
  if (!isAmount(text) || isItem(passage.text, start)) return false;
  const named = new Set<number>();
  for (const root of passage.match.head) {
    const { term = -1, share = 0 } = termByRoot.get(root) ?? {};
    if (share >= SYNONYM) named.add(term);
  }
  const others = [...terms.slice(0, implied).keys()].filter((term) => !PRICE_WORD.test(terms[term]!.word));
  return others.length > 0 && others.every((term) => named.has(term));
}
