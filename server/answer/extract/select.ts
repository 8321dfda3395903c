import { coverageOf, type ContextWeights } from '../../knowledge/search/coverage.ts';
import type { Found, Sentence } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import { isItem } from '../../knowledge/text/sentences.ts';
import { eachWord, rootOf } from '../../knowledge/text/tokenizer.ts';
import { composeQuotes, type QuotePiece } from './compose.ts';
import { isInCode } from './layout.ts';
import { minConfidence, minHeld, UNSURE_CONFIDENCE, UNSURE_HELD } from './threshold.ts';
import { SENTENCE_END } from './anaphora.ts';

/** A sentence of a passage, selected to answer without a model. */
interface QuotedSentence {
  /** One whole sentence, list item or table row as it stands in the passage. */
  text: string;
  /** The index of its passage in `found`. */
  found: number;
  /** The index of the sentence in its passage. */
  at: number;
}

interface QuoteOptions {
  /** 3 by default. */
  maxSentences?: number;
  /** Below this confidence nothing is quoted; `minConfidence` by default. */
  threshold?: number;
}

const MAX_SENTENCES = 3;
/** The least share of the best score with which a sentence is shown beside the best one. */
const MIN_SCORE_SHARE = 0.6;
/** Passages whose sentences are candidates. */
const MAX_PASSAGES = 6;
const CONTEXT: ContextWeights = { lead: 0.6, secondLead: 0.3, next: 0.2, head: 0.8, passage: 0.1 };
/** Coverage of a question word that a heading contains. */
const IN_HEADING = 0.95;
/** Added to the sentences of the best passage, and to a sentence of the answer type asked for. */
const PASSAGE_SCORE = 0.5;
const ANSWER_TYPE = 0.2;
/** Times the share of question words that stand next to each other as in the question. */
const PHRASE_WEIGHT = 0.08;
/** Added to the first sentence of a passage, which often sums it up. */
const FIRST_SENTENCE = 0.02;
const UNSPACED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
/** A lead-in or a question is no answer by itself. */
const UNFINISHED = /[:?：？]$/;
/** UTF-16 units of a label, which ends with no full stop. */
const MAX_LABEL_LENGTH = 30;

/** The least share of a root that says the same as the word of the question. */
const SYNONYM = 0.5;
const KIND_ASKED_FOR =
  /(?<!\p{L})(?:what|which|welche[rsmn]?|qu[eé]|cuál(?:es)?|quel(?:le)?s?|qual[ei]?|quais|welke?|vilke[nt]|hvilke[nt]|jak[ai]e?|как(?:ой|ая|ое|ие))\s+(\p{L}+)/giu;

interface Candidate {
  found: number;
  at: number;
  sentence: Sentence;
  score: number;
  /** 0 to 1: the share of the question’s worth that it covers, itself or by its context. */
  confidence: number;
  /** 0 to 1: the share of the question’s weight that it covers itself. */
  restated: number;
}

/** Yields the best sentences, best first; none below the threshold. */
export function* selectQuotes(query: Query, found: Found[], options: QuoteOptions = {}): Generator<QuotedSentence> {
  yield* selectSentences(rank(query, found), { threshold: minConfidence(query, found), ...options });
}

function* selectSentences(
  { candidates, confidence }: Ranking,
  { maxSentences = MAX_SENTENCES, threshold }: QuoteOptions & { threshold: number },
): Generator<QuotedSentence> {
  if (confidence < threshold) return;
  const selected: Sentence[] = [];
  for (const { sentence, found, at, score } of candidates) {
    if (score < MIN_SCORE_SHARE * candidates[0]!.score) return;
    if (selected.some((other) => areAlike(sentence, other))) continue;
    selected.push(sentence);
    yield { text: sentence.text, found, at };
    if (selected.length >= maxSentences) return;
  }
}

/** 0 to about 1: how likely it is that the passages answer the question. */
export const confidence = (query: Query, found: Found[]): number => rank(query, found).confidence;

