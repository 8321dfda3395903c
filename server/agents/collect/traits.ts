import { LRUCache } from 'lru-cache';
import { withoutAccents } from '../../knowledge/text/accents.ts';
import { detectLanguage } from '../../knowledge/text/detect-language.ts';
import { eachWord, isStopWord, rootOf } from '../../knowledge/text/tokenizer.ts';
import type { AgentVariable } from '../../schema/variables.ts';
import { kindOf, referenceIn, wordsOfName, type Kind } from './kinds.ts';
import { sameNouns } from './reference-nouns.ts';

/** What a variable says of itself, and the words that it is compared by. */

/** Variables whose traits stay in memory; UTF-16 units of a description that are read. */
const [MAX_KNOWN, MAX_DESCRIPTION] = [1000, 1000];

/** What stands between the name of a value and the value: “customer number is”, “customer no.:”. */
export const LINK = /^(?:number|num|no|nr|id|code|ref|reference|nummer|is|are|was|ist|lautet|es|est|è|é|er|är|on)$/u;
/** Words of a variable that say nothing about which one it is. */
export const FRAME = new Set([
  'number',
  'visitor',
  'customer',
  'user',
  'name',
  'value',
  'nummer',
  'besucher',
  'kunde',
  'cliente',
  'visiteur',
  'client',
]);

interface Traits {
  kind: Kind | undefined;
  /** That say which variable it is. Not their roots, which are others once the stemmer of a language is loaded. */
  words: readonly string[];
  /** What a visitor may call it, in any language: the words of its name, and those of “customer number” in its description. */
  names: readonly (readonly string[])[];
  /** Its value is of many digits: a reference or a telephone number, rather than how many there are of something. */
  isReference: boolean;
}

/** By what a variable says of itself: each message needs the traits of all variables. */
const known = new LRUCache<string, Traits>({ max: MAX_KNOWN });

export function traitsOf(variable: AgentVariable): Traits {
  const { name, type, example } = variable;
  const description = variable.description.slice(0, MAX_DESCRIPTION);
  const key = JSON.stringify([name, type, example.slice(0, MAX_DESCRIPTION), description]);
  const before = known.get(key);
  if (before) return before;
  const words = tellingWords(`${wordsOfName(name)} ${description}`);
  const kind = kindOf({ ...variable, description });
  const reference = referenceIn(description);
  const named = [wordsOfName(name), reference].map(namingWords).filter((one) => one.length > 0);
  const names = named.flatMap((words) => (words.length === 1 ? sameNouns(words[0]!).map((noun) => [noun]) : [words]));
  const isReference = kind !== undefined && kind.name !== 'email' && (kind.name !== 'number' || reference !== '');
  const traits = { kind, words, names, isReference };
  known.set(key, traits);
  return traits;
}

export function tellingWords(text: string): string[] {
  const language = (detectLanguage(text) ?? 'en') as Parameters<typeof isStopWord>[1];
  const words = new Set<string>();
  eachWord(text.toLowerCase(), (word) => {
    if (isStopWord(word) || isStopWord(word, language) || FRAME.has(word) || /^\d/.test(word)) return;
    words.add(word);
  });
  return [...words];
}

export function lowerWords(text: string): string[] {
  const words: string[] = [];
  eachWord(text.toLowerCase(), (word) => words.push(word));
  return words;
}

const namingWords = (text: string): string[] =>
  lowerWords(text).filter((word) => !isStopWord(word) && !LINK.test(word) && !/^\d/.test(word));

export const rootsOf = (word: string): string[] => [withoutAccents(word), withoutAccents(rootOf(word))];
