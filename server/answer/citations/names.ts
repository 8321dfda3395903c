import { withoutAccents } from '../../knowledge/text/accents.ts';
import type { LanguageCode } from '../../knowledge/text/languages.ts';
import { isSlip } from '../../knowledge/text/spelling.ts';
import { isCommon, synonymsOf } from '../../knowledge/text/synonyms.ts';
import { rootOf } from '../../knowledge/text/tokenizer.ts';
import { codesOf, isCountry, type Code } from './known-names.ts';
import type { Word } from './wording.ts';

/** Whether the names of a claim stand in its passage, in one form or another. */

/** What a passage has for the names of claims in its language. */
export interface NamesIn {
  /** Roots of all words, those of title and headings among them. */
  roots: ReadonlySet<string>;
  numbers: ReadonlySet<number>;
  sentences: Word[][];
  language: LanguageCode | undefined;
}

/** Letters that two forms of a name begin with: Romania, Romanian; and after them, of the longer form. */
const [MIN_SAME, MAX_ENDING] = [4, 3];
/** Letters from which on any word with a capital may be a name, and an other spelling of one. */
const [MIN_NAME, MIN_MISSPELT] = [3, 6];
/** Words in a row around a name that a passage must have too, with another name there. */
const [MIN_AROUND, MIN_AROUND_NOUNS] = [2, 3];
/** By value, of kings and world wars. */
const ROMAN = ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x'];
/** In these languages every noun has a capital. */
const NOUNS_HAVE_CAPITALS = new Set<LanguageCode | undefined>(['de']);
/** German names go without these. */
const BEFORE_NOUNS =
  /^(?:d(?:er|ie|as|en|em|es)|(?:k?ein|mein|sein|ihr|unser)(?:e[mnrs]?)?|[ia]m|ins|zu[mr]|vom|beim)$/;

/** Whether the claim names something that neither the passage names nor `known`: the question, and the titles of what was found. */
export function namesOther(claim: Word[], passage: NamesIn, known: ReadonlySet<string>): boolean {
  return claim.some((word, at) => {
    const isCertain =
      (!word.isFirst && !NOUNS_HAVE_CAPITALS.has(passage.language)) || isOtherCountry(word.text, passage);
    return (isCertain || takesPlaceOfName(claim, at, passage)) && isUnknown(claim, at, passage, known);
  });
}

/** Whether a word may be a name, and stands neither in the passage, in one form or another, nor in `known`. */
export function isUnknown(claim: Word[], at: number, passage: NamesIn, known: ReadonlySet<string>): boolean {
  const word = claim[at]!;
  if (!isName(word, passage.language)) return false;
  const own = rootOf(word.text);
  const isNamed = [own, ...synonymsOf(own)].some((root) => passage.roots.has(root) || known.has(root));
  return !isNamed && !hasOtherForm(claim, at, passage);
}

/** A country wherever it stands; “österreichisch” has another ending than any name. */
const isOtherCountry = (text: string, { sentences, language }: NamesIn): boolean =>
  isCountry(text, language) &&
  !sentences.some((words) => words.some((word) => word.text.startsWith(text.slice(0, MIN_SAME + 1))));

/** Short ones only where they are known, such as `UK`: `Mr` and `TV` name nothing. */
const isName = ({ text, isCapital, isContent }: Word, language: LanguageCode | undefined): boolean =>
  isCapital && isContent && !isCommon(rootOf(text)) && (text.length >= MIN_NAME || codesOf(text, language).length > 0);

