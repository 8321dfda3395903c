import { coverageOf, type ContextWeights } from '../../knowledge/search/coverage.ts';
import type { Found, Sentence } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import { CODE_FENCE, isItem } from '../../knowledge/text/sentences.ts';
import { eachWord, rootOf } from '../../knowledge/text/tokenizer.ts';
import { SENTENCE_END } from './sentences/anaphora.ts';
import { gainAtBeginnings } from './beginnings.ts';
import { isInCode, leadsToCode } from './layout.ts';
import { asksHow } from './steps.ts';
import { isPriceOfNamed } from './rows/prices.ts';
import { isTeaser } from './teasers.ts';
import { yieldsToPage } from './words/written.ts';
import { byMeaning, confidenceByMeaning, sentenceScores } from './meaning.ts';

/** Passages whose sentences are candidates. */
const MAX_PASSAGES = 6;
const CONTEXT: ContextWeights = { lead: 0.6, secondLead: 0.3, next: 0.2, head: 0.8, passage: 0.1 };
/** Coverage of a question word that a heading contains. */
const IN_HEADING = 0.95;
/** Added to the sentences of the best passage, and to a sentence of the answer type asked for. */
const PASSAGE_SCORE = 0.5;
const ANSWER_TYPE = 0.2;
/** Times what a sentence above code covers, where the question asks how something is done: the code is the answer. */
const ABOVE_CODE = 1.4;
/** Times the share of question words that stand next to each other as in the question. */
const PHRASE_WEIGHT = 0.08;
/** Added to the first sentence of a passage, which often sums it up. */
const FIRST_SENTENCE = 0.02;
const UNSPACED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
/** A lead-in or a question is no answer by itself. */
const UNFINISHED = /[:?：？]$/;
/** UTF-16 units of a label, which ends with no full stop. */
const MAX_LABEL_LENGTH = 30;
/** Asks what somebody does or has: “Which cards do you take?” A sentence on what they do not is no answer. */
const ASKS_WHAT_IS_DONE =
  /(?<!\p{L})(?:what|which)(?!\p{L}).{0,60}?\s(?:do|does|can|may|will) (?:you|we|i|they)(?!\p{L})/iu;
const DENIES = /(?<!\p{L})(?:not|never|cannot|neither|\p{L}+n['’]t)(?!\p{L})/iu;
/** Added to the price that stands below the name of what is asked for: what else its page tells may name another price. */
const PRICE_OF_NAMED = 1;
/** Candidates that are checked for the answer type. */
const CHECKED = 3;

export interface Candidate {
  found: number;
  at: number;
  sentence: Sentence;
  score: number;
  /** 0 to 1: the share of the question’s worth that it covers, itself or by its context. */
  confidence: number;
  /** 0 to 1: the share of the question’s weight that it covers itself. */
  restated: number;
  /** It leads to code, and the question asks how something is done. */
  isAboveCode: boolean;
}

export interface Ranking {
  /** Best first. */
  candidates: Candidate[];
  confidence: number;
}

/** Scores the sentences of the best passages. */
export function rank(query: Query, found: Found[]): Ranking {
  const [first] = found;
  if (first?.match.exact || first?.match.asked) return { candidates: [exactCandidate(first)], confidence: 1 };
  if (!first || query.terms.length === 0) return { candidates: [], confidence: 0 };
  const top = first.score || 1;
  const read = found.slice(0, MAX_PASSAGES);
  const candidates = read.flatMap((passage, index) => {
    if (isTeaser(passage, found) || (passage.match.leadsAway && !first.match.leadsAway)) return [];
    const score = yieldsToPage(passage, read, query) ? 0 : passage.score;
    return candidatesIn(passage, query, index, (PASSAGE_SCORE * score) / top);
  });
  const scoreOf = sentenceScores(found);
  for (const one of candidates) {
    one.score += scoreOf(found[one.found]!, one.at);
    if (isPriceOfNamed(query, found[one.found]!, one.at)) one.score += PRICE_OF_NAMED;
  }
  candidates.sort(byScore);
  adjustByType(query, candidates, found);
  const byWords = first.match.matchShare() * (candidates[0]?.confidence ?? 0) * (1 - query.unknownNames);
  const best = candidates[0] && found[candidates[0].found]!;
  const meant = best ? confidenceByMeaning(best, query, found) : 0;
  return { candidates, confidence: Math.max(byMeaning(byWords, first), meant) };
}

const exactCandidate = (passage: Found): Candidate => {
  return {
    found: 0,
    at: 0,
    sentence: wholePassage(passage)[0]!,
    score: 1,
    confidence: 1,
    restated: 1,
    isAboveCode: false,
  };
};

const byScore = (a: Candidate, b: Candidate): number => b.score - a.score;

/** Checks only candidates that can still enter or leave the top: matching the type costs more than all other scores. */
function adjustByType({ hasAnswerType, question }: Query, candidates: Candidate[], found: Found[]): void {
  const wantsNoDenial = ASKS_WHAT_IS_DONE.test(question) && !DENIES.test(question);
  const least = (candidates[CHECKED - 1]?.score ?? 0) - 3 * ANSWER_TYPE;
  for (const candidate of candidates) {
    if (candidate.score < least) break;
    const { text } = candidate.sentence;
    candidate.score +=
      (hasAnswerType?.(text) ? ANSWER_TYPE : 0) -
      (wantsNoDenial && DENIES.test(text) ? 2 * ANSWER_TYPE : 0) -
      (isUnfinished(candidate.sentence, found[candidate.found]!.text) && !candidate.isAboveCode ? ANSWER_TYPE : 0);
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
  // A page's own heading names the page, and a follow-up alone is not all that is asked.
  const isHeaded =
    passage.headings.length > 1 && !query.isFollowUp && termsIn(passage.headings.at(-1)!, query).length > 0;
  const headed = isHeaded ? inHeading.terms.reduce((sum, term) => sum + terms[term]!.weight, 0) / totalWeight : 0;
  const gainOf = gainAtBeginnings(passage, query, headed);
  const wantsCode = asksHow(query) && passage.text.includes(CODE_FENCE);
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
    const isAboveCode = wantsCode && leadsToCode(passage.text, sentence.start + sentence.text.length);
    const order = (phrase * phrasesIn(sentence.roots, query)) / terms.length + (at === 0 ? FIRST_SENTENCE : 0);
    return {
      found: index,
      at,
      sentence,
      score: (weight / totalWeight) * (isAboveCode ? ABOVE_CODE : 1) + passageScore + order + gainOf(sentence, at),
      confidence: confidence / totalWorth,
      restated: restated / totalWeight,
      isAboveCode,
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