/** An answer made of quotations. */
export interface QuotedAnswer {
  /** Empty where no sentence reaches the threshold. */
  pieces: QuotePiece[];
  isFromSeveralPages: boolean;
  /** 0 to 1: the share of the question’s weight that the best sentence covers itself. */
  restated: number;
  /** The owner wrote it as a question and answer. */
  isOwnersAnswer: boolean;
  /** The closest that was found, which may not answer. */
  isUnsure: boolean;
}

/** The best sentences, composed in reading order. */
export function selectAnswer(query: Query, found: Found[], options: QuoteOptions = {}): QuotedAnswer {
  const ranking = rank(query, found);
  const certainty = options.threshold === undefined ? certaintyOf(ranking, query, found) : 'sure';
  const picks = certainty === 'none' ? [] : [...selectSentences(ranking, { threshold: 0, ...options })];
  // An answer that the owner wrote is complete.
  const isOwnersAnswer = picks[0] !== undefined && found[picks[0].found]!.source.type === 'qa';
  const selected = isOwnersAnswer ? picks.slice(0, 1) : picks;
  const pieces = composeQuotes(selected, found, query);
  const pages = new Set(selected.map((pick) => found[pick.found]!.source.uuid));
  return {
    pieces,
    isFromSeveralPages: pages.size > 1,
    restated: ranking.candidates[0]?.restated ?? 0,
    isOwnersAnswer,
    isUnsure: certainty === 'unsure',
  };
}

/**
 * `sure` where the best passage has words for most of the question, however well the rest fits: it may tell of something
 * else. `unsure` where it may answer all the same.
 */
function certaintyOf({ candidates: [best], confidence }: Ranking, query: Query, found: Found[]): Certainty {
  if (!best) return 'none';
  const passage = found[best.found]!;
  if (passage.match.exact) return 'sure';
  const isConfident = confidence >= minConfidence(query, found);
  const held = heldBy(passage, query) / minHeld(query, found);
  // Who asks for a long text asks for what there is.
  if (isConfident) return held >= 1 || query.isLongForm ? 'sure' : 'unsure';
  const isClose = confidence >= UNSURE_CONFIDENCE * minConfidence(query, found) && held >= UNSURE_HELD;
  return isClose && query.unknownNames === 0 ? 'unsure' : 'none';
}

/**
 * 0 to 1: the share of the question's worth that a passage, its title or its headings have words for. The word that names the
 * kind of thing asked for is left out: “which colour” is answered by “green”.
 */
function heldBy({ match }: Found, { terms, termByRoot, question }: Query): number {
  const shares = new Float64Array(terms.length);
  const read = (root: number): void => {
    const found = termByRoot.get(root);
    if (found && found.share >= SYNONYM) shares[found.term] = 1;
  };
  match.head.forEach(read);
  for (const { roots } of match.sentences()) roots.forEach(read);
  const kinds = new Set(Array.from(question.matchAll(KIND_ASKED_FOR), ([, kind = '']) => kind.toLowerCase()));
  let [held, all] = [0, 0];
  for (const [term, { word, worth, isGuess }] of terms.entries()) {
    if (shares[term] === 0 && kinds.has(word)) continue;
    held += isGuess ? 0 : worth * shares[term]!;
    all += worth;
  }
  return held / (all || 1);
}

/** Whether quotes answer: surely, perhaps, or not at all. */
type Certainty = 'sure' | 'unsure' | 'none';

interface Ranking {
  /** Best first. */
  candidates: Candidate[];
  confidence: number;
}

function rank(query: Query, found: Found[]): Ranking {
  const [first] = found;
  if (first?.match.exact) return { candidates: [exactCandidate(first)], confidence: 1 };
  if (!first || query.terms.length === 0) return { candidates: [], confidence: 0 };
  const top = first.score || 1;
  const candidates = found.slice(0, MAX_PASSAGES).flatMap((passage, index) => {
    return candidatesIn(passage, query, index, (PASSAGE_SCORE * passage.score) / top);
  });
  candidates.sort(byScore);
  adjustByType(query, candidates, found);
  const confidence = first.match.matchShare() * (candidates[0]?.confidence ?? 0) * (1 - query.unknownNames);
  return { candidates, confidence };
}

