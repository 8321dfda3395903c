import { LANGUAGES, type LanguageCode } from '../languages.ts';
import type { Calendar, Names, World } from './tables.ts';

/**
 * Tables of the runtime's own data (CLDR), by `Intl`. The build calls these functions, and puts files in their place
 * (server/dev/locale-plugin.ts): the first use of most of `Intl` costs a process 7 MB.
 */

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const LANGUAGE_CODES = LETTERS.flatMap((one) => LETTERS.map((other) => one + other));
const COUNTRY_CODES = LANGUAGE_CODES.map((code) => code.toUpperCase());
/** Those of UN M49. */
const REGION_CODES = Array.from({ length: 999 }, (_, at) => String(at + 1).padStart(3, '0'));

const UNITS =
  'second minute hour day week month year gram kilogram millimeter centimeter meter kilometer mile milliliter liter megabyte gigabyte terabyte'.split(
    ' ',
  );
/** Languages have up to three forms after a number. */
const COUNTS = [1, 2, 5];

/** The zones whose names are of cities; those of seas are of islands and holidays. */
const CITY_ZONE = /^(?:Africa|America|Asia|Australia|Europe)\/([^/]+)$/;

const range = (length: number): number[] => Array.from({ length }, (_, at) => at);

export const readCalendars = (): Record<LanguageCode, Calendar> =>
  Object.fromEntries(Object.keys(LANGUAGES).map((code) => [code, calendarOf(code)])) as Record<LanguageCode, Calendar>;

function calendarOf(language: string): Calendar {
  const inYear = (form: Intl.DateTimeFormatOptions): string[] => {
    const format = new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' });
    const part = form.month ? 'month' : 'weekday';
    // The first of January 2024 was a Monday.
    const times = range(12).map((at) => (form.month ? Date.UTC(2024, at) : Date.UTC(2024, 0, at + 1)));
    const names = times.map((time) => format.formatToParts(time).find(({ type }) => type === part)!.value);
    return form.month ? names : names.slice(0, 7);
  };
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  return {
    months: { long: inYear({ month: 'long' }), short: inYear({ month: 'short' }) },
    monthsInDates: {
      long: inYear({ month: 'long', day: 'numeric' }),
      short: inYear({ month: 'short', day: 'numeric' }),
    },
    weekdays: { long: inYear({ weekday: 'long' }), short: inYear({ weekday: 'short' }) },
    relativeYears: [-1, 0, 1].map((by) => relative.format(by, 'year')) as [string, string, string],
  };
}

export function readNames(language: LanguageCode): Names {
  const named = (type: 'region' | 'language', codes: string[], style: 'long' | 'short' = 'long') => {
    const names = new Intl.DisplayNames(language, { type, style, fallback: 'none' });
    return Object.fromEntries(codes.flatMap((code) => [[code, names.of(code)] as const].filter(([, name]) => name)));
  };
  const regions = named('region', [...COUNTRY_CODES, ...REGION_CODES]) as Record<string, string>;
  const short = named('region', Object.keys(regions), 'short') as Record<string, string>;
  const { languageOf } = readWorld();
  const tongues = [...new Set([...LANGUAGE_CODES, ...Object.values(languageOf)])];
  const dialects = Object.keys(regions).flatMap((code) => (languageOf[code] ? [`${languageOf[code]}-${code}`] : []));
  return {
    regions,
    shortRegions: Object.fromEntries(Object.entries(short).filter(([code, name]) => name !== regions[code])),
    languages: named('language', tongues) as Record<string, string>,
    // “Austrian German”, but “English (Ireland)”.
    dialects: Object.fromEntries(
      Object.entries(named('language', dialects) as Record<string, string>)
        .filter(([, name]) => !name.includes('('))
        .map(([code, name]) => [code.split('-')[1]!, name]),
    ),
    units: Object.fromEntries(UNITS.map((unit) => [unit, namesOfUnit(language, unit)])),
  };
}

function namesOfUnit(language: string, unit: string): string[] {
  const formats = (['long', 'short'] as const).map(
    (unitDisplay) => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay }),
  );
  const parts = formats.flatMap((format) => COUNTS.flatMap((count) => format.formatToParts(count)));
  return [...new Set(parts.flatMap(({ type, value }) => (type === 'unit' ? [value] : [])))];
}

/** Of `Intl.Locale`: a method in later versions of the language. */
interface TimeZones {
  timeZones?: string[];
  getTimeZones?: () => string[];
}

export function readWorld(): World {
  const named = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const codes = COUNTRY_CODES.filter((code) => named.of(code) !== undefined);
  const languageOf = Object.fromEntries(
    codes.map((code) => [code, new Intl.Locale(`und-${code}`).maximize().language]),
  );
  const tongues = new Set([...LANGUAGE_CODES, ...Object.values(languageOf)]);
  const countryOf = Object.fromEntries(
    Array.from(tongues, (code) => [code, new Intl.Locale(code).maximize().region] as const).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
  const cities = Object.fromEntries(
    codes.map((code) => [code, citiesOf(code)] as const).filter(([, names]) => names.length > 0),
  );
  return { languageOf, countryOf, cities };
}

function citiesOf(code: string): string[] {
  const locale = new Intl.Locale(`und-${code}`) as Intl.Locale & TimeZones;
  const zones = locale.getTimeZones?.() ?? locale.timeZones ?? [];
  return zones.flatMap((zone) => CITY_ZONE.exec(zone)?.[1]?.replaceAll('_', ' ') ?? []);
}
