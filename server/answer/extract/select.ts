import { coverageOf, type ContextWeights } from '../../knowledge/search/coverage.ts';
import type { Found, Sentence } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import { isItem } from '../../knowledge/text/sentences.ts';
import { eachWord, rootOf } from '../../knowledge/text/tokenizer.ts';
import { composeQuotes, type QuotePiece } from './compose.ts';
import { isInCode } from './layout.ts';
import { minConfidence } from './threshold.ts';
import { SENTENCE_END } from './anaphora.ts';

/** The answer with no model: the best sentences of the passages found, word for word. */
export interface QuotedSentence {
  /** One whole sentence, list item or table row as it stands in the passage. */
  text: string;
  /** Which of the passages it is from. */
  found: number;
  /** Which of that passage's sentences it is. */
  at: number;
}

export interface QuoteOptions {
  /** Sentences at most; 3 by default. */
  most?: number;
  /** Below this nothing is quoted; by default `minConfidence`. */
  least?: number;
}

const MAX_SENTENCES = 3;
/** A sentence with less of the best one's score is not shown beside it. */
const MIN_SCORE_SHARE = 0.6;
/** Passages that are read for sentences. */
const MAX_PASSAGES = 6;
const CONTEXT: ContextWeights = { lead: 0.6, secondLead: 0.3, next: 0.2, head: 0.8, passage: 0.1 };
/** What a word of the question counts that a heading has. */
const IN_HEADING = 0.95;
/** What the best passage's score adds to its sentences, and what the kind of thing asked for does. */
const PASSAGE_SCORE = 0.5;
const ANSWER_TYPE = 0.2;
/** Words side by side as in the question, of all there are; a passage begins with what matters. */
const PHRASE_WEIGHT = 0.08;
const FIRST_SENTENCE = 0.02;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
/** A lead-in or a question says little by itself. */
const UNFINISHED = /[:?：？]$/;
/** UTF-16 units of a label, which ends with no full stop. */
const MAX_LABEL_LENGTH = 30;

interface Candidate {
  found: number;
  at: number;
  sentence: Sentence;
  score: number;
  /** 0 to 1: how much of what the question is worth it holds, in itself or around it. */
  sure: number;
  /** 0 to 1: how much of the question it says itself. */
  restated: number;
}

/** Yields the best sentences, best first; nothing where they would not answer. */
export function* selectQuotes(query: Query, found: Found[], options: QuoteOptions = {}): Generator<QuotedSentence> {
  yield* selectSentences(rank(query, found), { least: minConfidence(query, found), ...options });
}

function* selectSentences(
  { candidates, confidence }: Ranking,
  { most = MAX_SENTENCES, least }: QuoteOptions & { least: number },
): Generator<QuotedSentence> {
  if (confidence < least) return;
  const shown: Sentence[] = [];
  for (const { sentence, found: place, at, score } of candidates) {
    if (score < MIN_SCORE_SHARE * candidates[0]!.score) return;
    if (shown.some((other) => areAlike(sentence, other))) continue;
    shown.push(sentence);
    yield { text: sentence.text, found: place, at };
    if (shown.length >= most) return;
  }
}

/** 0 to about 1: how likely the passages answer the question at all. */
export const confidence = (query: Query, found: Found[]): number => rank(query, found).confidence;

/** An answer made of quotations. */
export interface QuotedAnswer {
  /** Empty where nothing answers. */
  pieces: QuotePiece[];
  /** They come from more than one page. */
  several: boolean;
  /** 0 to 1: how much of the question its best sentence says again. */
  restated: number;
  /** The owner wrote it as the answer. */
  whole: boolean;
}

/** The best sentences, joined as they are to be read. */
export function selectAnswer(query: Query, found: Found[], options: QuoteOptions = {}): QuotedAnswer {
  const ranking = rank(query, found);
  const picks = [...selectSentences(ranking, { least: minConfidence(query, found), ...options })];
  // What the owner wrote as the answer needs nothing beside it.
  const whole = picks[0] !== undefined && found[picks[0].found]!.source.type === 'qa';
  const own = whole ? picks.slice(0, 1) : picks;
  const pieces = composeQuotes(own, found, query);
  const pages = new Set(own.map((pick) => found[pick.found]!.source.uuid));
  return { pieces, several: pages.size > 1, restated: ranking.candidates[0]?.restated ?? 0, whole };
}

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
  const candidates = found.slice(0, MAX_PASSAGES).flatMap((one, at) => {
    return candidatesIn(one, query, at, (PASSAGE_SCORE * one.score) / top);
  });
  candidates.sort(byScore);
  adjustByType(query, candidates, found);
  const confidence = first.match.known() * (candidates[0]?.sure ?? 0) * (1 - query.unknownNames);
  return { candidates, confidence };
}

