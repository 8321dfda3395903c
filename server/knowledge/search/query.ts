import { asksNothing, splitQuestion } from './asking/clause.ts';
import { hasVerb } from './asking/fragments.ts';
import type { QuotedPart } from './asking/quoted.ts';
import { readingsOf, type Reading } from './asking/readings.ts';
import { severalIn, type SeveralQuestions } from './asking/several.ts';
import { answerType, kindsAskedFor } from './answer-type.ts';
import { isFollowUp, isStatementOfOwn, MAX_STATED, mayContinue, pointsBack } from './asking/follow-up.ts';
import { asksAtLength, withoutWritingRequest } from './long-form.ts';
import { TermReader, type Term, type TermShare } from './query-terms.ts';
import { respell, type WordIndex } from './words/compounds.ts';
import { withYears } from './words/relative-years.ts';
import { QueryLanguage, detectLanguage } from '../text/detect-language.ts';
import { clearLanguageOf, isStopWord, languageOf, type Language } from '../text/language.ts';
import type { LanguageCode } from '../text/languages.ts';
import { impliedBy, inPlainWords } from '../text/synonyms.ts';
import { UNSEEN, type Vocabulary } from '../text/tokenizer.ts';

/** A question, parsed once for one index: search, extraction and replies all use it. */
export interface Query {
  /** The whole message. */
  text: string;
  /** The part of the text that asks; all of it where it is one sentence. Confidence is computed from this part alone. */
  question: string;
  several: SeveralQuestions;
  /** What to search for where no page answers the question, likeliest first. */
  readings(): Reading[];
  language: QueryLanguage;
  /** Of the passages of the index, in the order in which they came. */
  siteLanguages: readonly Language[];
  /** It asks for a text of some length, such as an essay. */
  isLongForm: boolean;
  /** False for mere keywords. */
  isQuestion: boolean;
  /** Whether it needs what stands before it: it has at most one term, or refers back. */
  isFollowUp: boolean;
  /** Whether a word of its own names something: it is not common in any text, nor, in a part of a sentence, the kind of thing asked for. */
  names: boolean;
  /** Whether a word of it stands for what was said before. */
  pointsBack: boolean;
  /** Whether it may be about the answer before it, where there is one, and whether it surely goes on from it. */
  mayContinue: boolean;
  goesOn: boolean;
  /** Set by the search: the slots of the pages that the answer before quoted. */
  quoted?: ReadonlyMap<number, QuotedPart>;
  /** Whether the text is a greeting or thanks. */
  asksNothing(): boolean;
  /** Whether a sentence has the kind of thing that is asked for; undefined where any sentence may. */
  hasAnswerType?: ((sentence: string) => boolean) | undefined;
  /** What to embed: the text, with the question before it where it is a follow-up. */
  textToEmbed: string;
  /**
   * Those of the question; from index `implied` on those that its phrases imply, from `earlier` on those of earlier questions,
   * from `beside` on those of the rest of the message.
   */
  terms: Term[];
  implied: number;
  earlier: number;
  beside: number;
  /** The sum of the weights of the terms that ask. */
  totalWeight: number;
  totalWorth: number;
  /** 0 to 1: the share of the worth that is names which no page has. */
  unknownNames: number;
  /** Which term a root stands for: its own, or the one it is a synonym of. */
  termByRoot: Map<number, TermShare>;
  /** For roots that stand for no term: one of the same word family. */
  relatedTerms: Map<number, number>;
}

