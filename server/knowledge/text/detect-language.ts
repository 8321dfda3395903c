import type { detectAll as Detect } from 'tinyld';
import {
  clearLanguageOf,
  CYRILLIC_LANGUAGES,
  cyrillicOf,
  isStopWord,
  LATIN_LANGUAGES,
  languageOf,
  scriptOf,
  type Language,
} from './language.ts';
import { LANGUAGES, type LanguageCode, type LanguageTraits } from './languages.ts';

/** UTF-16 units that are read of a question, and of each passage for the language of the site. */
const MAX_QUESTION_SAMPLE = 400;
const MAX_PASSAGE_SAMPLE = 120;
/** UTF-16 units passed to tinyld: more takes milliseconds, most of all text of no language. */
const MAX_DETECTOR_SAMPLE = 100;

const UNSPACED_SCRIPTS: [RegExp, LanguageCode][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Thai}/u, 'th'],
];
const OTHER = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Hebrew}]+/gu;
const LATIN_LETTERS = /\p{Script=Latin}/gu;

/** A language's name for the detector, which knows Norwegian by its common name, and back. */
const nameOf = (language: string): string => (language === 'nb' ? 'no' : language);
const languageNamed = (name: string): LanguageCode => (name === 'no' ? 'nb' : name) as LanguageCode;
/** Reverse order, to detect ties: a language that wins in both orders does not depend on the order. */
const NEAREST_LAST = LATIN_LANGUAGES.toReversed();
/** Letters, and words where a language is expected, from which on a detection counts: fewer may be a name. */
const MIN_LETTERS = 8;
const MIN_WORDS = 3;
/** An expected language is chosen where its score is at least this share of the highest. */
const MIN_LIKELIHOOD = 0.4;
/** What a stop word of one language adds to the detector's score of 0 to 1, and the lowest score that counts. */
const COMMON_WORD = 0.4;
const MIN_SCORE = 0.1;
/** The same for fewer than `MIN_WORDS` words, whose letters alone score this much by chance. */
const MIN_SHORT_SCORE = 0.2;
/** Languages of one browser that are considered. */
const MAX_ACCEPTED = 10;

/** Other tags for our languages, and the nearest of ours for some that are not. */
const ALIASES = new Map<string, LanguageCode>(Object.entries({ no: 'nb', nn: 'nb', iw: 'he', sk: 'cs' } as const));
const NAMES = Object.keys(LANGUAGES) as LanguageCode[];
/** The letters of each language, `¿` and `¡` among them. */
const ALPHABETS = new Map(
  LATIN_LANGUAGES.map((language) => [
    language,
    new RegExp(`^[a-z${(LANGUAGES[language] as LanguageTraits).letters}]*$`),
  ]),
);

let detectAll: typeof Detect | undefined;

/** Loads the detector by letters: 7 MB of memory, which a server whose visitors write clearly does not need. */
export async function loadDetector(): Promise<void> {
  ({ detectAll } = await import('tinyld'));
}

/** The language of a question, detected at first use. */
export class QueryLanguage {
  readonly #text: string;
  readonly #site: readonly LanguageCode[];
  /** null: not detected yet. */
  #detected: LanguageCode | undefined | null = null;

  /** `site`: the languages of the site, the commonest first. */
  constructor(text: string, site: readonly LanguageCode[] = []) {
    this.#text = text;
    this.#site = site;
  }