const exactCandidate = (one: Found): Candidate => {
  return { found: 0, at: 0, sentence: wholePassage(one)[0]!, score: 1, sure: 1, restated: 1 };
};

const byScore = (a: Candidate, b: Candidate): number => b.score - a.score;

/** Only those of the best that the type can still lift or lower are looked at: it is the dearest thing to see. */
function adjustByType({ hasAnswerType }: Query, candidates: Candidate[], found: Found[]): void {
  const least = (candidates[MAX_SENTENCES - 1]?.score ?? 0) - 2 * ANSWER_TYPE;
  for (const one of candidates) {
    if (one.score < least) break;
    const { text } = one.sentence;
    one.score +=
      (hasAnswerType?.(text) ? ANSWER_TYPE : 0) -
      (isUnfinished(one.sentence, found[one.found]!.text) ? ANSWER_TYPE : 0);
  }
  candidates.sort(byScore);
}

/** So do code, and words that stand alone as a label. */
function isUnfinished({ text, start }: Sentence, passage: string): boolean {
  if (UNFINISHED.test(text) || isInCode(passage, start)) return true;
  return (
    text.length <= MAX_LABEL_LENGTH &&
    !SENTENCE_END.test(text) &&
    !isItem(passage, start) &&
    text.length < passage.length
  );
}

/** How much of the question each sentence of a passage holds, itself or by what stands around it. */
function candidatesIn(one: Found, query: Query, found: number, passageScore: number): Candidate[] {
  const { terms, totalWeight, totalWorth } = query;
  const { match } = one;
  // Without spaces between words every shared word is several pairs of characters side by side.
  const phrase = UNSPACED.test(terms[0]!.word) ? 0 : PHRASE_WEIGHT;
  const sentences = one.source.type === 'qa' ? wholePassage(one) : match.sentences();
  const inHeading = { terms: termsIn(one.headings.join(' '), query), weight: IN_HEADING };
  return coverageOf(sentences, match.head, query, CONTEXT, inHeading).map((coverage, at) => {
    const sentence = sentences[at]!;
    let weight = 0;
    let sure = 0;
    let restated = 0;
    for (let term = 0; term < terms.length; term++) {
      weight += terms[term]!.weight * coverage[term]!;
      sure += terms[term]!.worth * coverage[term]!;
      if (coverage[term]! > CONTEXT.head && terms[term]!.worth > 0) restated += terms[term]!.weight;
    }
    const order = (phrase * phrasesIn(sentence.roots, query)) / terms.length + (at === 0 ? FIRST_SENTENCE : 0);
    return {
      found,
      at,
      sentence,
      score: weight / totalWeight + passageScore + order,
      sure: sure / totalWorth,
      restated: restated / totalWeight,
    };
  });
}

/** The owner wrote it as the answer: it is quoted whole or not at all. */
const wholePassage = ({ text, match }: Found): Sentence[] => [
  { text: text.trim(), start: 0, lead: -1, roots: match.sentences().flatMap(({ roots }) => roots) },
];

/** The words of the question that a heading has. */
function termsIn(heading: string, { terms }: Query): number[] {
  const roots = new Set<string>();
  eachWord(heading, (word) => roots.add(rootOf(word)));
  return [...terms.keys()].filter((term) => roots.has(rootOf(terms[term]!.word)));
}

/** How often two words stand side by side as they do in the question. */
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

/** Two sentences that share most of their words say the same. */
function areAlike(a: Sentence, b: Sentence): boolean {
  const one = new Set(a.roots);
  const other = new Set(b.roots);
  let both = 0;
  for (const root of one) if (other.has(root)) both++;
  return a.text === b.text || both > 0.7 * (one.size + other.size - both);
}
