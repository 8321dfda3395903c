/** Names by length, in the order of the calendar. */
interface NamesByLength {
  long: string[];
  short: string[];
}

export interface Calendar {
  months: NamesByLength;
  /** As they stand beside a day: Russian “января” for “январь”. */
  monthsInDates: NamesByLength;
  /** From Monday. */
  weekdays: NamesByLength;
  /** Last, this and next year; with a number where the language has no word: “in 1 year”. */
  relativeYears: [string, string, string];
}

export interface Names {
  /** By the ISO 3166 code of a country, such as `NL`, or the UN M49 number of a region, such as `150`. */
  regions: Record<string, string>;
  /** Those of them that have a shorter name: “US”. */
  shortRegions: Record<string, string>;
  /** By ISO 639 code. */
  languages: Record<string, string>;
  /** By country: what its language is called there, where that is a name of its own: “Austrian German”. */
  dialects: Record<string, string>;
  /** By the unit's name in English, in one: all forms, long and short. */
  units: Record<string, string[]>;
}

/** What is the same in all languages. */
export interface World {
  /** By country. */
  languageOf: Record<string, string>;
  /** By language: the country that it is first the language of. */
  countryOf: Record<string, string>;
  /** In English, by country: those that time zones are called after. */
  cities: Record<string, string[]>;
}
