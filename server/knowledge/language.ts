import { withoutAccents } from './accents.ts';
import { EMPTY } from './empty-words.ts';
import { isSlip } from './typos.ts';

/** Letters of a mistyped word that can still be told. */
const NEARLY = 4;

export type Language = keyof typeof EMPTY;

const words = new Map(Object.entries(EMPTY).map(([language, list]) => [language, new Set(list.split(/\s+/))]));

export const isEmpty = (word: string, language: Language = 'en'): boolean => words.get(language)!.has(word);

const unmarked = new Map(
  Array.from(words, ([language, list]) => [language, new Set(Array.from(list, withoutAccents))]),
);

/** The same for a word that was typed without its accents, if it has any. */
export const isEmptyUnmarked = (word: string, language: Language): boolean => unmarked.get(language)!.has(word);

/** Whether a word that means nothing else may be one of them, mistyped. */
export const isNearlyEmpty = (word: string, language: Language): boolean =>
  word.length >= NEARLY && [...words.get(language)!].some((empty) => empty.length >= NEARLY - 1 && isSlip(word, empty));

/** Those that share their letters, so that only their words tell them apart. */
const LATIN: readonly Language[] = ['en', 'de', 'es', 'fr', 'it', 'pt', 'nl', 'ro', 'tr', 'vi', 'sv', 'da', 'fi', 'hu'];
/** Letters that one of them alone has, or nearly so. */
const LETTERS: [RegExp, Language][] = [
  [/[ß]/, 'de'],
  [/[ñ]/, 'es'],
  [/[ãõ]/, 'pt'],
  [/[ığ]/, 'tr'],
  [/[ățș]/, 'ro'],
  [/[ơưđẠ-ỹ]/, 'vi'],
  [/[őű]/, 'hu'],
];
/** So much of a text tells its language. */
const TELLING = 3000;
/** A text of a language has two to four of its commonest words in ten; one in ten may be chance. */
const LEAST = 0.1;

/**
 * The language of a text's words of Latin letters: of `among` the one whose commonest words it has most of, `otherwise`
 * where none stands out. Words of other letters tell theirs by themselves, see `scriptOf`.
 */
export function languageOf(text: string, otherwise: Language = 'en', among: readonly Language[] = LATIN): Language {
  const counts = new Map<Language, number>();
  let length = 0;
  for (const [word] of text
    .slice(0, TELLING)
    .toLowerCase()
    .matchAll(/\p{Script=Latin}+/gu)) {
    length++;
    const own = /^[a-z]+$/.test(word) ? undefined : LETTERS.find(([letters]) => letters.test(word))?.[1];
    for (const language of among) {
      if (language === own || isEmpty(word, language)) counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  let best = otherwise;
  for (const [language, count] of counts) {
    if (count > (counts.get(best) ?? 0) && count > 1 && count > LEAST * length) best = language;
  }
  return best;
}

const SCRIPTS: [RegExp, Language][] = [
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Devanagari}/u, 'hi'],
];

/** The language of a word in a script of its own, as far as we know its words; undefined for Latin letters. */
export function scriptOf(word: string): Language | undefined {
  if (word.charCodeAt(0) < 0x370) return undefined;
  return SCRIPTS.find(([letters]) => letters.test(word))?.[1];
}
