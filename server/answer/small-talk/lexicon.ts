import type { LanguageCode } from '../../knowledge/text/languages.ts';
import { ABOUT } from './known/about.ts';
import { GERMANIC } from './known/germanic.ts';
import { introducing } from './known/introductions.ts';
import type { Known, Sort } from './known/known.ts';
import { NORDIC } from './known/nordic.ts';
import { REMARKS } from './known/remarks.ts';
import { ROMANCE } from './known/romance.ts';
import { SLAVIC } from './known/slavic.ts';
import { SOUTHERN } from './known/southern.ts';
import { UNSPACED } from './known/unspaced.ts';
import { wordsIn } from './words.ts';

const BY_LANGUAGE: Record<LanguageCode, Known> = {
  ...ROMANCE,
  ...GERMANIC,
  ...NORDIC,
  ...SLAVIC,
  ...SOUTHERN,
  ...UNSPACED,
};
/** Of a phrase of several languages the first is spoken, unless the visitor is known to speak another. */
export const TALK_LANGUAGES = [
  ...new Set(['en', 'es', 'it', 'fr', 'de', 'sv', ...Object.keys(ROMANCE), ...Object.keys(BY_LANGUAGE)]),
] as LanguageCode[];

/** What visitors of all languages write. */
const EVERYWHERE: Partial<Record<Sort, string>> = {
  greeting: 'hi, hello, hey',
  thanks: 'thx',
  goodbye: 'bye, bye bye',
  ready: 'ok, okay, okey',
  filler: 'ok',
  address: 'docent',
};

/** How words are shortened in English chats. */
const SHORT = new Map(['u you', 'ya you', 'r are', 'ur your', 'wat what', 'wot what', 'bout about'].map(pairOf));

function pairOf(pair: string): [string, string] {
  const [short = '', long = ''] = pair.split(' ');
  return [short, long];
}

/** The alternatives at each place of a phrase, each a list of words that may be empty. */
interface Phrase {
  sort: Sort;
  places: string[][][];
}

/** By first word. A phrase with a choice of first words stands under each. */
export type Phrases = ReadonlyMap<string, Phrase[]>;

/** What may be a greeting or a goodbye, as many words for either are, counts as a greeting. */
const ORDER: Sort[] = [
  'robot',
  'human',
  'model',
  'who',
  'languages',
  'abilities',
  'greeting',
  'goodbye',
  'thanks',
  'trial',
  'ready',
  'filler',
  'address',
  'complaint',
  'praise',
  'name',
  'presence',
];

let speakers: ReadonlyMap<string, number> | undefined;

/** By word of any phrase, the languages that have it: a bit for each, the first of `TALK_LANGUAGES` the lowest. */
export const speakersByWord = (): ReadonlyMap<string, number> => (speakers ??= readWords());

function readWords(): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  for (const [bit, language] of TALK_LANGUAGES.entries()) {
    const texts = ORDER.map((sort) => listOf(language, sort));
    for (const word of wordsIn(texts.join(','))) all.set(word, (all.get(word) ?? 0) | (1 << bit));
  }
  const english = 1 << TALK_LANGUAGES.indexOf('en');
  for (const short of SHORT.keys()) all.set(short, (all.get(short) ?? 0) | english);
  return all;
}

const read = new Map<LanguageCode, Phrases>();

/** The phrases of a language, read when a message may be in it for the first time. */
export function phrasesOf(language: LanguageCode): Phrases {
  const known = read.get(language);
  if (known) return known;
  const own = new Map<string, Phrase[]>();
  for (const sort of ORDER) {
    for (const written of listOf(language, sort).split(',')) add(own, { sort, places: placesIn(written) });
  }
  read.set(language, own);
  return own;
}

const listOf = (language: LanguageCode, sort: Sort): string =>
  [
    (BY_LANGUAGE[language] as Partial<Record<Sort, string>>)[sort],
    ABOUT[language]?.[sort],
    (REMARKS[language] as Partial<Record<Sort, string>>)[sort],
    sort === 'name' ? introducing(language) : undefined,
    EVERYWHERE[sort],
  ]
    .filter(Boolean)
    .join(',');

/** `a (b|c|) d` has three places, of which the second may be empty. */
const placesIn = (written: string): string[][][] =>
  written
    .split(/[()]/)
    .map((place, at) => (at % 2 === 0 ? [place] : place.split('|')).map((choice) => wordsIn(choice)))
    .filter((choices) => choices.some(({ length }) => length > 0));

function add(own: Map<string, Phrase[]>, phrase: Phrase): void {
  const firsts = new Set<string>();
  for (const choices of phrase.places) {
    for (const [first] of choices) if (first !== undefined) firsts.add(first);
    if (choices.every(({ length }) => length > 0)) break;
  }
  for (const first of firsts) {
    const known = own.get(first);
    if (known) known.push(phrase);
    else own.set(first, [phrase]);
  }
}

/** The words as they are written out. */
export const writtenOut = (words: string[], language: LanguageCode): string[] =>
  language === 'en' && words.some((word) => SHORT.has(word)) ? words.map((word) => SHORT.get(word) ?? word) : words;

/** Where the phrase may end in `words` if it begins at `from`. */
export function endsOf({ places }: Phrase, words: readonly string[], from: number): Set<number> {
  let ends = new Set([from]);
  for (const choices of places) {
    const next = new Set<number>();
    for (const at of ends) {
      for (const choice of choices)
        if (choice.every((word, of) => words[at + of] === word)) next.add(at + choice.length);
    }
    ends = next;
  }
  ends.delete(from);
  return ends;
}
