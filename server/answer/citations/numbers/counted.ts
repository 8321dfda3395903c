import { withoutAccents } from '../../../knowledge/text/accents.ts';
import { LANGUAGES, type LanguageCode, type LanguageTraits } from '../../../knowledge/text/languages.ts';
import { isStopWord, rootOf } from '../../../knowledge/text/tokenizer.ts';
import type { StopWordLanguage } from '../wording.ts';
import { numberWordsOf, type NumberWords } from './number-words.ts';
import { valueOf, withScales } from './numbers.ts';
import { unitOf } from './units.ts';

/** Reads what the numbers of a text count. */

/** `bare`: a unit without a number, whose value is NaN. */
type Kind = 'digits' | 'words' | 'ordinal' | 'article' | 'bare';

/** A number, and what it counts. */
export interface Counted {
  value: number;
  kind: Kind;
  /** As in `unitOf`. */
  unit: string | undefined;
  /** The root of the word after it; '' where there is none. */
  noun: string;
}

/** Whether no number is written there. */
export const isImplied = (kind: Kind): boolean => kind === 'article' || kind === 'bare';

interface Token {
  text: string;
  /** What stands between it and the token before it. */
  gap: string;
  end: number;
}

const TOKEN = /\p{Nd}+(?:[.,’'\u00a0\u202f]\p{Nd}+)*|\p{L}+/gu;
/** Between the words of one number, and before what it counts. */
const BESIDE = /^(?:[ \u00a0\u202f]{1,2}|-)$/;
/** “3rd”, “1er”, and in German “3. Stock”. */
const ORDINAL_END = /^(?:st|nd|rd|th|er|ere|re|e|eme)$/;
const JOINS = /^(?:and|y|e|et)$/;
/** “Two and a half hours”, “deux heures et demie”. */
const HALF =
  /^(?: \p{L}+)? (?:and a half|et demie?|y medi[oa]|e mezz[oa]|e mei[oa]|en een half|en een halve)(?!\p{L})/iu;
/** Between two numbers that count the same: “3 to 5 days”. */
const RANGE = /^(?:to|or|and|bis|oder|und|à|ou|et|a|o|y|e|tot|en)?$/;

/** The numbers of a text in their order. */
export function countedIn(text: string, language: LanguageCode): Counted[] {
  const words = numberWordsOf(language);
  const plain = withScales(text);
  const tokens = tokensOf(plain);
  const found: Counted[] = [];
  /** The place behind the last number. */
  let last = 0;
  for (let at = 0; at < tokens.length; at++) {
    const number = numberAt(tokens, at, words, language);
    if (!number) {
      const unit = unitOf(tokens[at]!.text, language);
      if (unit && at >= last + 2) found.push({ value: NaN, kind: 'bare', unit, noun: '' });
      continue;
    }
    const { end, kind, value } = number;
    const hasHalf = kind === 'words' && HALF.test(plain.slice(tokens[end - 1]!.end));
    const one = { kind, value: hasHalf ? value + 0.5 : value, ...nounAt(tokens, end, language) };
    const before = found.at(-1);
    const between = tokens.slice(last, at).map((token) => token.text);
    if (before && !isImplied(before.kind) && RANGE.test(between.join(' '))) {
      before.noun = one.noun;
      before.unit = one.unit;
    }
    found.push(one);
    last = end;
    at = end - 1;
  }
  return found;
}

function tokensOf(text: string): Token[] {
  let last = 0;
  return Array.from(text.matchAll(TOKEN), ({ 0: word, index }) => {
    const gap = text.slice(last, index);
    last = index + word.length;
    return { text: withoutAccents(word.toLowerCase()), gap, end: last };
  });
}

const isDigits = (token: Token | undefined): boolean => /^\p{Nd}/u.test(token?.text ?? '');

/** The number that begins at a token, up to before `end`. */
function numberAt(
  tokens: Token[],
  at: number,
  { values, ordinals, articles }: NumberWords,
  language: LanguageCode,
): { value: number; kind: Kind; end: number } | undefined {
  const { text } = tokens[at]!;
  if (isDigits(tokens[at])) {
    const isOrdinal = tokens[at + 1]?.gap === '' && ORDINAL_END.test(tokens[at + 1]!.text);
    const isScaled = tokens[at + 1]?.gap === ' ' && values.get(tokens[at + 1]!.text)! >= 100;
    return { value: valueOf(text), kind: 'digits', end: at + (isOrdinal || isScaled ? 2 : 1) };
  }
  const ordinal = ordinals.get(text);
  if (ordinal !== undefined) return { value: ordinal, kind: 'ordinal', end: at + 1 };
  if (articles.has(text)) return { value: 1, kind: 'article', end: at + 1 };
  if (!values.has(text)) return undefined;
  const parts = [values.get(text)!];
  let end = at + 1;
  for (;;) {
    const skip = JOINS.test(tokens[end]?.text ?? '') && parts.at(-1)! >= 20 ? 1 : 0;
    const next = tokens.slice(end, end + skip + 1);
    const value = values.get(next.at(-1)?.text ?? '');
    if (value === undefined || !next.every(({ gap }) => BESIDE.test(gap))) break;
    if (!mayFollow(parts.at(-1)!, value, language)) break;
    parts.push(value);
    end += skip + 1;
  }
  return { value: totalOf(parts), kind: 'words', end };
}

/** Whether two words are one number: “fifty-six”, “two hundred”, “quatre-vingt”, “dix-sept”. */
function mayFollow(before: number, value: number, language: LanguageCode): boolean {
  if (value >= 100 || before >= 100) return true;
  if (language === 'fr' && ((before === 4 && value === 20) || (before === 10 && value > 6))) return value < 21;
  return before >= 20 && before % 10 === 0 && value < 20 && value > 0;
}

function totalOf(parts: number[]): number {
  let [total, group] = [0, 0];
  for (const value of parts) {
    if (value === 100) group = 100 * (group || 1);
    else if (value >= 1000) [total, group] = [total + (group || 1) * value, 0];
    // “Quatre-vingt”.
    else group = group === 4 && value === 20 ? 80 : group + value;
  }
  return total + group;
}

/** What a number counts that ends before a token: “three working days”. */
function nounAt(tokens: Token[], at: number, language: LanguageCode): Pick<Counted, 'unit' | 'noun'> {
  const [first, second] = [tokens[at], tokens[at + 1]];
  const isOrdinal = language === 'de' && isDigits(tokens[at - 1]) && first?.gap === '. ';
  if (!first || isDigits(first) || !(BESIDE.test(first.gap) || isOrdinal)) return { unit: undefined, noun: '' };
  const unit = unitOf(first.text, language);
  const noun = rootOf(first.text);
  if (unit) return { unit, noun };
  const next =
    second && !isStopWordIn(first.text, language) && BESIDE.test(second.gap)
      ? unitOf(second.text, language)
      : undefined;
  return { unit: next, noun };
}

const isStopWordIn = (word: string, language: LanguageCode): boolean =>
  (LANGUAGES[language] as LanguageTraits).unspaced !== true && isStopWord(word, language as StopWordLanguage);
