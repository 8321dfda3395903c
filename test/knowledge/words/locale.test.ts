import { describe, expect, test } from 'vitest';
import { LANGUAGES, type LanguageCode } from '../../../server/knowledge/text/languages.ts';
import { calendarOf, namesIn, world } from '../../../server/knowledge/text/locale/locale.ts';

describe('what languages call countries, days and units', () => {
  test('countries and regions by their codes, with the shorter name beside them', () => {
    const { regions, shortRegions } = namesIn('en');
    expect([regions['DE'], regions['150'], regions['EU']]).toEqual(['Germany', 'Europe', 'European Union']);
    expect([shortRegions['US'], shortRegions['DE']]).toEqual(['US', undefined]);
    expect(namesIn('de').regions['NO']).toBe('Norwegen');
  });

  test('languages, and those that a country has a name of its own for', () => {
    expect(namesIn('fr').languages['pl']).toBe('polonais');
    expect(namesIn('en').dialects).toMatchObject({ AT: 'Austrian German' });
    expect(Object.keys(namesIn('en').dialects)).not.toContain('IE');
  });

  test('units in each of their forms', () => {
    expect(namesIn('pl').units['month']).toEqual(expect.arrayContaining(['miesiąc', 'miesiące', 'miesięcy']));
  });

  test('months as they stand alone and in dates, days from Monday, and the years beside this one', () => {
    const { months, monthsInDates, weekdays, relativeYears } = calendarOf('ru');
    expect([months.long[0], monthsInDates.long[0]]).toEqual(['январь', 'января']);
    expect([weekdays.long[0], weekdays.long[6]]).toEqual(['понедельник', 'воскресенье']);
    expect(relativeYears).toEqual(['в прошлом году', 'в этом году', 'в следующем году']);
  });

  test('what countries speak, which they are first to speak, and their cities', () => {
    const { languageOf, countryOf, cities } = world();
    expect([languageOf['AT'], countryOf['de'], cities['IS']]).toEqual(['de', 'DE', undefined]);
    expect(cities['AT']).toEqual(['Vienna']);
  });

  test.each(Object.keys(LANGUAGES) as LanguageCode[])('%s has a name for each month, day and unit', (language) => {
    const { months, weekdays } = calendarOf(language);
    expect([new Set(months.long).size, new Set(weekdays.long).size]).toEqual([12, 7]);
    expect(Object.values(namesIn(language).units).every((forms) => forms.length > 0)).toBe(true);
  });
});
