import { withoutAccents } from '../../../knowledge/text/accents.ts';
import type { LanguageCode } from '../../../knowledge/text/languages.ts';

/** Names of units of measurement, from the runtime's own data (CLDR). */

/** How many seconds a unit of time has. */
const SECONDS = new Map([
  ['second', 1],
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
  ['week', 7 * 86_400],
  ['month', 365.25 * 7200],
  ['year', 365.25 * 86_400],
]);
/** Others, which nothing is converted from. */
const MEASURES =
  `gram kilogram millimeter centimeter meter kilometer mile milliliter liter megabyte gigabyte terabyte`.split(' ');
/** Beside those of the runtime. */
const OTHERS: Partial<Record<LanguageCode, Record<string, string>>> = { fr: { annee: 'year', annees: 'year' } };
const COUNTS = [1, 2, 5];
/** Letters from which on a name is one: `a` are years in Spanish. */
const MIN_NAME = 2;

const tables = new Map<LanguageCode, ReadonlyMap<string, string>>();

/** The unit that a lower-case word without accents names: `month` for `monaten`; undefined for other words. */
export function unitOf(word: string, language: LanguageCode): string | undefined {
  const names = tableOf(language);
  // German has an ending more in the dative.
  return names.get(word) ?? (word.endsWith('n') ? names.get(word.slice(0, -1)) : undefined);
}

/** Seconds; undefined where the unit is none of time. */
export const secondsOf = (unit: string): number | undefined => SECONDS.get(unit);

function tableOf(language: LanguageCode): ReadonlyMap<string, string> {
  const known = tables.get(language);
  if (known) return known;
  const names = new Map(Object.entries(OTHERS[language] ?? {}));
  for (const unit of [...SECONDS.keys(), ...MEASURES])
    for (const unitDisplay of ['long', 'short'] as const) {
      const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay });
      for (const { type, value } of COUNTS.flatMap((count) => format.formatToParts(count))) {
        const name = withoutAccents(value.toLowerCase()).replace(/\.$/, '');
        if (type === 'unit' && name.length >= MIN_NAME && !names.has(name)) names.set(name, unit);
      }
    }
  tables.set(language, names);
  return names;
}
