import { synonymsOf } from '../../knowledge/text/synonyms.ts';
import { sentencesOf, type Span } from '../../knowledge/text/sentences.ts';
import { eachWord, isStopWord, rootOf } from '../../knowledge/text/tokenizer.ts';
import { numbersIn, allNumbersIn } from './numbers.ts';
import { detectLanguage } from '../../knowledge/text/detect-language.ts';
import { WeakCache } from './weak-cache.ts';

/** A passage as it was given: only `text` is quoted, the words of `head` (title and headings) count too. */
export interface GivenPassage {
  head: string;
  text: string;
  /** See `Found`. */
  entry?: object | undefined;
}

/**
 * The share of a claim's words that its passage must have. Of questions joined with their answers, which stray further
 * from the passage than an answer does, this keeps 97 of 100 in English and Spanish and 91 in German; of the other passages
 * found for the question, cited in its place, 3 to 24 of 100 pass: most are about the same thing.
 */
const MIN_SHARE = 0.45;
/** Of Han and kana words are pairs of characters, of which another wording keeps fewer. Keeps 96 of 100. */
const MIN_SHARE_PAIRS = 0.3;
/** Of passages that bear a claim together, each has so much of what one alone must have. */
const JOINT_SHARE = 0.5;
/** Another language: of the words that any passage given has, the share that must be in this one. Keeps 84 to 97 of 100. */
const MIN_SHARE_FOREIGN = 0.5;
/** Where fewer of a text's short words are in the passages, it is in another language than they are. */
const MIN_SAME_LANGUAGE = 0.3;
/** The same where just one of the two is English. */
const MIN_SAME_ENGLISH = 0.7;
const MAX_SHORT_WORD = 4;
/** So many words, and none of the small ones of a language that we know, are of one that we do not. */
const MIN_WORDS_UNKNOWN = 12;
/** The share of stop words from which on a text is English. */
const ENGLISH_STOP_WORDS = 0.25;
/** A number tells as much as two words. */
const NUMBER_WEIGHT = 2;
/** A neighbour is quoted beside the best sentence where it adds this share of the claim. */
const NEIGHBOUR_GAIN = 0.25;

const PAIRS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

interface Words {
  /** Of all words but empty ones and numbers. */
  roots: Set<string>;
  numbers: Set<number>;
  short: Set<string>;
  /** How many words there are, and how many of them are empty English ones. */
  all: number;
  empty: number;
}

interface PassageWords extends Words {
  sentences: (Span & Pick<Words, 'roots' | 'numbers'>)[];
}

export interface Verifier {
  /**
   * Of the `cited` passages (their places in what was given) those that bear the claim, each with the one or two sentences
   * that do. `context` is what the language of the answer shows in.
   */
  check(claim: string, context: string, cited: number[]): Map<number, Span>;
}

/** Of passages cited lately: an answer's check is mostly the reading of its passages. */
const passageCache = new WeakCache<object, PassageWords>(500);
/** UTF-16 units; longer ones would take more memory than they save time. */
const MAX_CACHED_LENGTH = 10_000;

const readCached = (given: GivenPassage): PassageWords =>
  given.entry && given.text.length <= MAX_CACHED_LENGTH
    ? passageCache.get(given.entry, () => readPassage(given))
    : readPassage(given);

/** Judges by words, numbers and names whether a claim stands in a passage. Reads a passage when it is first cited. */
export function createVerifier(given: GivenPassage[]): Verifier {
  const ours: PassageWords[] = [];
  const reading = (at: number): PassageWords => (ours[at] ??= readCached(given[at]!));
  const readAll = (): PassageWords[] => given.map((_, at) => reading(at));

  /** Whether it looks to be in another language than the passages: by the small words that they share, and by their own. */
  function isForeign(claim: string, context: string, cited: number[]): boolean {
    const words = wordsOf(context);
    if (sameLanguage(words, cited.map(reading)) || sameLanguage(words, readAll())) return false;
    const spoken = detectLanguage(claim) ?? detectLanguage(context);
    if (spoken === undefined) return words.all >= MIN_WORDS_UNKNOWN;
    const texts = given.map(({ text }) => detectLanguage(text));
    const told = cited.map((at) => texts[at]).filter(Boolean);
    return !(told.length > 0 ? told : texts).includes(spoken);
  }

  function bears(claim: Words, foreign: boolean, cited: number[]): number[] {
    // Between languages only what some passage has at all, names above all, can tell one passage from another.
    const roots = [...claim.roots].filter((root) => !foreign || readAll().some((one) => hasRoot(one.roots, root)));
    const least = foreign ? MIN_SHARE_FOREIGN : inPairs(roots) ? MIN_SHARE_PAIRS : MIN_SHARE;
    const share = (of: PassageWords[]): number =>
      roots.filter((root) => of.some((one) => hasRoot(one.roots, root))).length / (roots.length || 1);
    const bare = roots.length === 0 && (foreign || claim.numbers.size > 0);
    const enough = (of: PassageWords[], part = 1): boolean => bare || share(of) >= least * part;
    const known = (of: PassageWords[]) => (number: number) => of.some((one) => one.numbers.has(number));
    const numbers = [...claim.numbers];
    const all = (of: PassageWords[]): boolean => numbers.every(known(of)) && enough(of);
    const alone = cited.filter((at) => all([reading(at)]));
    if (alone.length > 0 || !all(cited.map(reading))) return alone;
    return cited.filter((at) => {
      const one = [reading(at)];
      return numbers.length > 0 ? numbers.some(known(one)) : enough(one, JOINT_SHARE);
    });
  }

  return {
    check(claim, context, cited) {
      const words = wordsOf(claim);
      if (words.roots.size + words.numbers.size === 0) return new Map();
      const borne = bears(words, isForeign(claim, context, cited), cited);
      return new Map(borne.map((at) => [at, spanFor(words, reading(at), given[at]!.text)]));
    },
  };
}

