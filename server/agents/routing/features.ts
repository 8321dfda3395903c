import { LRUCache } from 'lru-cache';
import { withoutAccents } from '../../knowledge/text/accents.ts';
import { detectLanguage } from '../../knowledge/text/detect-language.ts';
import { LANGUAGES, type LanguageTraits } from '../../knowledge/text/languages.ts';
import { eachWord, isStopWord, rootOf } from '../../knowledge/text/tokenizer.ts';

/**
 * What a text is classified by: its words (English ones stemmed), pairs of words side by side and with one between, and
 * the groups of letters within each word, which take the place of a stemmer in other languages and forgive typos. All of it
 * depends on this text alone: no list of languages or words that another text could change.
 */
export type Features = Map<string, Feature>;

interface Feature {
  weight: number;
  /** Whether it says more than how a sentence is held together. */
  content: boolean;
}

/** Chosen on banking77, with all examples and with ten each. */
const [WORD, PAIR, GAP, LETTERS] = [1, 0.5, 0.5, 0.3];
/** Of a stop word: "how" and "why" tell intents apart, though less than nouns do. */
const STOP = 0.75;
const [SHORTEST, LONGEST] = [3, 4];
/** UTF-16 units of a text that are read: a visitor's request is in its beginning. */
const MAX_FEATURE_CHARS = 600;

/** A word of a text that is classified. */
export interface Word {
  /** In lower case. */
  word: string;
  /** Without accents. */
  plain: string;
  root: string;
  stop: boolean;
}

/** How much each word counts, above 0. */
export type Weigh = (word: Word) => number;

const byStopWord: Weigh = ({ stop }) => (stop ? STOP : 1);

/** The features of a text, their weights such that the squares add up to 1. */
export function featuresOf(text: string, weigh: Weigh = byStopWord): Features {
  const features: Features = new Map();
  const words = wordsOf(text);
  const weights = words.map(weigh);
  for (const [at, word] of words.entries()) {
    const weight = weights[at]!;
    add(features, `w${word.root}`, WORD * weight, !word.stop);
    addJoined(features, 'p', (PAIR * (weight + (weights[at - 1] ?? 0))) / 2, words[at - 1], word);
    addJoined(features, 'g', (GAP * (weight + (weights[at - 2] ?? 0))) / 2, words[at - 2], word);
    for (const group of groupsOf(word.plain)) add(features, `l${group}`, LETTERS * weight, !word.stop);
  }
  return normalised(features);
}

/** Texts whose words stay read: a message is compared with the same sentences of the agents each time. */
const known = new LRUCache<string, readonly Word[]>({ max: 500 });

/** In order; what a text says is in its beginning. */
export function wordsOf(whole: string): readonly Word[] {
  const text = whole.slice(0, MAX_FEATURE_CHARS);
  const before = known.get(text);
  if (before) return before;
  const words = readWords(text);
  known.set(text, words);
  return words;
}

function readWords(text: string): Word[] {
  const language = detectLanguage(text) ?? 'en';
  const traits: LanguageTraits = LANGUAGES[language];
  const words: Word[] = [];
  eachWord(text, (word) => {
    const plain = withoutAccents(word);
    const stop =
      isStopWord(word) || (!traits.unspaced && isStopWord(word, language as Parameters<typeof isStopWord>[1]));
    words.push({ word, plain, root: /^[a-z]+$/.test(plain) ? rootOf(plain) : plain, stop });
  });
  return words;
}

function addJoined(features: Features, kind: string, weight: number, first: Word | undefined, second: Word): void {
  if (first) add(features, `${kind}${first.root} ${second.root}`, weight, !first.stop || !second.stop);
}

/** The word's groups of letters, its beginning and end marked by a space. */
function* groupsOf(word: string): Generator<string> {
  const padded = ` ${word} `;
  for (let size = SHORTEST; size <= LONGEST; size++) {
    for (let at = 0; at + size <= padded.length; at++) yield padded.slice(at, at + size);
  }
}

/** The highest weight counts where a feature is there twice. */
function add(features: Features, name: string, weight: number, content: boolean): void {
  const known = features.get(name);
  if (!known) features.set(name, { weight, content });
  else {
    known.weight = Math.max(known.weight, weight);
    known.content ||= content;
  }
}

function normalised(features: Features): Features {
  let squares = 0;
  for (const { weight } of features.values()) squares += weight * weight;
  const length = Math.sqrt(squares);
  for (const feature of features.values()) feature.weight /= length;
  return features;
}