function hasOtherForm(claim: Word[], at: number, { sentences, numbers, language }: NamesIn): boolean {
  const word = claim[at]!;
  const names = sentences.flatMap((words) => words.filter(({ isCapital }) => isCapital));
  const isSame = ({ text }: Word): boolean =>
    areForms(word.text, text) || (text.length >= MIN_MISSPELT && isSlip(word.text, text));
  if (names.some(isSame) || numbers.has(ROMAN.indexOf(word.text))) return true;
  if (word.initials.length > 1 && sentences.some((words) => initialsOf(words).includes(word.initials))) return true;
  if (word.initials.length > 1 && names.some(({ initials }) => areShortFor(initials, word.initials))) return true;
  const around = initialsOf(runAt(claim, at));
  if (around.length > 1 && names.some(({ initials }) => initials.length > 1 && around.includes(initials))) return true;
  const meanings = [...meaningsOf(word, language), ...codesOf(textOf(runAt(claim, at)), language)];
  return meanings.some((code) => {
    if (typeof code === 'number' && numbers.has(code)) return true;
    if (names.some((name) => meaningsOf(name, language).includes(code))) return true;
    return String(code).startsWith('day') && sentences.some((words) => hasDays(words, language));
  });
}

const meaningsOf = ({ text }: Word, language: LanguageCode | undefined): Code[] =>
  [text, ...synonymsOf(rootOf(text))].flatMap((word) => codesOf(word, language));

/** “Tuesday – Thursday” has Wednesday as well. */
function hasDays(words: Word[], language: LanguageCode | undefined): boolean {
  const isDay = ({ text }: Word): boolean => codesOf(text, language).some((code) => String(code).startsWith('day'));
  return words.some((word, at) => isDay(word) && words.slice(at + 1, at + 3).some(isDay));
}

/** `US` and `USA`. */
const areShortFor = (one: string, other: string): boolean =>
  one.length > 1 && (one.startsWith(other) || other.startsWith(one));

function areForms(one: string, other: string): boolean {
  const [short = '', long = ''] = [one, other]
    .map((name) => withoutAccents(name).replace(/land$/, ''))
    .toSorted((a, b) => a.length - b.length);
  let same = 0;
  while (same < short.length && short[same] === long[same]) same++;
  if (same === short.length) return same >= MIN_SAME - 1 && long.length - same <= MAX_ENDING + 1;
  return same >= MIN_SAME && short.length - same <= 2 && long.length - same <= Math.max(MAX_ENDING, same - 2);
}

/** `WWII` of “World War II”. */
const initialsOf = (words: Word[]): string =>
  words.map(({ text, initials }) => (initials.length === text.length ? initials : initials.slice(0, 1))).join('');
const textOf = (words: Word[]): string => words.map(({ text }) => text).join(' ');

/** The name that the word at a place belongs to: capitals, with stop words between them. */
function runAt(words: Word[], at: number): Word[] {
  const belongs = (word: Word | undefined): boolean => word !== undefined && (word.isCapital || !word.isContent);
  let [start, end] = [at, at + 1];
  while (belongs(words[start - 1])) start--;
  while (belongs(words[end])) end++;
  while (!words[start]!.isCapital) start++;
  while (!words[end - 1]!.isCapital) end--;
  return words.slice(start, end);
}

/** Whether the passage has another name, which the claim has not, between the same words. */
function takesPlaceOfName(claim: Word[], at: number, { sentences, language }: NamesIn): boolean {
  const areNouns = NOUNS_HAVE_CAPITALS.has(language);
  return sentences.some((words) =>
    words.some((other, place) => {
      if (!other.isCapital || !other.isContent || claim.some(({ root }) => root === other.root)) return false;
      const [before, after] = [sameBeside(claim, at, words, place, -1), sameBeside(claim, at, words, place, 1)];
      if (!areNouns) return before.length + after.length >= MIN_AROUND;
      if (BEFORE_NOUNS.test(claim[at - 1]?.text ?? '')) return false;
      const isBetween = before.length > 0 && after.length > 0;
      return (
        isBetween &&
        before.length + after.length >= MIN_AROUND_NOUNS &&
        [...before, ...after].some((word) => word.isContent)
      );
    }),
  );
}

/** The words, up to `MIN_AROUND_NOUNS`, that are the same in one direction from two places. */
function sameBeside(one: Word[], at: number, other: Word[], place: number, step: 1 | -1): Word[] {
  const same: Word[] = [];
  while (same.length < MIN_AROUND_NOUNS) {
    const [mine, theirs] = [one[at + step * (same.length + 1)], other[place + step * (same.length + 1)]];
    if (!mine || mine.root !== theirs?.root) break;
    same.push(mine);
  }
  return same;
}
