import type { LanguageCode } from '../../knowledge/text/languages.ts';
import { GERMANIC } from './known/germanic.ts';
import type { Known, Sort } from './known/known.ts';
import { NORDIC } from './known/nordic.ts';
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
  ...new Set(['en', 'es', 'it', ...Object.keys(ROMANCE), ...Object.keys(BY_LANGUAGE)]),
] as LanguageCode[];

/** What visitors of all languages write. */
const EVERYWHERE: Partial<Known> = {
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

export interface Lexicon {
  /** By language and first word. A phrase with a choice of first words stands under each. */
  phrases: Map<LanguageCode, Map<string, Phrase[]>>;
  /** All words of all phrases. */
  words: Set<string>;
}

/** What may be a greeting or a goodbye, as many words for either are, counts as a greeting. */
const ORDER: Sort[] = [
  'robot',
  'human',
  'who',
  'abilities',
  'greeting',
  'goodbye',
  'thanks',
  'ready',
  'filler',
  'address',
];

let built: Lexicon | undefined;

/** The phrases of all languages, read when they are first needed. */
export const lexicon = (): Lexicon => (built ??= build());

function build(): Lexicon {
  const all: Lexicon = { phrases: new Map(), words: new Set(SHORT.keys()) };
  for (const language of TALK_LANGUAGES) {
    const own = new Map<string, Phrase[]>();
    all.phrases.set(language, own);
    for (const sort of ORDER) {
      for (const list of [BY_LANGUAGE[language][sort], EVERYWHERE[sort]]) {
        if (list) for (const written of list.split(',')) add(own, { sort, places: placesIn(written) }, all.words);
      }
    }
  }
  return all;
}

/** `a (b|c|) d` has three places, of which the second may be empty. */
const placesIn = (written: string): string[][][] =>
  written
    .split(/[()]/)
    .map((place, at) => (at % 2 === 0 ? [place] : place.split('|')).map((choice) => wordsIn(choice)))
    .filter((choices) => choices.some(({ length }) => length > 0));

function add(own: Map<string, Phrase[]>, phrase: Phrase, words: Set<string>): void {
  for (const word of phrase.places.flat(2)) words.add(word);
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
