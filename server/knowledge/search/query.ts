import { withoutAccents } from '../text/accents.ts';
import { answerType } from './answer-type.ts';
import { readAsking } from './asking-clause.ts';
import { isFollowUp } from './follow-up.ts';
import { impliedBy, inPlainWords, isCommon, synonymsOf } from '../text/synonyms.ts';
import {
  isStopWord,
  isUnaccentedStopWord,
  isNearlyStopWord,
  languageOf,
  scriptOf,
  type Language,
} from '../text/language.ts';
import { withoutOrder } from './long-form.ts';
import { eachWord, rootOf, UNSEEN, type Vocabulary } from '../text/tokenizer.ts';

/** A question as one index sees it. */
export interface Query {
  terms: Term[];
  message: string;
  /** The part of the message that asks: all of it where it is one sentence. Confidence is in its words alone. */
  asking: string;
  /** The sum of the weights of the terms that ask. */
  total: number;
  /** The sum of what they are worth. */
  worth: number;
  /** False for mere keywords. */
  asks: boolean;
  /** Whether a sentence has the kind of thing that is asked for; undefined where any sentence may. */
  holds?: ((sentence: string) => boolean) | undefined;
  /** What was said, with the question before where it does not stand by itself. */
  said: string;
  /** Which term a root stands for: its own, or the one it is a synonym of. */
  places: Map<number, Place>;
  /** Which term a root that stands for none is of one family with. */
  relatives: Map<number, number>;
}

export interface Term {
  word: string;
  /** `UNSEEN` where no passage has this form, or no form of the word. */
  form: number;
  root: number;
  /** How much the word tells: its inverse document frequency, less for words of earlier questions and beside the question. */
  weight: number;
  /**
   * How much less sure an answer without the word is; 0 for words beside the question. Taken as if the site were a
   * large one: on a small site every word that it has is nearly as rare as those it lacks.
   */
  worth: number;
  /** No passage has it, only words that it may have been meant for: the France of a visitor is no frank. */
  guessed?: boolean;
}

export interface Place {
  term: number;
  /** 1 for the word itself, less for a synonym. */
  share: number;
}

/** A question of thousands of words is searched by its first words that mean something. */
const MOST_TERMS = 48;
const MOST_CHARACTERS = 4000;
/** UTF-16 units of a word that with another letter is another word; in a longer one it is a slip. */
const ANOTHER = 6;
/** What another word for the same thing is worth. */
const SYNONYM = 0.6;
/** What a word is worth that may have been meant, and how many of them are tried. */
const MEANT = 0.95;
const MOST_MEANT = 3;
/**
 * `Tans fats` has a root that a page about tanning has. What a more usual word counts beside it, and by how much its
 * inverse document frequency is less (NFCorpus' typo loss .012 to .010).
 */
const INSTEAD = 0.4;
const USUAL = 1.5;
/** What a word implied by a turn of phrase is worth. */
const IMPLIED = 0.8;
/** UTF-16 units of a shorter word are often those of another. */
const JOINED = 6;
/** What a word of the question before weighs beside one of this question. */
const EARLIER = 0.35;
/** What a word beside the question weighs: a story tells what the question is about, a greeting nothing. */
const BESIDE = 0.35;
/** So many questions before lend their words, of those that have any. */
const MOST_EARLIER = 2;
/** What a common word that no passage has still weighs. */
const COMMON = 0.3;
/** A word that stands in any text ranks less than its rarity on this site says (NFCorpus +.001, Cranfield +.001, SQuAD +.001). */
const ANYWHERE = 0.7;
/** The passages of a large site. */
const LARGE = 1000;
const ASKING =
  /[?？؟]|\b(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|should|will|would|may|must|have|has)\b/i;
/** `How long` asks for a duration: the word is no word of the answer. */
const MEASURE = /\bhow (?:long|soon|often|quick(?:ly)?|fast)\b/gi;

export function readQuery(
  text: string,
  earlier: string[],
  words: Vocabulary,
  idf: (root: number, least?: number) => number,
): Query {
  const reading = new Reading(words, idf, languageOf(text, words.languages[0], words.languages));
  const { asking, rest } = readAsking(text.slice(0, MOST_CHARACTERS), (sentence) => reading.known(sentence));
  reading.add(inPlainWords(withoutOrder(asking)), 1);
  for (const word of impliedBy(asking.slice(0, 300))) reading.add(word, IMPLIED);
  for (const word of joinedIn(asking.slice(0, 300))) if (reading.knows(word)) reading.add(word, IMPLIED);
  const followUp = isFollowUp(asking, reading.terms.length);
  if (followUp) {
    let age = 0;
    for (const before of earlier.toReversed()) {
      const known = reading.terms.length;
      reading.add(before, EARLIER ** (age + 1));
      if (reading.terms.length > known && ++age === MOST_EARLIER) break;
    }
  }
  // “I cannot log in. Why?” asks about what stands before it.
  if (reading.terms.length === 0) reading.add(rest, 1);
  else reading.addBeside(rest, BESIDE);
  const { terms, places, relatives } = reading;
  const sum = (of: (term: Term) => number) => terms.reduce((total, term) => total + of(term), 0);
  const asks = ASKING.test(text.slice(0, MOST_CHARACTERS));
  const said = followUp ? [...earlier.slice(-1), text].join('\n') : text;
  return {
    terms,
    message: text,
    asking,
    places,
    relatives,
    asks,
    holds: answerType(asking),
    said,
    total: sum(({ weight, worth }) => (worth > 0 ? weight : 0)),
    worth: sum(({ worth }) => worth),
  };
}

