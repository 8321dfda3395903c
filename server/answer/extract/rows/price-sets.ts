import type { Found, Sentence } from '../../../knowledge/search/found.ts';
import type { Query } from '../../../knowledge/search/query.ts';
import { SYNONYM } from '../threshold.ts';
import { isOfKind, quantitiesIn, rangeIn } from './numbers.ts';

/** Questions that pick from a set by its prices, which no one price answers: “the cheapest tent”, “tents under £250”. */

/** By language; where words have gaps, an article tells “the cheapest” from “cheaper”. “O” and “a” are other words in Spanish and French. */
const ARTICLE = '(?<=(?<!\\p{L})(?:l[aeo]s?|el|il|gli|i) (?:\\p{L}+ )?)';
const PORTUGUESE_ARTICLE = '(?<=(?<!\\p{L})[oa]s? (?:\\p{L}+ )?)';
const CHEAPEST =
  `cheapest|least expensive|lowest[- ]priced?|(?:billigst|günstigst|preiswertest)\\p{L}*|${ARTICLE}(?:moins ch(?:er|ère)s?|más barat[oa]s?|men(?:os|o) car[oaie]s?|più economic[oaie])` +
  `|${PORTUGUESE_ARTICLE}(?:mais barat[oa]s?|menos car[oa]s?)` +
  '|goedkoopste?|billigaste?|halvin|najtańsz\\p{L}+|nejlevnějš\\p{L}+|legolcsóbb|сам\\p{L}+ деш[её]в\\p{L}+|найдешевш\\p{L}+|най-евтин\\p{L}+|φθηνότερ\\p{L}+|en ucuz|ce(?:l|a|i|le) mai ieftin\\p{L}*|rẻ nhất|הזול\\p{L}* ביותר';
const DEAREST =
  `dearest|most expensive|priciest|highest[- ]priced?|teuerst\\p{L}*|${ARTICLE}(?:plus ch(?:er|ère)s?|(?:más|più) car[oaie]s?)` +
  `|${PORTUGUESE_ARTICLE}mais car[oa]s?` +
  '|duurste?|dyraste?|dyreste?|kallein|najdroższ\\p{L}+|nejdražš\\p{L}+|legdrágább|сам\\p{L}+ дорог\\p{L}+|найдорожч\\p{L}+|най-скъп\\p{L}+|ακριβότερ\\p{L}+|en pahalı|ce(?:l|a|i|le) mai scump\\p{L}*|đắt nhất|היקר\\p{L}* ביותר';

/** One end of a set, as a question asks for it and as a sentence tells it: that may do so without an article, “es más caro”. */
interface End {
  asked: RegExp;
  told: RegExp;
}

const patternOf = (words: string, unspaced: string): RegExp =>
  new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})|${unspaced}`, 'giu');
const extreme = (words: string, unspaced: string): End => ({
  asked: patternOf(words, unspaced),
  told: patternOf(words.replaceAll(ARTICLE, '').replaceAll(PORTUGUESE_ARTICLE, ''), unspaced),
});
/** Of both ends of a set. */
const EXTREMES = [
  extreme(CHEAPEST, '最便宜|最安|一番安い|가장 (?:싼|저렴한)|ถูกที่สุด|أرخص|सबसे सस्त'),
  extreme(DEAREST, '最[贵貴]|最も高い|一番高い|가장 비싼|แพงที่สุด|أغلى|सबसे महंग'),
];
/** Of other currencies no bound is seen. */
const MONEY = new Set(['euro', 'pound', 'dollar']);
/** Of one thing, whose price answers it: “Does the Tarn 2 cost more than £250?” */
const ASKS_OF_ONE = /^\P{L}*(?:(?:is|does)(?! there)|kostet|ist|coûte|cuesta|costa|custa)(?!\p{L})/iu;

/** What is quoted of a passage. */
interface Quoted {
  found: number;
  text: string;
}

/** Whether a question picks from a set by its prices, and nothing that is quoted says which it is. */
export function isPickedByPrice(query: Query, found: Found[], quoted: Quoted[]): boolean {
  const { question } = query;
  const sentences = (): Sentence[] =>
    quoted.flatMap((one) => found[one.found]!.match.sentences().filter(({ text }) => one.text.includes(text)));
  const end = EXTREMES.find(({ asked }) => question.match(asked));
  if (end) return !sentences().some((sentence) => saysOf(sentence, end, query));
  const bound = ASKS_OF_ONE.test(question) ? undefined : rangeIn(question);
  if (!bound || !MONEY.has(bound.kind)) return false;
  const texts = sentences().map(({ text }) => text);
  return texts.some(hasPrice) && !texts.some((text) => isBound(text, bound.kind) || hasAmountOf(question, text));
}

const hasPrice = (text: string): boolean => quantitiesIn(text).some(({ kind }) => MONEY.has(kind));

/** Whether a sentence says of just what is asked for that it is at that end of a set. */
function saysOf(
  { text, roots }: Sentence,
  { asked, told: pattern }: End,
  { question, terms, implied, termByRoot }: Query,
): boolean {
  if (!text.match(pattern)) return false;
  const named = question.match(asked)!.join(' ').toLowerCase();
  const told = new Set<number>();
  for (const root of roots) {
    const { term = -1, share = 0 } = termByRoot.get(root) ?? {};
    if (share >= SYNONYM) told.add(term);
  }
  return terms
    .slice(0, implied)
    .every(({ word, isCommon }, term) => isCommon === true || told.has(term) || named.includes(word));
}

function isBound(text: string, kind: string): boolean {
  const range = rangeIn(text);
  return range !== undefined && isOfKind(kind, range);
}

function hasAmountOf(question: string, sentence: string): boolean {
  const amounts = quantitiesIn(sentence);
  return quantitiesIn(question).some(({ value, kind }) =>
    amounts.some((one) => MONEY.has(kind) && one.kind === kind && Math.round(one.value) === Math.round(value)),
  );
}