  /** As in `detectLanguage`. */
  get detected(): LanguageCode | undefined {
    if (this.#detected === null) this.#detected = detectLanguage(this.#text);
    return this.#detected;
  }

  /**
   * Loads the detector by letters where the question's words alone do not tell its language. Until it is loaded, `replyLanguage`
   * goes by words.
   */
  async load(): Promise<void> {
    if (detectAll) return;
    const { clear, isTooFew } = readWords(this.#start, this.detected);
    // Where its file is missing, as while the package is replaced, an answer goes by words.
    if (!clear && !isTooFew) await loadDetector().catch(() => {});
  }

  get #start(): string {
    return this.#text.slice(0, MAX_QUESTION_SAMPLE);
  }

  /**
   * The language to reply in. Where the question's words do not decide it, `accepted` does (the language tags of the visitor's
   * browser, best first), then the language of the passages found, then those of the site, then English.
   */
  replyLanguage(found: { text: string }[], accepted: readonly string[] = []): LanguageCode {
    return chooseReplyLanguage(this.#start, this.detected, accepted, () => {
      const nearest = detectLanguage(found.map(({ text }) => text.slice(0, MAX_PASSAGE_SAMPLE)).join('\n'), 2000);
      return nearest ? [nearest, ...this.#site] : this.#site;
    });
  }
}

/** The language of a text where its words are clear; else those that it may be in, and whether they are too few to tell. */
function readWords(start: string, detected: LanguageCode | undefined) {
  const script = byScript(start);
  const certain = script === 'ru' ? cyrillicOf(start) : detected;
  const clear = certain && (script || languageOf(start, 'en', NEAREST_LAST) === certain) ? certain : undefined;
  if (clear) return { clear, script, possible: [], words: [], isTooFew: false };
  const possible = script === 'ru' ? CYRILLIC_LANGUAGES : languagesWithLettersOf(start);
  const words = start.toLowerCase().match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  const isTooFew = words.join('').length < MIN_LETTERS && !script;
  return { clear: possible.length === 1 ? possible[0] : undefined, script, possible, words, isTooFew };
}

function chooseReplyLanguage(
  start: string,
  detected: LanguageCode | undefined,
  accepted: readonly string[],
  siteLanguages: () => readonly LanguageCode[],
): LanguageCode {
  const { script, words, possible, isTooFew, clear } = readWords(start, detected);
  if (clear) return clear;
  const expected = expectedOf(accepted, siteLanguages(), possible);
  const fallback = expected[0] ?? script ?? 'en';
  if (isTooFew) return fallback;
  const scores = scoreLanguages(start, words, possible);
  const [first] = scores;
  if (!first) return fallback;
  const likely = scores.filter(({ score }) => score >= MIN_LIKELIHOOD * first.score).map(({ language }) => language);
  const match = expected.find((language) => likely.includes(language));
  if (match) return match;
  const isShort = words.length < MIN_WORDS;
  const isClear = first.score >= (isShort ? MIN_SHORT_SCORE : MIN_SCORE) && (!isShort || expected.length === 0);
  if (isClear || script) return first.language;
  return scores.find(({ language }) => expected.includes(language))?.language ?? fallback;
}

/** Languages that the visitor is likely to write in, likeliest first. */
function expectedOf(
  accepted: readonly string[],
  site: readonly LanguageCode[],
  possible: readonly Language[],
): Language[] {
  const expected = accepted.slice(0, MAX_ACCEPTED).flatMap((tag) => languageOfTag(tag) ?? []);
  // Nearly every browser asks for English as well.
  const english = expected.indexOf('en');
  expected.splice(english < 0 ? expected.length : english, 0, ...site);
  return expected.flatMap((language) => possible.find((one) => one === language) ?? []);
}

/** Of a tag of BCP 47; undefined where it is none of ours. */
export function languageOfTag(tag: string): LanguageCode | undefined {
  const [language = ''] = tag.toLowerCase().split('-');
  return NAMES.find((one) => one === language) ?? ALIASES.get(language);
}

/** By the detector and by common words, of which one counts for less the more languages have it; best first. */
function scoreLanguages(
  start: string,
  words: string[],
  possible: readonly Language[],
): { language: Language; score: number }[] {
  const scores = new Map<string, number>();
  const add = (language: string, score: number) => scores.set(language, (scores.get(language) ?? 0) + score);
  const only = possible.map(nameOf);
  for (const { lang, accuracy } of detectAll?.(start.slice(0, MAX_DETECTOR_SAMPLE), { only }) ?? []) {
    add(languageNamed(lang), accuracy);
  }
  for (const word of words) {
    const having = possible.filter((language) => isStopWord(word, language));
    for (const language of having) add(language, COMMON_WORD / having.length);
  }
  return possible
    .map((language) => ({ language, score: scores.get(language) ?? 0 }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
}

/** The languages of Latin letters that have all of the text's; each of them where none has. */
function languagesWithLettersOf(text: string): readonly Language[] {
  const letters = (
    text
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{Script=Latin}¿¡]+/gu) ?? []
  ).join('');
  const matching = LATIN_LANGUAGES.filter((language) => ALPHABETS.get(language)!.test(letters));
  return matching.length > 0 ? matching : LATIN_LANGUAGES;
}

/** Detects a language by script and stop words; undefined where they do not decide. Cheap enough for passages too. */
export function detectLanguage(text: string, length = MAX_QUESTION_SAMPLE): LanguageCode | undefined {
  const start = text.slice(0, length);
  const own = byScript(start);
  if (own) return own === 'ru' ? (cyrillicOf(start) ?? own) : own;
  return clearLanguageOf(start);
}

/** The script that most of it is in, `ru` for Cyrillic; a Latin name within Chinese does not make it English. */
function byScript(text: string): LanguageCode | undefined {
  const own = UNSPACED_SCRIPTS.find(([letters]) => letters.test(text))?.[1];
  const words = text.match(OTHER) ?? [];
  const spoken = own ?? scriptOf(words[0] ?? '');
  if (!spoken) return undefined;
  const latin = text.match(LATIN_LETTERS)?.length ?? 0;
  const other = text.match(/[^\p{Script=Latin}\p{P}\p{S}\p{Z}\p{N}]/gu)?.length ?? 0;
  return other * 3 >= latin ? spoken : undefined;
}

/** The least share of all sources that one in a language of the site has. */
const MIN_SITE_SHARE = 0.1;

/** The languages of sources, each detected once, by the beginning of its text. */
export class SourceLanguages {
  readonly #bySource = new Map<string, LanguageCode>();
  readonly #counts = new Map<LanguageCode, number>();

  put(source: string, text: string): void {
    this.remove(source);
    this.restore(source, detectLanguage(text));
  }

  of(source: string): LanguageCode | undefined {
    return this.#bySource.get(source);
  }

  /** `put` of a text in this language. */
  restore(source: string, language: LanguageCode | undefined): void {
    if (!language) return;
    this.#bySource.set(source, language);
    this.#count(language, 1);
  }

  remove(source: string): void {
    const language = this.#bySource.get(source);
    if (!language) return;
    this.#bySource.delete(source);
    this.#count(language, -1);
  }

  /** Those of at least a tenth of the sources, the commonest first. */
  ofSite(): LanguageCode[] {
    const all = Array.from(this.#counts).toSorted(([, one], [, other]) => other - one);
    return all.filter(([, count]) => count >= MIN_SITE_SHARE * this.#bySource.size && count > 0).map(([code]) => code);
  }

  #count(language: LanguageCode, by: number): void {
    this.#counts.set(language, (this.#counts.get(language) ?? 0) + by);
  }
}