/** True where there is nothing in the text that could be checked. */
export const isEmptyClaim = (text: string): boolean => {
  const { roots, numbers } = wordsOf(text);
  return roots.size + numbers.size === 0;
};

function wordsOf(text: string, numbers = numbersIn(text)): Words {
  const words: Words = { roots: new Set(), numbers, short: new Set(), all: 0, empty: 0 };
  // A Latin name within Chinese or Thai is a word of its own.
  eachWord(UNSPACED.test(text) ? text.replace(/[A-Za-z\d]+/g, ' $& ') : text, (word) => {
    if (/^\p{N}/u.test(word)) return;
    words.all++;
    if (word.length <= MAX_SHORT_WORD) words.short.add(word);
    if (isStopWord(word)) words.empty++;
    else words.roots.add(rootOf(word));
  });
  return words;
}

function readPassage({ head, text }: GivenPassage): PassageWords {
  const whole = wordsOf(head, allNumbersIn(head));
  const sentences = sentencesOf(text).map(({ start, end }) => {
    const sentence = text.slice(start, end);
    const words = wordsOf(sentence, allNumbersIn(sentence));
    addTo(whole, words);
    return { start, end, roots: words.roots, numbers: words.numbers };
  });
  return { ...whole, sentences };
}

function addTo(whole: Words, part: Words): void {
  for (const root of part.roots) whole.roots.add(root);
  for (const number of part.numbers) whole.numbers.add(number);
  for (const word of part.short) whole.short.add(word);
  whole.all += part.all;
  whole.empty += part.empty;
}

const isEnglish = ({ all, empty }: Words): boolean => all > 0 && empty >= ENGLISH_STOP_WORDS * all;

const hasRoot = (roots: Set<string>, root: string): boolean =>
  roots.has(root) || synonymsOf(root).some((synonym) => roots.has(synonym));

const inPairs = (roots: string[]): boolean => 2 * roots.filter((root) => PAIRS.test(root)).length > roots.length;

function sameLanguage(context: Words, passages: Words[]): boolean {
  const english = [context, ...passages].filter(isEnglish).length;
  if (isEnglish(context) && english > 1) return true;
  const known = [...context.short].filter((word) => passages.some(({ short }) => short.has(word)));
  return known.length >= (english > 0 ? MIN_SAME_ENGLISH : MIN_SAME_LANGUAGE) * context.short.size;
}

/** The sentence with the most of the claim, and a neighbour that adds much; the whole passage where none has any. */
function spanFor(claim: Words, { sentences }: PassageWords, text: string): Span {
  const total = claim.roots.size + NUMBER_WEIGHT * claim.numbers.size;
  const held = (from: number, to: number): number => {
    const part = sentences.slice(Math.max(0, from), to + 1);
    const roots = [...claim.roots].filter((root) => part.some((one) => hasRoot(one.roots, root)));
    const numbers = [...claim.numbers].filter((number) => part.some((one) => one.numbers.has(number)));
    return roots.length + NUMBER_WEIGHT * numbers.length;
  };
  const own = sentences.map((_, at) => held(at, at));
  const most = Math.max(0, ...own);
  const best = own.indexOf(most);
  if (most === 0) return { start: 0, end: text.length };
  const [before, after] = [best > 0 ? held(best - 1, best) : 0, best + 1 < own.length ? held(best, best + 1) : 0];
  const adds = Math.max(before, after) - most >= NEIGHBOUR_GAIN * total;
  const first = adds && before > after ? best - 1 : best;
  const last = adds && before <= after ? best + 1 : best;
  return { start: sentences[first]!.start, end: sentences[last]!.end };
}
