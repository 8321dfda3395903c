import { withoutAccents } from '../text/accents.ts';
import { isNearlyStopWord, isStopWord, isUnaccentedStopWord, scriptOf, type Language } from '../text/language.ts';
import { isCommon, synonymsOf } from '../text/synonyms.ts';
import { eachWord, rootOf, UNSEEN, type Vocabulary } from '../text/tokenizer.ts';

/** A word of the question. */
export interface Term {
  word: string;
  /** `UNSEEN` where no passage has this form, or no form of the word. */
  form: number;
  root: number;
  /** What it counts in ranking: its inverse document frequency, less for words of earlier questions and beside the question. */
  weight: number;
  /**
   * How much less sure an answer without the word is; 0 for words beside the question. Taken as if the site were a
   * large one: on a small site every word that it has is nearly as rare as those it lacks.
   */
  worth: number;
  /** No passage has it, only words that one slip makes of it and that have another stem: “France” is not “frank”. */
  isGuess?: boolean;
}

/** What a root counts for a term. */
export interface TermShare {
  /** The index of the term. */
  term: number;
  /** 1 for the word itself, less for a synonym. */
  share: number;
}

/** A question of thousands of words is searched by its first ones that are no stop words. */
const MAX_TERMS = 48;
/** UTF-16 units that are read of one text. */
const MAX_LENGTH = 4000;
/** UTF-16 units of a word that with another letter is another word; in a longer one it is a slip. */
const MAX_GUESS_LENGTH = 6;
const SYNONYM_SHARE = 0.6;
/** Of a spelling correction, and how many of them are tried. */
const CORRECTION_SHARE = 0.95;
const MAX_CORRECTIONS = 3;
/**
 * `Tans fats` has a root that a page about tanning has. What a more usual word counts beside it, and by how much its
 * inverse document frequency must be less (NFCorpus' typo loss .012 to .010).
 */
const ALTERNATIVE_SHARE = 0.4;
const ALTERNATIVE_GAP = 1.5;
/** The share of its worth that a common word keeps where no passage has it. */
const MISSING_COMMON = 0.3;
/** A word that stands in any text ranks less than its rarity on this site says (NFCorpus +.001, Cranfield +.001, SQuAD +.001). */
const COMMON_WEIGHT = 0.7;
/** The passages of a large site. */
const LARGE_SITE = 1000;
/** `How long` asks for a duration: the word is no word of the answer. */
const DURATION = /\bhow (?:long|soon|often|quick(?:ly)?|fast)\b/gi;

/** Collects the terms of a question and the roots that stand for them. */
export class TermReader {
  readonly terms: Term[] = [];
  readonly termByRoot = new Map<number, TermShare>();
  readonly relatedTerms = new Map<number, number>();
  readonly #seen = new Set<string>();
  readonly #vocabulary: Vocabulary;
  readonly #idf: (root: number, least?: number) => number;

  readonly #language: Language;
  /** All of the text was typed without accents. */
  #isUnaccented = false;

  constructor(vocabulary: Vocabulary, idf: (root: number, least?: number) => number, language: Language) {
    this.#language = language;
    this.#vocabulary = vocabulary;
    this.#idf = idf;
  }

