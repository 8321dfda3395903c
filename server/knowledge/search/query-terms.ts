import { withoutAccents } from '../text/accents.ts';
import { isNearlyStopWord, isStopWord, isUnaccentedStopWord, scriptOf, type Language } from '../text/language.ts';
import { isCommon, synonymsOf } from '../text/synonyms.ts';
import { isChatWord } from './asking/politeness.ts';
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
   * How much confidence an answer without the word loses; 0 for words beside the question. Computed as on a site of
   * `LARGE_SITE` passages: on a small one, words that it has are nearly as rare as words that it lacks.
   */
  worth: number;
  /** How much of it an answer loses that lacks the word: less for a word that is common in any text. */
  loss: number;
  /** It is common in any text, so that it names nothing. */
  isCommon?: boolean;
  /** No passage has it, only words one edit away with another stem: “France” is not “frank”. */
  isGuess?: boolean;
}

/** What a root counts for a term. */
export interface TermShare {
  /** The index of the term. */
  term: number;
  /** 1 for the word itself, less for a synonym. */
  share: number;
}

/** What of the pages counts as a term. */
export interface TermMatch {
  kind: 'word' | 'correction' | 'synonym';
  /** Forms that pages have, shortest first. */
  words: string[];
}

/** Terms of one question; later words are ignored. */
const MAX_TERMS = 48;
/** UTF-16 units that are read of one text. */
const MAX_TERMS_LENGTH = 4000;
/** UTF-16 units up to which a word one edit away is likely another word; in a longer one it is a typo. */
const MAX_GUESS_LENGTH = 6;
const SYNONYM_SHARE = 0.6;
/** The share of a spelling correction, and how many are tried. */
const CORRECTION_SHARE = 0.95;
const MAX_CORRECTIONS = 3;
/** The share of a word that is written as two, and the other way round. */
const OTHER_SPELLING_SHARE = 0.95;
/**
 * In `tans fats` the typo is a word of its own, with the root of tanning. Share of a more common word one edit away, and by
 * how much its inverse document frequency must be less (NFCorpus: loss by typos .012 to .010).
 */
