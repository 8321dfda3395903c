import { withoutAccents } from '../../../knowledge/text/accents.ts';
import type { LanguageCode } from '../../../knowledge/text/languages.ts';
import { namesIn } from '../../../knowledge/text/locale/locale.ts';

/** Names of units of measurement. */

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
/** Beside those of CLDR. */
const OTHERS: Partial<Record<LanguageCode, Record<string, string>>> = { fr: { annee: 'year', annees: 'year' } };
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
  for (const [unit, forms] of Object.entries(namesIn(language).units))
    for (const form of forms) {
      const name = withoutAccents(form.toLowerCase()).replace(/\.$/, '');
      if (name.length >= MIN_NAME && !names.has(name)) names.set(name, unit);
    }
  tables.set(language, names);
  return names;
}
