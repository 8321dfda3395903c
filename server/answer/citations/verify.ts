import { synonymsOf } from '../../knowledge/text/synonyms.ts';
import { sentencesOf, type Span } from '../../knowledge/text/sentences.ts';
import { eachWord, isIrregular, isStopWord, rootOf } from '../../knowledge/text/tokenizer.ts';
import { countsOther, isCounted } from './numbers/compare.ts';
import { countedIn, isImplied, type Counted } from './numbers/counted.ts';
import { isNumberWord } from './numbers/number-words.ts';
import { allNumbersIn, numbersIn } from './numbers/numbers.ts';
import { detectLanguage } from '../../knowledge/text/detect-language.ts';
import { LANGUAGES, type LanguageCode, type LanguageTraits } from '../../knowledge/text/languages.ts';
import { isCountry } from './known-names.ts';
import { contradicts } from './contradiction.ts';
import { namesOther } from './names.ts';
import { answersOtherwise, openingOf, readAnswers, statementOf, type Ordered } from './answers.ts';
import { tellsOfOther } from './subjects.ts';
import { wordsInOrder, type StopWordLanguage } from './wording.ts';
import { WeakCache } from './weak-cache.ts';

/** A passage as the model got it. Words of `head` (title and headings) support a claim too; only `text` is quoted. */
interface GivenPassage {
  head: string;
  text: string;
  /** As in `Found`. */
  entry?: object | undefined;
}

/**
 * The share of a claim's words that its passage must contain. Measured on questions joined with their answers, which differ
 * more from the passage than an answer does: with all checks 97 % pass in English, 93 % in German, 92 % in Spanish. Of those
 * of the passage before in the same article 11, 13 and 23 % pass.
 */
const MIN_SHARE = 0.4;
/** In Han and kana, words are pairs of characters, of which a paraphrase keeps fewer. 96 % pass. */
const MIN_SHARE_PAIRS = 0.3;
/** The share of the minimum that each of several passages needs which support a claim together. */
const JOINT_SHARE = 0.5;
/** Between languages: the share of the words found in any given passage that this one must contain. 84 to 97 % pass. */
const MIN_SHARE_FOREIGN = 0.5;
/** Below this share of a text's short words in the passages, it is in another language than they are. */
const MIN_SAME_LANGUAGE = 0.3;
/** The same where some of the texts, but not both sides, are English. */
const MIN_SAME_ENGLISH = 0.7;
const MAX_SHORT_WORD = 4;
/** From this number of words on, a text whose language is not detected counts as another language. */
const MIN_WORDS_UNKNOWN = 12;
/** Words without a capital that a short claim without stop words shares with a passage in its language. */
const MIN_WRITTEN = 2;
/** The share of stop words from which on a text is English. */
const ENGLISH_STOP_WORDS = 0.25;
/** A number identifies a sentence as well as two words. */
const NUMBER_WEIGHT = 2;
/** The share of the claim that an adjacent sentence must add to be quoted with the best one. */
const NEIGHBOUR_GAIN = 0.25;

const PAIRS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

interface Words {
  /** Of all words but stop words and numbers. */
  roots: Set<string>;
  numbers: Set<number>;
  counted: Counted[];
  short: Set<string>;
  /** The number of words, and of English stop words among them. */
  count: number;
  stopWords: number;
}

interface PassageWords extends Words {
  text: string;
  sentences: (Span & Pick<Words, 'roots' | 'numbers'> & { text: string })[];
  language: LanguageCode | undefined;
  /** The roots of `head`, and its last line. */
  headRoots: ReadonlySet<string>;
  heading: string;
  /** Read when a claim in its language is checked. */
  inOrder?: Ordered;
}

interface Verifier {
  /**
   * Returns those of the `cited` passages (indexes into the given ones) that support the claim, each with the span of the
   * one or two sentences that do. The language of the answer is detected in `context`.
   */
  check(claim: string, context: string, cited: number[]): Map<number, Span>;
}

/** Reading the passages takes most of the time of a check, and questions in a row cite the same ones. */
const passageCache = new WeakCache<object, PassageWords>(500);
/** UTF-16 units: bounds the memory of the cache. */
const MAX_CACHED_LENGTH = 10_000;

/** A passage that was shortened is read for itself. */
function readCached(given: GivenPassage): PassageWords {
  if (!given.entry || given.text.length > MAX_CACHED_LENGTH) return readPassage(given);
  const known = passageCache.get(given.entry, () => readPassage(given));
  return known.text === given.text ? known : readPassage(given);
}

/**
 * Checks by words, numbers, names and negations whether a passage supports a claim. Reads a passage when it is first cited.
 * Names in the question need not be in the passage.
 */
