import { withoutAccents } from '../../knowledge/text/accents.ts';
import { detectLanguage } from '../../knowledge/text/detect-language.ts';
import { isSlip } from '../../knowledge/text/spelling.ts';
import { rootOf } from '../../knowledge/text/tokenizer.ts';
import { featuresOf, type Features } from './features.ts';
import { NameTable } from './names.ts';

/** A trained detector, as its file in `trained/` has it. */
export interface LinearModel {
  /** Whose texts it was trained on, and their licence. */
  credit: string;
  /** What every text starts with, in hundredths. */
  bias: number;
  /** By feature what it adds, in hundredths: `feature=12|feature=-3`. */
  weights: string;
  /** By letter: words for the same thing in all languages, lower case and without accents, that count as one word, `first|second`. */
  phrases: Record<string, string>;
}

/** The word that the phrases of a letter count as: one that nobody writes. */
const classWord = (letter: string): string => ` zzclass${letter} `;
/** Letters of scripts that put no space between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** A detector ready for use. */
export class Detector {
  readonly #bias: number;
  readonly #features: NameTable;
  /** By place of the feature. */
  readonly #weights: Int32Array;
  readonly #phrases: RegExp;
  readonly #classes = new Map<string, string>();
  /** Of the phrases, those that a mistyped word may be. */
  readonly #words: string[];

  constructor({ bias, weights, phrases }: LinearModel) {
    this.#bias = bias;
    const starts: number[] = [];
    const values: number[] = [];
    let next = 0;
    for (const one of weights === '' ? [] : weights.split('|')) {
      starts.push(next);
      values.push(Number(one.slice(one.indexOf('=') + 1)));
      next += one.length + 1;
    }
    this.#features = NameTable.within(weights, Uint32Array.from(starts), '=');
    this.#weights = Int32Array.from(values);
    for (const [letter, list] of Object.entries(phrases)) {
      for (const phrase of list.split('|')) this.#classes.set(phrase, classWord(letter));
    }
    this.#phrases = patternOf([...this.#classes.keys()]);
    const words = [...this.#classes.keys()].flatMap((phrase) => phrase.match(/(?<!\p{L})[a-z]{4,}(?!\p{L})/gu) ?? []);
    this.#words = [...new Set(words)];
  }

  /** From 0 on where the text is what the detector was trained to find. */
  valueOf(text: string): number {
    // Of other languages the model knows too few words to tell a typo from a word.
    const isEnglish = (detectLanguage(text) ?? 'en') === 'en';
    const written = plainOf(text);
    const plain = isEnglish
      ? written.replace(/(?<!\p{L})[a-z]{4,}(?!\p{L})/gu, (word) => this.#corrected(word))
      : written;
    let value = this.#bias;
    for (const [name, { weight }] of this.#featuresOf(plain)) {
      const place = this.#features.placeOf(name);
      if (place >= 0) value += weight * this.#weights[place]!;
    }
    return value / 100;
  }

  /** What the detector knows a text by, before typos are corrected. */
  featuresOf(text: string): Features {
    return this.#featuresOf(plainOf(text));
  }

  #featuresOf(plain: string): Features {
    return featuresOf(plain.replace(this.#phrases, (phrase) => this.#classes.get(phrase)!));
  }

  /** The word of a phrase that one slip made this word of; a word the model knows is as it is meant. */
  #corrected(word: string): string {
    if (this.#words.includes(word) || this.#features.placeOf(`w${rootOf(word)}`) >= 0) return word;
    return this.#words.find((one) => one[0] === word[0] && isSlip(one, word) && isTold(one, word)) ?? word;
  }
}

const plainOf = (text: string): string =>
  withoutAccents(text.toLowerCase()).replaceAll('’', "'").replace(QUESTION, asQuestion);

/** In Spanish alone a question is known by its beginning, which tells "I have to" from "do I have to" in many languages. */
const asQuestion = (question: string): string => question.replaceAll('¿', '').replace(CLAUSE, '$&¿');
const QUESTION = /[^.!?…。！？؟\n]+[?？؟]/gu;
const CLAUSE = /^\s*|[,;:，、،]\s*/gu;

/** Of four letters, nearly all slips make another word; two that are swapped do not. */
const isTold = (one: string, other: string): boolean =>
  Math.min(one.length, other.length) > 4 || lettersIn(one) === lettersIn(other);

const lettersIn = (word: string): string => Array.from(word).sort().join('');

/** Matches each phrase as whole words, the longest first. */
function patternOf(phrases: readonly string[]): RegExp {
  if (phrases.length === 0) return /(?!)/g;
  const longest = phrases.toSorted((one, other) => other.length - one.length);
  const [unspaced, spaced] = [
    longest.filter((one) => UNSPACED.test(one)),
    longest.filter((one) => !UNSPACED.test(one)),
  ];
  const parts = [
    ...(spaced.length > 0 ? [`(?<![\\p{L}\\p{N}])(?:${spaced.join('|')})(?![\\p{L}\\p{N}])`] : []),
    ...(unspaced.length > 0 ? [`(?:${unspaced.join('|')})`] : []),
  ];
  return new RegExp(parts.join('|'), 'gu');
}
