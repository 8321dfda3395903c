/** Questions that ask for a text of some length: “Write an essay about …”. */

const FORM =
  'essay|article|composition|report|paper|blog post|post|story|poem|speech|text|piece|paragraphs?|pages?|summary|overview|description|explanation|account|introduction|guide';
/** At most this stands between a verb and the form: `me a long and well-founded`. */
const WORDS_BETWEEN = '(?:\\s+(?:me|us))?(?:\\s+[\\w-]{1,20}){0,5}?';
const WRITING_REQUEST = new RegExp(
  `\\b(?:(?:write|compose|draft|produce)${WORDS_BETWEEN}\\s+(?:${FORM})|(?:need|want|like|give|make)${WORDS_BETWEEN}\\s+essay)\\b(?:\\s+(?:about|on|of|regarding|concerning))?`,
  'i',
);
const AT_LENGTH =
  /\b(?:in (?:\w+ )?detail|at length|everything (?:you know )?about|all about|in \d+ words|(?:long|detailed) (?:answer|essay|article|report|summary|overview|description|explanation))\b/i;
const ESSAY = /\bessay\b/i;
/** UTF-16 units that are read. */
const MAX_LONG_FORM_LENGTH = 400;

export function asksAtLength(query: string): boolean {
  const start = query.slice(0, MAX_LONG_FORM_LENGTH);
  return WRITING_REQUEST.test(start) || AT_LENGTH.test(start) || ESSAY.test(start);
}

/** The subject alone: the words of the request (“write an essay”) would match no passage. */
export const withoutWritingRequest = (query: string): string =>
  query.slice(0, MAX_LONG_FORM_LENGTH).replace(WRITING_REQUEST, ' ') + query.slice(MAX_LONG_FORM_LENGTH);