export function createVerifier(given: GivenPassage[], question = ''): Verifier {
  const passages: PassageWords[] = [];
  let known: Set<string> | undefined;
  const passageAt = (at: number): PassageWords => (passages[at] ??= readCached(given[at]!));
  const allPassages = (): PassageWords[] => given.map((_, at) => passageAt(at));

  /** Whether the claim is in another language than the passages: by the short words that they share, then by detection. */
  function isForeign(claim: string, context: string, cited: number[]): boolean {
    const words = wordsOf(context);
    if (sameLanguage(words, cited.map(passageAt))) return false;
    const all = allPassages();
    const languages = (of: PassageWords[]) => of.flatMap((one) => one.language ?? []);
    const isMixed = new Set(languages(all)).size > 1;
    if (!isMixed && sameLanguage(words, all)) return false;
    const language = detectLanguage(claim) ?? detectLanguage(context);
    if (language === undefined) return words.count >= MIN_WORDS_UNKNOWN;
    const detected = languages(cited.map(passageAt));
    return !(detected.length > 0 ? detected : languages(all)).includes(language);
  }

  /** Whether the claim names something else than the passages, or contradicts them, in their own language. */
  function saysOther(claim: string, of: PassageWords[]): boolean {
    const language = of[0]!.language ?? 'en';
    if (isUnspaced(language) || of.some((one) => one.language !== of[0]!.language)) return false;
    const words = wordsInOrder(claim, language);
    known ??= new Set([question, ...given.map(({ head }) => head)].flatMap((text) => [...wordsOf(text).roots]));
    const ordered = of.map((one) => inOrder(one, language));
    const sentences = ordered.flatMap((one) => [...one.sentences, ...one.answered.map(statementOf)]);
    const roots = new Set(of.flatMap((one) => [...one.roots]));
    const numbers = new Set(of.flatMap((one) => [...one.numbers]));
    const named = { roots, numbers, sentences, language };
    // Too short for `isForeign`, and without a word that only joins others: where few of its words are the passage's, nothing
    // tells that it is in this language.
    const written = words.filter(({ isCapital }) => !isCapital);
    const isBare = words.every(({ isContent }) => isContent);
    if (isBare && written.filter(({ root }) => hasRoot(roots, root)).length < MIN_WRITTEN)
      return namesOther(
        words.filter(({ text }) => isCountry(text, language)),
        named,
        known,
      );
    return (
      namesOther(words, named, known) ||
      tellsOfOther(words, named, new Set(of.flatMap((one) => [...one.headRoots])), known) ||
      ordered.some((one) => answersOtherwise(words, openingOf(claim), one)) ||
      contradicts(words, sentences)
    );
  }

  /** The cited passages that support the claim: each alone, or else all together. */
  function supporting(text: string, claim: Words, foreign: boolean, cited: number[]): number[] {
    // Between languages only words that some passage contains, mostly names, can distinguish passages.
    const languages = new Set(cited.map((at) => passageAt(at).language));
    const alike = foreign ? allPassages().filter(({ language }) => languages.has(language)) : [];
    const roots = [...claim.roots].filter((root) => !foreign || alike.some((one) => hasRoot(one.roots, root)));
    const minShare = foreign ? MIN_SHARE_FOREIGN : inPairs(roots) ? MIN_SHARE_PAIRS : MIN_SHARE;
    const hasNumber = (of: PassageWords[]) => (number: number) => of.some((one) => one.numbers.has(number));
    const numbers = [...claim.numbers];
    const figures = [...numbers, ...claim.counted.flatMap(({ value, kind }) => (kind === 'words' ? [value] : []))];
    const share = (of: PassageWords[]): number => {
      const found = roots.filter((root) => of.some((one) => hasRoot(one.roots, root))).length;
      return (found + figures.filter(hasNumber(of)).length) / (roots.length + figures.length || 1);
    };
    const hasNoWords = roots.length === 0 && (foreign || claim.numbers.size > 0);
    const hasEnough = (of: PassageWords[], part = 1): boolean => hasNoWords || share(of) >= minShare * part;
    const saysNumbers = (of: PassageWords[]): boolean => {
      const counted = of.flatMap((one) => one.counted);
      const has = hasNumber(of);
      const isSaid = (number: number): boolean =>
        has(number) || claim.counted.some((one) => one.value === number && isCounted(one, counted));
      return numbers.every(isSaid) && !countsOther(claim.counted, counted, has);
    };
    const supports = (of: PassageWords[]): boolean =>
      saysNumbers(of) && hasEnough(of) && (foreign || !saysOther(text, of));
    const alone = cited.filter((at) => supports([passageAt(at)]));
    if (alone.length > 0 || !supports(cited.map(passageAt))) return alone;
    return cited.filter((at) => {
      const one = [passageAt(at)];
      return numbers.length > 0 ? numbers.some(hasNumber(one)) : hasEnough(one, JOINT_SHARE);
    });
  }

  return {
    check(claim, context, cited) {
      if (isEmptyClaim(claim)) return new Map();
      const foreign = isForeign(claim, context, cited);
      const own = foreign ? (detectLanguage(claim) ?? detectLanguage(context)) : passageAt(cited[0]!).language;
      const words = wordsOf(claim, own);
      const supported = supporting(claim, words, foreign, cited);
      return new Map(supported.map((at) => [at, spanFor(words, passageAt(at), given[at]!.text)]));
    },
  };
}

