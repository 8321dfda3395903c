/** Questions that ask for a text of some length: “Write an essay about …”. */

const FORM =
  'essay|article|composition|report|paper|blog post|post|story|poem|speech|text|piece|paragraphs?|pages?|summary|overview|description|explanation|account|introduction|guide';
/** At most this stands between a verb and the form: `me a long and well-founded`. */
const BETWEEN = '(?:\\s+(?:me|us))?(?:\\s+[\\w-]{1,20}){0,5}?';
const ORDER = new RegExp(
  `\\b(?:(?:write|compose|draft|produce)${BETWEEN}\\s+(?:${FORM})|(?:need|want|like|give|make)${BETWEEN}\\s+essay)\\b(?:\\s+(?:about|on|of|regarding|concerning))?`,
  'i',
);
const AT_LENGTH =
  /\b(?:in (?:\w+ )?detail|at length|everything (?:you know )?about|all about|in \d+ words|(?:long|detailed) (?:answer|essay|article|report|summary|overview|description|explanation))\b/i;
const ESSAY = /\bessay\b/i;
/** Of a longer question only the beginning tells. */
const LONGEST = 400;

export function asksAtLength(query: string): boolean {
  const start = query.slice(0, LONGEST);
  return ORDER.test(start) || AT_LENGTH.test(start) || ESSAY.test(start);
}

/** What the text is to be about: no page holds the words of the order itself. */
export const withoutOrder = (query: string): string =>
  query.slice(0, LONGEST).replace(ORDER, ' ') + query.slice(LONGEST);
