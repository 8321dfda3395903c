import type { LanguageCode } from '../languages.ts';
import { readCalendars, readNames, readWorld } from './compute.ts';
import type { Calendar, Names, World } from './tables.ts';

export type { Names } from './tables.ts';

/** What languages call countries, languages, days, months and units (CLDR). */

let calendars: Record<LanguageCode, Calendar> | undefined;
let known: World | undefined;
const names = new Map<LanguageCode, Names>();

export const calendarOf = (language: LanguageCode): Calendar => (calendars ??= readCalendars())[language];

export const world = (): World => (known ??= readWorld());

/** The first call for a language takes some milliseconds. */
export function namesIn(language: LanguageCode): Names {
  let found = names.get(language);
  if (!found) names.set(language, (found = readNames(language)));
  return found;
}
