import { withoutAccents } from './accents.ts';
import { STOP_WORDS } from './stopwords.ts';
import type { LanguageCode } from './languages.ts';
import { isSlip } from './spelling.ts';

/** Letters from which on a mistyped stop word is recognised. */
const MIN_MISTYPED = 4;

export type Language = keyof typeof STOP_WORDS;

const words = new Map(Object.entries(STOP_WORDS).map(([language, list]) => [language, new Set(list.split(/\s+/))]));

/** Words in Cyrillic letters share one set: a word alone does not tell Russian from Ukrainian or Bulgarian. */
export const CYRILLIC_LANGUAGES = ['ru', 'uk', 'bg'] as const satisfies Language[];
const ofOne = new Map(words);
words.set('ru', new Set(CYRILLIC_LANGUAGES.flatMap((language) => [...ofOne.get(language)!])));

export const isStopWord = (word: string, language: Language = 'en'): boolean => words.get(language)!.has(word);

const unaccented = new Map(
  Array.from(words, ([language, list]) => [language, new Set(Array.from(list, withoutAccents))]),
);

/** The same for a word that was typed without its accents, if it has any. */
export const isUnaccentedStopWord = (word: string, language: Language): boolean => unaccented.get(language)!.has(word);

/** Whether an unknown word may be a mistyped stop word. */
export const isNearlyStopWord = (word: string, language: Language): boolean =>
  word.length >= MIN_MISTYPED &&
  [...words.get(language)!].some((empty) => empty.length >= MIN_MISTYPED - 1 && isSlip(word, empty));

/** The languages in Latin letters, which only their words tell apart. */
export const LATIN_LANGUAGES = 'en de es fr it pt nl ro tr vi sv da nb fi hu pl cs'.split(' ') as readonly Language[];
/** The languages that a word is common in: most words of a text are common in none, and cost one look-up. */
const commonIn = new Map<string, Language[]>();
for (const [language, list] of words) {
  for (const word of list) commonIn.set(word, [...(commonIn.get(word) ?? []), language as Language]);
}
/** Letters that occur in one of them only, or nearly so. */
const LETTERS: [RegExp, Language][] = [
  [/[ß]/, 'de'],
  [/[ñ]/, 'es'],
  [/[ãõ]/, 'pt'],
  [/[ığ]/, 'tr'],
  [/[ățș]/, 'ro'],
  [/[ơưđẠ-ỹ]/, 'vi'],
  [/[őű]/, 'hu'],
  [/[łąęśźż]/, 'pl'],
  [/[ěřů]/, 'cs'],
];
/** UTF-16 units that are read. */
const MAX_PAGE_SAMPLE = 3000;
/** A text of a language has two to four of its commonest words in ten; one in ten may be chance. */
const MIN_SHARE = 0.1;

/**
 * The language of a text's words of Latin letters: of `among` the one whose commonest words it has most of, `otherwise`
 * where none stands out. For words in other scripts see `scriptOf`.
 */
export const languageOf = (
  text: string,
  otherwise: Language = 'en',
  among: readonly Language[] = LATIN_LANGUAGES,
): Language => standingOut(countCommon(text, among), otherwise);

/** As `languageOf`, of all in Latin letters, but undefined where none stands out. */
export function clearLanguageOf(text: string): Language | undefined {
  const common = countCommon(text, LATIN_LANGUAGES);
  const first = standingOut(common, 'en');
  // English is also what it falls back to, so it counts only where another fallback gives it too.
  return first === 'en' && standingOut(common, 'fi') !== 'en' ? undefined : first;
}

/** How many words a text has, and how many of them are common in each language, in the order in which they were found. */
interface CommonWords {
  counts: ReadonlyMap<Language, number>;
  length: number;
}

function countCommon(text: string, among: readonly Language[]): CommonWords {
  const counts = new Map<Language, number>();
  let length = 0;
  for (const [word] of text
    .slice(0, MAX_PAGE_SAMPLE)
    .toLowerCase()
    .matchAll(/\p{Script=Latin}+/gu)) {
    length++;
    const own = /^[a-z]+$/.test(word) ? undefined : LETTERS.find(([letters]) => letters.test(word))?.[1];
    const common = commonIn.get(word);
    if (!common && !own) continue;
    for (const language of among) {
      if (language === own || common?.includes(language)) counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  return { counts, length };
}

function standingOut({ counts, length }: CommonWords, otherwise: Language): Language {
  let best = otherwise;
  for (const [language, count] of counts) {
    if (count > (counts.get(best) ?? 0) && count > 1 && count > MIN_SHARE * length) best = language;
  }
  return best;
}

const SPACED_SCRIPTS: [RegExp, Language][] = [
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Hebrew}/u, 'he'],
];

/** The language of a word in a script of its own, where we have its stop words; undefined for Latin letters. */
export function scriptOf(word: string): Language | undefined {
  if (word.charCodeAt(0) < 0x370) return undefined;
  return SPACED_SCRIPTS.find(([letters]) => letters.test(word))?.[1];
}

/** Letters that one of them alone has, and the hard sign where Russian has none. */
const CYRILLIC_LETTERS: [RegExp, LanguageCode][] = [
  [/[іїєґ]/i, 'uk'],
  [/[ыэё]/i, 'ru'],
  [/ъ(?![еёюя])/i, 'bg'],
];

/** Which language a text in Cyrillic letters is in; undefined where nothing tells. */
export function cyrillicOf(text: string): LanguageCode | undefined {
  const own = CYRILLIC_LETTERS.find(([letters]) => letters.test(text))?.[1];
  if (own) return own;
  const found = text.toLowerCase().match(/\p{Script=Cyrillic}+/gu) ?? [];
  const counts = CYRILLIC_LANGUAGES.map((language) => found.filter((word) => ofOne.get(language)!.has(word)).length);
  const most = Math.max(...counts);
  const best = CYRILLIC_LANGUAGES.filter((_, at) => counts[at] === most);
  return most > 0 && best.length === 1 ? best[0] : undefined;
}