class Reading {
  readonly terms: Term[] = [];
  readonly places = new Map<number, Place>();
  readonly relatives = new Map<number, number>();
  readonly #seen = new Set<string>();
  readonly #words: Vocabulary;
  readonly #idf: (root: number, least?: number) => number;

  readonly #language: Language;
  /** All was typed without accents, perhaps in haste. */
  #unmarked = false;

  constructor(words: Vocabulary, idf: (root: number, least?: number) => number, language: Language) {
    this.#language = language;
    this.#words = words;
    this.#idf = idf;
  }

  add(text: string, share: number): void {
    const asked = text.slice(0, MOST_CHARACTERS);
    this.#unmarked = this.#language !== 'en' && withoutAccents(asked) === asked;
    eachWord(asked.replace(MEASURE, ' '), (word) => this.#word(word, share));
  }

  /** Words that rank, and say nothing of how sure an answer is. */
  addBeside(text: string, share: number): void {
    const from = this.terms.length;
    this.add(text, share);
    for (const term of this.terms.slice(from)) term.worth = 0;
  }

  /** How much the words of a text that pages have are worth together. */
  known(text: string): number {
    let sum = 0;
    eachWord(text, (word) => {
      const spoken = scriptOf(word) ?? this.#language;
      if (this.#isEmpty(word, spoken) || isCommon(rootOf(word, spoken))) return;
      const roots = this.#rootsOf(word);
      if (roots.length > 0) sum += this.#idf(roots[0]!, LARGE);
    });
    return sum;
  }

  /** Whether a passage has this English word, in this very form. */
  knows(word: string): boolean {
    return this.#language === 'en' && this.#words.form(word, this.#language) >= 0;
  }

  #word(word: string, share: number): void {
    const spoken = scriptOf(word) ?? this.#language;
    const rootText = rootOf(word, spoken);
    if (this.#isEmpty(word, spoken) || this.terms.length >= MOST_TERMS || this.#seen.has(rootText)) return;
    this.#seen.add(rootText);
    const own = this.#rootsOf(word);
    const synonyms =
      spoken === 'en'
        ? synonymsOf(rootText)
            .map((other) => this.#words.rootNumber(other))
            .filter(isSeen)
        : [];
    const missing = own.length === 0 && synonyms.length === 0;
    const excused = missing && isCommon(rootText);
    if (missing && !excused && isNearlyStopWord(word, spoken)) return;
    const meant = missing && !excused ? this.#meant(word, rootText) : [];
    const instead = own.length > 0 ? this.#instead(word, rootText, own) : [];
    const known = own.length > 0 ? own : synonyms.length > 0 ? [...synonyms, ...meant] : meant;
    // Of several synonyms the most usual one says how much the word tells.
    const rarity = (least: number) =>
      Math.min(this.#idf(known[0] ?? UNSEEN, least), ...known.map((one) => this.#idf(one, least)));
    const term = this.terms.push({
      word,
      form: this.#words.form(word, this.#language),
      root: own[0] ?? UNSEEN,
      weight: share * rarity(0) * (isCommon(rootText) ? ANYWHERE : 1),
      worth: share * rarity(LARGE) * (excused ? COMMON : 1),
      ...(spoken === 'en' && known === meant && meant.length > 0 && word.length <= ANOTHER
        ? { guessed: !this.#words.areForms(rootText, meant) }
        : {}),
    });
    for (const root of this.#words.relatives(rootText)) this.relatives.set(root, term - 1);
    for (const root of own) this.places.set(root, { term: term - 1, share: 1 });
    for (const other of instead)
      if (!this.places.has(other)) this.places.set(other, { term: term - 1, share: INSTEAD });
    for (const other of meant) if (!this.places.has(other)) this.places.set(other, { term: term - 1, share: MEANT });
    for (const other of synonyms)
      if (!this.places.has(other)) this.places.set(other, { term: term - 1, share: SYNONYM });
  }

  #isEmpty(word: string, spoken: Language): boolean {
    return isStopWord(word, spoken) || (this.#unmarked && isUnaccentedStopWord(word, spoken));
  }

  /** The likeliest words behind one that nothing has: the most usual. */
  #meant(word: string, rootText: string): number[] {
    const roots = this.#words.meant(word, rootText).map((root): [number, number] => [root, this.#idf(root)]);
    return roots
      .sort((a, b) => a[1] - b[1])
      .slice(0, MOST_MEANT)
      .map(([root]) => root);
  }

  /** For a word that no page has so, only in other forms: far more usual ones that may have been meant. */
  #instead(word: string, rootText: string, own: number[]): number[] {
    if (this.#words.form(word, this.#language) !== UNSEEN) return [];
    const rarest = Math.max(...own.map((root) => this.#idf(root)));
    return this.#meant(word, rootText).filter((root) => !own.includes(root) && this.#idf(root) < rarest - USUAL);
  }

  /** Its roots in each language of the site, the question's own first: names are the same in all of them. */
  #rootsOf(word: string): number[] {
    const languages = new Set([this.#language, ...this.#words.languages]);
    const roots = Array.from(languages, (language) => this.#words.rootNumber(rootOf(word, language)));
    if (this.#unmarked) roots.push(...this.#words.unmarked(word));
    return [...new Set(roots.filter(isSeen))];
  }
}

const isSeen = (root: number): boolean => root !== UNSEEN;

/** Words that pages may write as one, as verbs become nouns: to back up, a backup. */
function joinedIn(text: string): string[] {
  const pairs = text.toLowerCase().matchAll(/\b([a-z]{2,12})[ -](up|in|out|on|off|down|over|back|away)\b/g);
  return Array.from(pairs, ([, verb = '', particle = '']) => verb + particle).filter(({ length }) => length >= JOINED);
}
