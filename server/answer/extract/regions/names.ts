import { withoutAccents } from '../../../knowledge/text/accents.ts';
import { LANGUAGES, type LanguageCode, type LanguageTraits } from '../../../knowledge/text/languages.ts';
import { namesIn, world, type Names } from '../../../knowledge/text/locale/locale.ts';
import { COUNTRY_CODES, REGION_CODES } from './containment.ts';

/** Countries and regions that a text names in any language. */

/** A country or region, and its UTF-16 offsets in the text. */
export interface NamedPlace {
  /** As in `membersOf`. */
  code: string;
  start: number;
  end: number;
  /** Its country is known by a city alone. */
  isCity: boolean;
}

interface Name {
  /** In lower case, without accents. */
  words: string[];
  code: string;
  isCity: boolean;
  /** Written with capitals alone, such as `US`. */
  isInitials: boolean;
}

interface Word {
  text: string;
  folded: string;
  start: number;
}

/** Names that CLDR lacks. */
const OTHER_NAMES: Record<string, string[]> = {
  AE: ['UAE'],
  GB: ['England', 'Scotland', 'Wales', 'Northern Ireland', 'Britain'],
  NL: ['Holland'],
  TR: ['Turkey'],
  US: ['USA', 'America'],
};
/** Initials that are words as well: “Do you ship to us?” */
const ALSO_WORDS = new Set(['us']);
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Letters of a word by which names are indexed. */
const KEY = 3;
/** Letters from which on the last one of a name may be another in the text, and those that may be added. */
const [MIN_INFLECTED, MAX_ADDED] = [6, 4];
/** The same of a name that the text only adds to: Iran, Iranian. */
const [MIN_WHOLE, MAX_SUFFIX] = [4, 3];

const indexes = new Map<string, Map<string, Name[]>>();

/** The places that a text names in one of the languages, in its order; of names within each other the longest. */
export function placesIn(text: string, languages: readonly LanguageCode[]): NamedPlace[] {
  const words = wordsOf(text);
  const places = languages.flatMap((language) =>
    isUnspaced(language) ? withinWords(text, language) : words.flatMap((_, at) => placesAt(words, at, language)),
  );
  places.sort((a, b) => b.end - b.start - (a.end - a.start));
  const longest: NamedPlace[] = [];
  for (const place of places)
    if (!longest.some((other) => place.start < other.end && other.start < place.end)) longest.push(place);
  return longest.sort((a, b) => a.start - b.start);
}

const isUnspaced = (language: LanguageCode): boolean => (LANGUAGES[language] as LanguageTraits).unspaced === true;

function withinWords(text: string, language: LanguageCode): NamedPlace[] {
  return [...indexOf(language).values()].flat().flatMap(({ words, code, isCity }) => {
    const name = words.join(' ');
    const start = name.length > 1 ? text.toLowerCase().indexOf(name) : -1;
    return start < 0 ? [] : [{ code, start, end: start + name.length, isCity }];
  });
}

/** The best of the names that begin with a word. */
function placesAt(words: Word[], at: number, language: LanguageCode): NamedPlace[] {
  const names = indexOf(language).get(words[at]!.folded.slice(0, KEY)) ?? [];
  let best: { name: Name; likeness: number } | undefined;
  for (const name of names) {
    const likeness = likenessOf(name, words.slice(at, at + name.words.length));
    if (likeness > (best?.likeness ?? 0)) best = { name, likeness };
  }
  if (!best) return [];
  const last = words[at + best.name.words.length - 1]!;
  const { code, isCity } = best.name;
  return [{ code, start: words[at]!.start, end: last.start + last.text.length, isCity }];
}

/** 0 where words are no form of a name; more for more words, and for those that are the same. */
function likenessOf(name: Name, words: Word[]): number {
  if (words.length < name.words.length) return 0;
  const [{ text }] = words as [Word];
  if (name.isCity && !/^\p{Lu}/u.test(text)) return 0;
  if (name.isInitials && ALSO_WORDS.has(text)) return 0;
  let sum = 0;
  for (const [at, own] of name.words.entries()) {
    const { folded } = words[at]!;
    if (folded === own) sum += 2;
    else if (!name.isCity && isInflected(own, folded)) sum += 1 + own.length / 1000;
    else return 0;
  }
  return sum;
}

/** Norwegens, Norwegii, Norvégienne: a form of Norwegen, Norwegia, Norvège. */
function isInflected(name: string, word: string): boolean {
  let same = 0;
  while (same < name.length && name[same] === word[same]) same++;
  if (same === name.length && same >= MIN_WHOLE) return word.length <= same + MAX_SUFFIX;
  return name.length >= MIN_INFLECTED && same === name.length - 1 && word.length <= name.length + MAX_ADDED;
}

function indexOf(language: LanguageCode): Map<string, Name[]> {
  const done = indexes.get(language);
  if (done) return done;
  const index = new Map<string, Name[]>();
  const add = (name: string | undefined, code: string, isCity = false): void => {
    const words = wordsOf(name ?? '').map(({ folded }) => folded);
    if (words.length === 0) return;
    const key = words[0]!.slice(0, KEY);
    const isInitials = words.length === 1 && name === name!.toUpperCase();
    index.set(key, [...(index.get(key) ?? []), { words, code, isCity, isInitials }]);
  };
  const names = namesIn(language);
  for (const code of [...REGION_CODES, ...COUNTRY_CODES])
    for (const name of [names.regions[code], names.shortRegions[code]]) add(name, code);
  add(initialsOf(names.regions['EU'] ?? ''), 'EU');
  for (const code of COUNTRY_CODES) {
    add(peopleOf(code, names), code);
    for (const name of OTHER_NAMES[code] ?? []) add(name, code);
    for (const city of world().cities[code] ?? []) add(city, code, true);
  }
  indexes.set(language, index);
  return index;
}

const initialsOf = (name: string): string => (name.match(WORD) ?? []).map((word) => word[0]!.toUpperCase()).join('');

/** What the language of a country is called, as its people and things mostly are: Polish, polski. Not Dutch, which is no form of the name. */
function peopleOf(code: string, { regions, languages }: Names): string | undefined {
  const { languageOf, countryOf } = world();
  const language = languageOf[code];
  if (language === undefined || countryOf[language] !== code) return undefined;
  const [name] = languages[language]?.match(WORD) ?? [];
  return name && fold(name)[0] === fold(regions[code] ?? '')[0] ? name : undefined;
}

const fold = (text: string): string => withoutAccents(text.toLowerCase());

const wordsOf = (text: string): Word[] =>
  Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({ text: word, folded: fold(word), start: index }));