/** Whether the text has neither content words nor numbers to check. */
export const isEmptyClaim = (text: string): boolean => {
  const { roots, numbers } = wordsOf(text);
  return roots.size + numbers.size === 0;
};

function wordsOf(text: string, language: LanguageCode = 'en', numbers = numbersIn(text)): Words {
  const words: Words = {
    roots: new Set(),
    numbers,
    counted: countedIn(text, language),
    short: new Set(),
    count: 0,
    stopWords: 0,
  };
  // Spaces keep a Latin name in Chinese or Thai text from being paired with its neighbours.
  eachWord(UNSPACED.test(text) ? text.replace(/[A-Za-z\d]+/g, ' $& ') : text, (word) => {
    if (/^\p{N}/u.test(word)) return;
    words.count++;
    if (word.length <= MAX_SHORT_WORD) words.short.add(word);
    if (isStopWord(word)) words.stopWords++;
    // An irregular form counts as it is written: “is written” is more often invented of what writes than it restates it.
    else if (!isNumberWord(word, language)) words.roots.add(isIrregular(word) ? word : rootOf(word));
  });
  return words;
}

const isUnspaced = (language: LanguageCode): language is Exclude<LanguageCode, StopWordLanguage> =>
  (LANGUAGES[language] as LanguageTraits).unspaced === true;

const inOrder = (passage: PassageWords, language: StopWordLanguage): Ordered =>
  (passage.inOrder ??= readAnswers(
    passage.sentences.map(({ text }) => text),
    passage.heading,
    language,
  ));

function readPassage({ head, text }: GivenPassage): PassageWords {
  const language = detectLanguage(text);
  const read = (part: string): Words => {
    const words = wordsOf(part, language, allNumbersIn(part));
    for (const { value, kind } of words.counted) if (!isImplied(kind)) words.numbers.add(value);
    return words;
  };
  const whole = read(head);
  const headRoots = new Set(whole.roots);
  const sentences = sentencesOf(text).map(({ start, end }) => {
    const sentence = text.slice(start, end);
    const words = read(sentence);
    addTo(whole, words);
    return { start, end, text: sentence, roots: words.roots, numbers: words.numbers };
  });
  return { ...whole, text, sentences, language, headRoots, heading: head.slice(head.lastIndexOf('\n') + 1) };
}

function addTo(whole: Words, part: Words): void {
  for (const root of part.roots) whole.roots.add(root);
  for (const number of part.numbers) whole.numbers.add(number);
  whole.counted.push(...part.counted);
  for (const word of part.short) whole.short.add(word);
  whole.count += part.count;
  whole.stopWords += part.stopWords;
}

const isEnglish = ({ count, stopWords }: Words): boolean => count > 0 && stopWords >= ENGLISH_STOP_WORDS * count;

const hasRoot = (roots: Set<string>, root: string): boolean =>
  roots.has(root) || synonymsOf(root).some((synonym) => roots.has(synonym));

const inPairs = (roots: string[]): boolean => 2 * roots.filter((root) => PAIRS.test(root)).length > roots.length;

function sameLanguage(context: Words, passages: Words[]): boolean {
  const english = [context, ...passages].filter(isEnglish).length;
  if (isEnglish(context) && english > 1) return true;
  const known = [...context.short].filter((word) => passages.some(({ short }) => short.has(word)));
  return known.length >= (english > 0 ? MIN_SAME_ENGLISH : MIN_SAME_LANGUAGE) * context.short.size;
}

/** The sentence with most of the claim, and an adjacent one that adds enough; the whole passage where none has any. */
function spanFor(claim: Words, { sentences }: PassageWords, text: string): Span {
  const total = claim.roots.size + NUMBER_WEIGHT * claim.numbers.size;
  const weightOf = (from: number, to: number): number => {
    const part = sentences.slice(Math.max(0, from), to + 1);
    const roots = [...claim.roots].filter((root) => part.some((one) => hasRoot(one.roots, root)));
    const numbers = [...claim.numbers].filter((number) => part.some((one) => one.numbers.has(number)));
    return roots.length + NUMBER_WEIGHT * numbers.length;
  };
  const weights = sentences.map((_, at) => weightOf(at, at));
  const most = Math.max(0, ...weights);
  const best = weights.indexOf(most);
  if (most === 0) return { start: 0, end: text.length };
  const [before, after] = [
    best > 0 ? weightOf(best - 1, best) : 0,
    best + 1 < weights.length ? weightOf(best, best + 1) : 0,
  ];
  const adds = Math.max(before, after) - most >= NEIGHBOUR_GAIN * total;
  const first = adds && before > after ? best - 1 : best;
  const last = adds && before <= after ? best + 1 : best;
  return { start: sentences[first]!.start, end: sentences[last]!.end };
}