const exactCandidate = (passage: Found): Candidate => {
  return { found: 0, at: 0, sentence: wholePassage(passage)[0]!, score: 1, confidence: 1, restated: 1 };
};

const byScore = (a: Candidate, b: Candidate): number => b.score - a.score;

/** Checks only candidates that can still enter or leave the top: matching the type costs more than all other scores. */
function adjustByType({ hasAnswerType }: Query, candidates: Candidate[], found: Found[]): void {
  const least = (candidates[MAX_SENTENCES - 1]?.score ?? 0) - 2 * ANSWER_TYPE;
  for (const candidate of candidates) {
    if (candidate.score < least) break;
    const { text } = candidate.sentence;
    candidate.score +=
      (hasAnswerType?.(text) ? ANSWER_TYPE : 0) -
      (isUnfinished(candidate.sentence, found[candidate.found]!.text) ? ANSWER_TYPE : 0);
  }
  candidates.sort(byScore);
}

/** A lead-in, a question, code, or a label without a sentence. */
function isUnfinished({ text, start }: Sentence, passage: string): boolean {
  if (UNFINISHED.test(text) || isInCode(passage, start)) return true;
  return (
    text.length <= MAX_LABEL_LENGTH &&
    !SENTENCE_END.test(text) &&
    !isItem(passage, start) &&
    text.length < passage.length
  );
}

/** Scores each sentence of a passage by what of the question it covers, itself or by its context. */
function candidatesIn(passage: Found, query: Query, index: number, passageScore: number): Candidate[] {
  const { terms, totalWeight, totalWorth } = query;
  const { match } = passage;
  // In scripts without spaces a term is a pair of characters: every shared word would count as a phrase.
  const phrase = UNSPACED_SCRIPT.test(terms[0]!.word) ? 0 : PHRASE_WEIGHT;
  const sentences = passage.source.type === 'qa' ? wholePassage(passage) : match.sentences();
  const inHeading = { terms: termsIn(passage.headings.join(' '), query), weight: IN_HEADING };
  return coverageOf(sentences, match.head, query, CONTEXT, inHeading).map((coverage, at) => {
    const sentence = sentences[at]!;
    let weight = 0;
    let confidence = 0;
    let restated = 0;
    for (let term = 0; term < terms.length; term++) {
      weight += terms[term]!.weight * coverage[term]!;
      confidence += terms[term]!.worth * coverage[term]!;
      if (coverage[term]! > CONTEXT.head && terms[term]!.worth > 0) restated += terms[term]!.weight;
    }
    const order = (phrase * phrasesIn(sentence.roots, query)) / terms.length + (at === 0 ? FIRST_SENTENCE : 0);
    return {
      found: index,
      at,
      sentence,
      score: weight / totalWeight + passageScore + order,
      confidence: confidence / totalWorth,
      restated: restated / totalWeight,
    };
  });
}

/** An answer that the owner wrote counts as one sentence, so that it is never shortened. */
const wholePassage = ({ text, match }: Found): Sentence[] => [
  { text: text.trim(), start: 0, lead: -1, roots: match.sentences().flatMap(({ roots }) => roots) },
];

/** The indexes of the question words that a heading contains. */
function termsIn(heading: string, { terms }: Query): number[] {
  const roots = new Set<string>();
  eachWord(heading, (word) => roots.add(rootOf(word)));
  return [...terms.keys()].filter((term) => roots.has(rootOf(terms[term]!.word)));
}

/** Counts adjacent words that are adjacent in the question too. */
function phrasesIn(roots: number[], { termByRoot }: Query): number {
  let phrases = 0;
  let last = -2;
  for (const root of roots) {
    const term = termByRoot.get(root)?.term ?? -2;
    if (term === last + 1) phrases++;
    last = term;
  }
  return phrases;
}

/** Above 0.7 of their different words shared, two sentences count as repetitions. */
function areAlike(a: Sentence, b: Sentence): boolean {
  const rootsOfA = new Set(a.roots);
  const rootsOfB = new Set(b.roots);
  let shared = 0;
  for (const root of rootsOfA) if (rootsOfB.has(root)) shared++;
  return a.text === b.text || shared > 0.7 * (rootsOfA.size + rootsOfB.size - shared);
}