/** UTF-16 units that are read. */
const MAX_QUERY_LENGTH = 4000;
/** UTF-16 units of the question that are searched for phrases. */
const PHRASES_LENGTH = 300;
/** The weight of a word that a turn of phrase implies. */
const IMPLIED = 0.8;
/** UTF-16 units of a compound; a shorter one is often part of another word. */
const MIN_COMPOUND = 6;
/** The weight of a word of the question before; squared for the one before that. */
const EARLIER = 0.35;
/** That of its words which are common in any text, where the question names nothing itself: what it named is what is meant. */
const COMMON_EARLIER = 0.1;
const MAX_EARLIER = 2;
/** The weight of a word beside the question: a story tells what the question is about. */
const BESIDE = 0.35;
/** The most that all of these weigh, as a share of the question, where it can be understood alone; and those of its own sentence. */
const MAX_BESIDE = 0.25;
const MAX_ASIDE = 0.5;
const QUESTION =
  /[?？؟]|\b(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|should|will|would|may|must|have|has)\b/i;
/** A name is a capitalised word within a sentence. */
const NAME = /(?<=\S\s)\p{Lu}[\p{L}\p{N}]*/gu;
/** UTF-16 units of the question that are searched for names. */
const NAMES_LENGTH = 1000;

/** What of an index a question is read with. */
export interface IndexStatistics {
  siteLanguages: readonly LanguageCode[];
  statistics: {
    idf(root: number, least?: number): number;
    passagesWith(root: number): number;
    adjacent(first: number, second: number): number;
  };
}

/** `idf` is the inverse document frequency of a root, of the passages there are or of `least`, whichever are more. `now`: milliseconds. */
export function readQuery(
  text: string,
  earlier: string[],
  vocabulary: Vocabulary,
  index: IndexStatistics,
  hasAnswer = false,
  now = Date.now(),
): Query {
  const languageIn = (some: string) => languageOf(some, vocabulary.languages[0], vocabulary.languages);
  const readerOf = (some: string) =>
    new TermReader(vocabulary, (root, least) => index.statistics.idf(root, least), languageIn(some));
  const site = {
    worth: (sentence: string) => readerOf(sentence).worthOf(sentence),
    isForeign: (sentence: string) => isForeign(sentence, vocabulary.languages),
  };
  const split = splitQuestion(text.slice(0, MAX_QUERY_LENGTH), site);
  const { question, aside, rest } = split;
  const language = languageIn(question);
  const reader = readerOf(question);
  const start = question.slice(0, PHRASES_LENGTH);
  const words = wordsOf(vocabulary, index.statistics, language);
  const isKnownYear = (year: string): boolean => words.root(year) !== undefined;
  const dated = withYears(withoutWritingRequest(question), language, now, isKnownYear);
  const spelled = respell(inPlainWords(dated.text), words);
  reader.add(spelled.text, 1);
  for (const { root, word } of spelled.others) reader.addRoot(root, word);
  const implied = reader.terms.length;
  for (const word of impliedBy(start)) reader.add(word, IMPLIED);
  for (const word of compoundsIn(start)) if (reader.knows(word)) reader.add(word, IMPLIED);
  const continued = reader.terms.length;
  const isFirst = earlier.length === 0;
  const isKnown = reader.terms.some(({ root, isCommon }) => root !== UNSEEN && (isFirst || !isCommon));
  const isQuestion = QUESTION.test(text.slice(0, MAX_QUERY_LENGTH));
  const isStatement = continued <= MAX_STATED && isStatementOfOwn(question);
  const unseen = reader.terms.filter(({ root }) => root === UNSEEN).length;
  const kinds = kindsAskedFor(question);
  const isPartOfSentence = pointsBack(question) || !hasVerb(question);
  const names = reader.terms.some(({ word, isCommon }) => !isCommon && !(isPartOfSentence && kinds.has(word)));
  const isContinued =
    isFollowUp(question, continued, { isKnown, names: names || isFirst }) || (hasAnswer && isStatement);
  if (isContinued) {
    const [named, common, unknown] = names
      ? [EARLIER, EARLIER, EARLIER]
      : [1, COMMON_EARLIER, isPartOfSentence ? 1 : EARLIER];
    let age = 0;
    for (const before of earlier.toReversed()) {
      const known = reader.terms.length;
      const isTopic = reader.addEarlier(before, EARLIER ** age, { named, common, unknown });
      if ((names ? reader.terms.length > known : isTopic) && ++age === MAX_EARLIER) break;
    }
  }
  const beside = reader.terms.length;
  // “I cannot log in. Why?” asks about what stands before it, and so does a question that no page has a word of.
  if (reader.termByRoot.size === 0) reader.add(`${aside}\n${rest}`, 1);
  else {
    const needsRest = isContinued && (!names || pointsBack(question));
    reader.addBeside(dated.present, 1, Infinity);
    reader.addBeside(aside, BESIDE, needsRest ? Infinity : MAX_ASIDE);
    reader.addBeside(rest, BESIDE, needsRest ? Infinity : MAX_BESIDE);
  }
  const { terms, termByRoot, relatedTerms } = reader;
  const sum = (of: (term: Term) => number) => terms.reduce((total, term) => total + of(term), 0);
  const totalWorth = sum(({ worth }) => worth);
  return {
    text,
    question,
    several: severalIn(split),
    readings: () => readingsOf(text.slice(0, MAX_QUERY_LENGTH), split, site),
    language: new QueryLanguage(text, index.siteLanguages),
    siteLanguages: vocabulary.languages,
    isLongForm: asksAtLength(text),
    isQuestion,
    isFollowUp: isContinued,
    names,
    pointsBack: pointsBack(question),
    mayContinue: mayContinue(question, continued),
    goesOn: isContinued && (isStatement || unseen === 0 || (unseen === 1 && pointsBack(question))),
    asksNothing: () => asksNothing(text),
    hasAnswerType: answerType(question),
    textToEmbed: isContinued ? [...earlier.slice(-1), text].join('\n') : text,
    terms,
    implied,
    earlier: continued,
    beside,
    totalWeight: sum(({ weight, worth }) => (worth > 0 ? weight : 0)),
    totalWorth,
    unknownNames: worthOfUnknownNames(question, terms, termByRoot) / (totalWorth || 1),
    termByRoot,
    relatedTerms,
  };
}