  add(text: string, share: number): void {
    const start = text.slice(0, MAX_LENGTH);
    this.#isUnaccented = this.#language !== 'en' && withoutAccents(start) === start;
    eachWord(start.replace(DURATION, ' '), (word) => this.#addWord(word, share));
  }

  /** Adds words that rank and have no worth: an answer is as sure without them. */
  addBeside(text: string, share: number): void {
    const from = this.terms.length;
    this.add(text, share);
    for (const term of this.terms.slice(from)) term.worth = 0;
  }

  /** The sum of the worth of the words that pages have. */
  worthOf(text: string): number {
    let sum = 0;
    eachWord(text, (word) => {
      const spoken = scriptOf(word) ?? this.#language;
      if (this.#isStopWord(word, spoken) || isCommon(rootOf(word, spoken))) return;
      const roots = this.#rootsOf(word);
      if (roots.length > 0) sum += this.#idf(roots[0]!, LARGE_SITE);
    });
    return sum;
  }

  /** Whether a passage has this English word, in this very form. */
  knows(word: string): boolean {
    return this.#language === 'en' && this.#vocabulary.form(word, this.#language) >= 0;
  }

  #addWord(word: string, share: number): void {
    const spoken = scriptOf(word) ?? this.#language;
    const rootText = rootOf(word, spoken);
    if (this.#isStopWord(word, spoken) || this.terms.length >= MAX_TERMS || this.#seen.has(rootText)) return;
    this.#seen.add(rootText);
    const own = this.#rootsOf(word);
    const synonyms =
      spoken === 'en'
        ? synonymsOf(rootText)
            .map((other) => this.#vocabulary.rootNumber(other))
            .filter(isSeen)
        : [];
    const isMissing = own.length === 0 && synonyms.length === 0;
    const isExcused = isMissing && isCommon(rootText);
    if (isMissing && !isExcused && isNearlyStopWord(word, spoken)) return;
    const corrections = isMissing && !isExcused ? this.#corrections(word, rootText) : [];
    const alternatives = own.length > 0 ? this.#alternatives(word, rootText, own) : [];
    const known = own.length > 0 ? own : synonyms.length > 0 ? [...synonyms, ...corrections] : corrections;
    // Of several synonyms the most usual one counts.
    const rarity = (least: number) =>
      Math.min(this.#idf(known[0] ?? UNSEEN, least), ...known.map((one) => this.#idf(one, least)));
    const term = this.terms.push({
      word,
      form: this.#vocabulary.form(word, this.#language),
      root: own[0] ?? UNSEEN,
      weight: share * rarity(0) * (isCommon(rootText) ? COMMON_WEIGHT : 1),
      worth: share * rarity(LARGE_SITE) * (isExcused ? MISSING_COMMON : 1),
      ...(spoken === 'en' && known === corrections && corrections.length > 0 && word.length <= MAX_GUESS_LENGTH
        ? { isGuess: !this.#vocabulary.areForms(rootText, corrections) }
        : {}),
    });
    for (const root of this.#vocabulary.relatives(rootText)) this.relatedTerms.set(root, term - 1);
    for (const root of own) this.termByRoot.set(root, { term: term - 1, share: 1 });
    for (const other of alternatives)
      if (!this.termByRoot.has(other)) this.termByRoot.set(other, { term: term - 1, share: ALTERNATIVE_SHARE });
    for (const other of corrections)
      if (!this.termByRoot.has(other)) this.termByRoot.set(other, { term: term - 1, share: CORRECTION_SHARE });
    for (const other of synonyms)
      if (!this.termByRoot.has(other)) this.termByRoot.set(other, { term: term - 1, share: SYNONYM_SHARE });
  }

  #isStopWord(word: string, spoken: Language): boolean {
    return isStopWord(word, spoken) || (this.#isUnaccented && isUnaccentedStopWord(word, spoken));
  }

  /** The roots that a misspelt word may have been meant for, the most usual first. */
  #corrections(word: string, rootText: string): number[] {
    const roots = this.#vocabulary.meant(word, rootText).map((root): [number, number] => [root, this.#idf(root)]);
    return roots
      .sort((a, b) => a[1] - b[1])
      .slice(0, MAX_CORRECTIONS)
      .map(([root]) => root);
  }

  /** For a word that pages have only in other forms: far more usual words, one slip away. */
  #alternatives(word: string, rootText: string, own: number[]): number[] {
    if (this.#vocabulary.form(word, this.#language) !== UNSEEN) return [];
    const rarest = Math.max(...own.map((root) => this.#idf(root)));
    return this.#corrections(word, rootText).filter(
      (root) => !own.includes(root) && this.#idf(root) < rarest - ALTERNATIVE_GAP,
    );
  }

  /** Its roots in each language of the site, the question's own first: names are the same in all of them. */
  #rootsOf(word: string): number[] {
    const languages = new Set([this.#language, ...this.#vocabulary.languages]);
    const roots = Array.from(languages, (language) => this.#vocabulary.rootNumber(rootOf(word, language)));
    if (this.#isUnaccented) roots.push(...this.#vocabulary.unmarked(word));
    return [...new Set(roots.filter(isSeen))];
  }
}

const isSeen = (root: number): boolean => root !== UNSEEN;
