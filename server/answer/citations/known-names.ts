import type { LanguageCode } from '../../knowledge/text/languages.ts';
import { calendarOf, namesIn, world } from '../../knowledge/text/locale/locale.ts';

/** Names of countries, their people, months and days of the week. */

/** A country by its code, such as `NL`; a month by its number; a day of the week as `day1` to `day7`, from Monday. */
export type Code = string | number;
type Names = ReadonlyMap<string, readonly Code[]>;

/** Letters from which on a name of a country or people is no other word: not “Man”, nor “Ewe”. */
const MIN_COUNTRY = 5;
/** Beside it names have numbers of regions. */
const COUNTRY_CODE = /^[A-Z]{2}$/;

const tables = new Map<LanguageCode, Names>();

/**
 * What the word means in English or in `language`: `Dutch` is `NL`, as `Netherlands` and `Niederlande` are. Empty for any
 * other word. The first call for a language takes some milliseconds.
 */
export function codesOf(word: string, language: LanguageCode = 'en'): readonly Code[] {
  const single = word.replace(/s$/, '');
  for (const names of language === 'en' ? [tableOf('en')] : [tableOf(language), tableOf('en')]) {
    const codes = names.get(word) ?? names.get(single);
    if (codes) return codes;
  }
  return [];
}

/** Whether it is the whole name of a country, as `Iceland` is and `coast`, of the Ivory Coast, is not. */
export const isCountry = (word: string, language: LanguageCode = 'en'): boolean =>
  word.length >= MIN_COUNTRY &&
  codesOf(word, language).some((code) => {
    if (!COUNTRY_CODE.test(String(code))) return false;
    return ([language, 'en'] as const).some((one) => namesIn(one).regions[code]?.toLowerCase() === word);
  });

function tableOf(language: LanguageCode): Names {
  const known = tables.get(language);
  if (known) return known;
  const names = new Map<string, Code[]>();
  addCountries(language, names);
  addDates(language, names);
  tables.set(language, names);
  return names;
}

function add(names: Map<string, Code[]>, name: string, code: Code): void {
  const key = name.toLowerCase().replace(/\.$/, '');
  const codes = names.get(key) ?? [];
  if (!codes.includes(code)) names.set(key, [...codes, code]);
}

/** Spoken at home in more countries than the one that CLDR has first. */
const SPOKEN_ELSEWHERE = new Set(['en', 'pt']);

function addCountries(language: LanguageCode, names: Map<string, Code[]>): void {
  const { regions, shortRegions, languages, dialects } = namesIn(language);
  const parts = new Map<string, string[]>();
  for (const [code, name] of Object.entries(regions)) {
    if (!COUNTRY_CODE.test(code)) continue;
    add(names, name, code);
    add(names, shortRegions[code] ?? name, code);
    for (const part of name.split(/[^\p{L}]+/u)) parts.set(part, [...(parts.get(part) ?? []), code]);
    const dialect = dialects[code];
    if (dialect !== undefined) add(names, dialect.split(' ')[0]!, code);
  }
  for (const [tongue, country] of Object.entries(world().countryOf)) {
    // Those of three letters, such as Tok Pisin, have names that begin with other words.
    const isCounted = tongue.length === 2 && !SPOKEN_ELSEWHERE.has(tongue);
    const name = isCounted ? languages[tongue] : undefined;
    if (name !== undefined) add(names, name.split(' ')[0]!, country);
  }
  // Of “United Kingdom” the word that no other country has.
  for (const [part, codes] of parts) if (part.length > 4 && codes.length === 1) add(names, part, codes[0]!);
}

function addDates(language: LanguageCode, names: Map<string, Code[]>): void {
  const { months, monthsInDates, weekdays } = calendarOf(language);
  for (const style of ['long', 'short'] as const) {
    for (const forms of [months, monthsInDates])
      for (const [at, name] of forms[style].entries()) add(names, name, at + 1);
    for (const [at, name] of weekdays[style].entries()) add(names, name, `day${at + 1}`);
  }
}
