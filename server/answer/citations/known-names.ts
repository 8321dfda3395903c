import type { LanguageCode } from '../../knowledge/text/languages.ts';

/** Names of countries, their people, months and days of the week, from the runtime's own data (CLDR). */

/** A country by its code, such as `NL`; a month by its number; a day of the week as `day1` to `day7`, from Monday. */
export type Code = string | number;
type Names = ReadonlyMap<string, readonly Code[]>;

/** Letters from which on a name of a country or people is no other word: not “Man”, nor “Ewe”. */
const MIN_COUNTRY = 5;

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
    if (!/^[A-Z]{2}$/.test(String(code))) return false;
    return [language, 'en'].some((one) => nameOf(String(code), one).toLowerCase() === word);
  });

const nameOf = (code: string, language: string): string =>
  new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? '';

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

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const PAIRS = LETTERS.flatMap((one) => LETTERS.map((other) => one + other));
/** Spoken at home in more countries than the one that CLDR has first. */
const SPOKEN_ELSEWHERE = new Set(['en', 'pt']);

function addCountries(language: LanguageCode, names: Map<string, Code[]>): void {
  const [regions, short] = (['long', 'short'] as const).map(
    (style) => new Intl.DisplayNames(language, { type: 'region', style, fallback: 'none' }),
  );
  const languages = new Intl.DisplayNames(language, { type: 'language', fallback: 'none' });
  const parts = new Map<string, string[]>();
  for (const pair of PAIRS) {
    const code = pair.toUpperCase();
    const name = regions!.of(code);
    if (name !== undefined) {
      add(names, name, code);
      add(names, short!.of(code) ?? name, code);
      for (const part of name.split(/[^\p{L}]+/u)) parts.set(part, [...(parts.get(part) ?? []), code]);
      const spoken = new Intl.Locale(`und-${code}`).maximize().language;
      // “Austrian German”, but “English (Ireland)”.
      const dialect = languages.of(`${spoken}-${code}`);
      if (dialect !== undefined && !dialect.includes('(')) add(names, dialect.split(' ')[0]!, code);
    }
    const tongue = SPOKEN_ELSEWHERE.has(pair) ? undefined : languages.of(pair);
    const { region } = new Intl.Locale(pair).maximize();
    if (tongue !== undefined && region) add(names, tongue.split(' ')[0]!, region);
  }
  // Of “United Kingdom” the word that no other country has.
  for (const [part, codes] of parts) if (part.length > 4 && codes.length === 1) add(names, part, codes[0]!);
}

function addDates(language: LanguageCode, names: Map<string, Code[]>): void {
  for (const style of ['long', 'short'] as const) {
    const months = [{ month: style }, { month: style, day: 'numeric' as const }].map(
      (options) => new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }),
    );
    for (let month = 0; month < 12; month++)
      for (const format of months)
        for (const { type, value } of format.formatToParts(Date.UTC(2024, month, 1)))
          if (type === 'month') add(names, value, month + 1);
    const days = new Intl.DateTimeFormat(language, { weekday: style, timeZone: 'UTC' });
    // The first of January 2024 was a Monday.
    for (let day = 1; day <= 7; day++) add(names, days.format(Date.UTC(2024, 0, day)), `day${day}`);
  }
}