/** Whether it is clearly in another language than all of these. */
function isForeign(sentence: string, languages: readonly Language[]): boolean {
  const language = clearLanguageOf(sentence);
  return language !== undefined && !languages.includes(language);
}

const wordsOf = (vocabulary: Vocabulary, index: IndexStatistics['statistics'], language: Language): WordIndex => ({
  root(word) {
    const form = vocabulary.form(word, language);
    // Neither a stop word nor unseen.
    const root = form < 0 ? UNSEEN : vocabulary.root(form);
    return root === UNSEEN || index.passagesWith(root) === 0 ? undefined : root;
  },
  isStopWord: (word) => isStopWord(word, language),
  passagesWith: (root) => index.passagesWith(root),
  adjacent: (first, second) => index.adjacent(first, second),
});

/** The worth of the names that no page has. 0 in German, which writes other words like names. */
function worthOfUnknownNames(question: string, terms: Term[], termByRoot: Map<number, TermShare>): number {
  const names = new Set(Array.from(question.slice(0, NAMES_LENGTH).matchAll(NAME), ([name]) => name.toLowerCase()));
  if (names.size === 0 || !/\p{Ll}/u.test(question)) return 0;
  const known = new Set(Array.from(termByRoot.values(), ({ term }) => term));
  const sum = terms.reduce((all, { word, worth, isGuess }, term) => {
    return all + ((isGuess || !known.has(term)) && names.has(word) ? worth : 0);
  }, 0);
  return sum > 0 && detectLanguage(question) !== 'de' ? sum : 0;
}

/** Words that pages may write as one, as verbs become nouns: to back up, a backup. */
function compoundsIn(text: string): string[] {
  const pairs = text.toLowerCase().matchAll(/\b([a-z]{2,12})[ -](up|in|out|on|off|down|over|back|away)\b/g);
  return Array.from(pairs, ([, verb = '', particle = '']) => verb + particle).filter(
    ({ length }) => length >= MIN_COMPOUND,
  );
}