const ALTERNATIVE_SHARE = 0.4;
const ALTERNATIVE_GAP = 1.5;
/** The share of its worth that a common word keeps where no passage, or not the one that answers, has it. */
const MISSING_COMMON = 0.3;
/** Factor for words that are common in any text, whatever their rarity on this site (NFCorpus +.001, Cranfield +.001, SQuAD +.001). */
const COMMON_WEIGHT = 0.7;
/** Passages of the site that `worth` is computed for. */
const LARGE_SITE = 1000;
/** Words that ask for a duration and do not occur in its answer. */
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
  /** Those of the site, the question's own first. */
  readonly #languages: Set<Language>;
  /** All of the text was typed without accents. */
  #isUnaccented = false;
  /** Unknown words are taken for misspelt ones. */
  #corrects = true;

  constructor(vocabulary: Vocabulary, idf: (root: number, least?: number) => number, language: Language) {
    this.#language = language;
    this.#languages = new Set([language, ...vocabulary.languages]);
    this.#vocabulary = vocabulary;
    this.#idf = idf;
  }

  add(text: string, share: number): void {
    const start = text.slice(0, MAX_TERMS_LENGTH);
    this.#isUnaccented = this.#language !== 'en' && withoutAccents(start) === start;
    eachWord(start.replace(DURATION, ' '), (word) => this.#addWord(word, share));
  }

  /** Adds an earlier question, its words with shares by what they are. Returns whether it named anything. */
  addEarlier(text: string, share: number, shares: { named: number; common: number; unknown: number }): boolean {
    const from = this.terms.length;
    this.add(text, share);
    const added = this.terms.slice(from);
    for (const term of added) {
      const factor = term.isCommon ? shares.common : term.root === UNSEEN ? shares.unknown : shares.named;
      term.weight *= factor;
      term.worth *= factor;
      term.loss *= factor;
    }
    return added.some(({ isCommon: common }) => !common);
  }

  /**
   * Adds words that rank and have no worth: an answer is as sure without them. `most`: their weight altogether, as a share
   * of the weight of those before. Unknown ones are not corrected: a story has names, and words of other languages.
   */
  addBeside(text: string, share: number, most: number): void {
    const from = this.terms.length;
    this.#corrects = false;
    this.add(text, share);
    this.#corrects = true;
    const beside = this.terms.slice(from);
    const weightOf = (terms: Term[]): number => terms.reduce((sum, { weight }) => sum + weight, 0);
    const factor = Math.min(1, (most * weightOf(this.terms.slice(0, from))) / (weightOf(beside) || 1));
    for (const term of beside) {
      term.worth = 0;
      term.loss = 0;
      term.weight *= factor;
    }
  }

  /** Lets a root stand for a word that has been added. */
  addRoot(root: number, word: string): void {
    const term = this.terms.findIndex((one) => one.word === word);
    if (term >= 0) this.#addShares([root], { term, share: OTHER_SPELLING_SHARE });
  }

  /** The sum of the worth of the words that pages have. */
  worthOf(text: string): number {
    let sum = 0;
    eachWord(text, (word) => {
      const spoken = scriptOf(word) ?? this.#language;
      if (this.#isStopWord(word, spoken) || isCommon(rootOf(word, spoken), spoken)) return;
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
    const ownRoots = this.#rootsOf(word);
    const synonyms = synonymsOf(rootText, spoken)
      .map((other) => this.#vocabulary.rootNumber(other))
      .filter(isSeen);
    const isMissing = ownRoots.length === 0 && synonyms.length === 0;
    const common = isCommon(rootText, spoken);
    const isExcused = isMissing && common;
    if (isMissing && !isExcused && (isChatWord(word) || isNearlyStopWord(word, spoken))) return;
    const corrections = isMissing && !isExcused && this.#corrects ? this.#corrections(word, rootText) : [];
    const alternatives = ownRoots.length > 0 ? this.#alternatives(word, rootText, ownRoots) : [];
    const known = ownRoots.length > 0 ? ownRoots : synonyms.length > 0 ? [...synonyms, ...corrections] : corrections;
    // Of several synonyms the most common one counts.
    const rarity = (least: number) =>
      Math.min(this.#idf(known[0] ?? UNSEEN, least), ...known.map((one) => this.#idf(one, least)));
    const worth = share * rarity(LARGE_SITE);
    const loss = common ? MISSING_COMMON * worth : worth;
    const term = this.terms.push({
      word,
      form: this.#vocabulary.form(word, this.#language),
      root: ownRoots[0] ?? UNSEEN,
      weight: share * rarity(0) * (common ? COMMON_WEIGHT : 1),
      worth: isExcused ? loss : worth,
      loss,
      ...(common ? { isCommon: true } : {}),
      ...(spoken === 'en' && known === corrections && corrections.length > 0 && word.length <= MAX_GUESS_LENGTH
        ? { isGuess: !this.#vocabulary.areForms(rootText, corrections) }
        : {}),
    });
    for (const root of this.#vocabulary.relatives(rootText)) this.relatedTerms.set(root, term - 1);
    for (const root of ownRoots) this.termByRoot.set(root, { term: term - 1, share: 1 });
    this.#addShares(alternatives, { term: term - 1, share: ALTERNATIVE_SHARE });
    this.#addShares(corrections, { term: term - 1, share: CORRECTION_SHARE });
    this.#addShares(synonyms, { term: term - 1, share: SYNONYM_SHARE });
  }

  /** Roots that stand for a term already keep it. */
  #addShares(roots: number[], share: TermShare): void {
    for (const root of roots) if (!this.termByRoot.has(root)) this.termByRoot.set(root, share);
  }

  #isStopWord(word: string, spoken: Language): boolean {
    return isStopWord(word, spoken) || (this.#isUnaccented && isUnaccentedStopWord(word, spoken));
  }

  /** The roots that a misspelt word may stand for, the most common first. */
  #corrections(word: string, rootText: string): number[] {
    const roots = this.#vocabulary
      .correctionsOf(word, rootText)
      .map((root): [number, number] => [root, this.#idf(root)]);
    return roots
      .sort((a, b) => a[1] - b[1])
      .slice(0, MAX_CORRECTIONS)
      .map(([root]) => root);
  }

  /** For a word that pages have only in other forms: far more common words, one edit away. */
  #alternatives(word: string, rootText: string, ownRoots: number[]): number[] {
    if (this.#vocabulary.form(word, this.#language) !== UNSEEN) return [];
    const rarest = Math.max(...ownRoots.map((root) => this.#idf(root)));
    return this.#corrections(word, rootText).filter(
      (root) => !ownRoots.includes(root) && this.#idf(root) < rarest - ALTERNATIVE_GAP,
    );
  }

  /** Its roots in each language of the site, the question's own first: names are the same in all of them. */
  #rootsOf(word: string): number[] {
    const roots = Array.from(this.#languages, (language) => this.#vocabulary.rootNumber(rootOf(word, language)));
    if (this.#isUnaccented) roots.push(...this.#vocabulary.rootsIgnoringAccents(word));
    return [...new Set(roots.filter(isSeen))];
  }
}

/** For each term, the words of pages that stand for it. Reads all words of the index. */
export function matchesOf(
  { terms, termByRoot }: { terms: Term[]; termByRoot: ReadonlyMap<number, TermShare> },
  words: Vocabulary,
): TermMatch[][] {
  const forms = words.formsOf(new Set(termByRoot.keys()));
  const matches: TermMatch[][] = terms.map(() => []);
  for (const [root, { term, share }] of termByRoot) {
    const kind = share === 1 ? 'word' : share === SYNONYM_SHARE ? 'synonym' : 'correction';
    matches[term]?.push({ kind, words: forms.get(root) ?? [] });
  }
  return matches;
}

const isSeen = (root: number): boolean => root !== UNSEEN;
