import { answerType } from '../../knowledge/search/answer-type.ts';
import { mark, placesOf } from '../../knowledge/search/coverage.ts';
import type { Found } from '../../knowledge/search/found.ts';
import type { Sentence } from '../../knowledge/search/types.ts';
import type { Query } from '../../knowledge/search/query.ts';
import { isItem } from '../../knowledge/text/sentences.ts';
import { eachWord, rootOf } from '../../knowledge/text/tokenizer.ts';
import { rescored } from './rescore.ts';
import { composed, type Quoted } from './compose.ts';
import { isInCode } from './layout.ts';
import { thresholdFor, unknownNames } from './threshold.ts';
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
  /** Below this nothing is quoted; by default what `thresholdFor` says of the question. */
  least?: number;
}

const MOST = 3;
/** A sentence with less of the best one's score is not shown beside it. */
const BESIDE = 0.6;
/** Passages that are read for sentences. */
const PASSAGES = 6;
/** What a word of the question counts where it stands not in the sentence but around it. */
const BEFORE = 0.6;
const TWO_BEFORE = 0.3;
const AFTER = 0.2;
const IN_HEAD = 0.8;
const IN_HEADING = 0.95;
const IN_PASSAGE = 0.1;
const PASSAGE = 0.5;
const TYPE = 0.2;
/** Words side by side as in the question, of all there are; a passage begins with what matters. */
const PHRASE = 0.08;
const FIRST = 0.02;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
/** A lead-in or a question says little by itself. */
const UNFINISHED = /[:?：？]$/;
/** UTF-16 units of a label, which ends with no full stop. */
const LABEL = 30;

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
export function* quote(query: string, found: Found[], options: QuoteOptions = {}): Generator<QuotedSentence> {
  yield* chosen(read(query, found), options);
}

function* chosen(
  { query, found, candidates, sureness }: Reading,
  { most = MOST, least = thresholdFor(query, found) }: QuoteOptions,
): Generator<QuotedSentence> {
  if (sureness < least) return;
  const shown: Sentence[] = [];
  for (const { sentence, found: place, at, score } of candidates) {
    if (score < BESIDE * candidates[0]!.score) return;
    if (shown.some((other) => alike(sentence, other))) continue;
    shown.push(sentence);
    yield { text: sentence.text, found: place, at };
    if (shown.length >= most) return;
  }
}

/** 0 to about 1: how likely the passages answer the question at all. */
export const confidence = (query: string, found: Found[]): number => read(query, found).sureness;

/** An answer made of quotations. */
export interface QuotedAnswer {
  /** Empty where nothing answers. */
  pieces: Quoted[];
  /** They come from more than one page. */
  several: boolean;
  /** 0 to 1: how much of the question its best sentence says again. */
  restated: number;
  /** The owner wrote it as the answer. */
  whole: boolean;
}

/** The best sentences, joined as they are to be read. */
export function quotedAnswer(query: string, all: Found[], options: QuoteOptions = {}): QuotedAnswer {
  const reading = read(query, all);
  const picks = [...chosen(reading, options)];
  const { found, question } = reading;
  // What the owner wrote as the answer needs nothing beside it.
  const whole = picks[0] !== undefined && found[picks[0].found]!.source.type === 'qa';
  const own = whole ? picks.slice(0, 1) : picks;
  const pieces = question ? composed(own, found, question) : [];
  const pages = new Set(own.map((pick) => found[pick.found]!.source.uuid));
  return { pieces, several: pages.size > 1, restated: reading.candidates[0]?.restated ?? 0, whole };
}

interface Reading {
  query: string;
  found: Found[];
  question: Query | undefined;
  /** Best first. */
  candidates: Candidate[];
  sureness: number;
}

function read(query: string, all: Found[]): Reading {
  const found = all.every((one) => one.match) ? all : rescored(query, all);
  const question = found[0]?.match?.question;
  if (found[0]?.match?.exact) return { query, found, question, candidates: [exactly(found[0])], sureness: 1 };
  if (!question || question.terms.length === 0) return { query, found, question, candidates: [], sureness: 0 };
  const top = found[0]!.score || 1;
  const candidates = found.slice(0, PASSAGES).flatMap((one, at) => {
    return inPassage(one, question, at, (PASSAGE * one.score) / top);
  });
  candidates.sort(byScore);
  judgeTypes(question.asking, candidates, found);
  const sureness =
    found[0]!.match!.known() * (candidates[0]?.sure ?? 0) * (1 - unknownNames(question.asking, question));
  return { query, found, question, candidates, sureness };
}

const exactly = (one: Found): Candidate => {
  return { found: 0, at: 0, sentence: wholeOf(one)[0]!, score: 1, sure: 1, restated: 1 };
};

const byScore = (a: Candidate, b: Candidate): number => b.score - a.score;

/** Only those of the best that the type can still lift or lower are looked at: it is the dearest thing to see. */
function judgeTypes(query: string, candidates: Candidate[], found: Found[]): void {
  const holds = answerType(query);
  const least = (candidates[MOST - 1]?.score ?? 0) - 2 * TYPE;
  for (const one of candidates) {
    if (one.score < least) break;
    const { text } = one.sentence;
    one.score += (holds?.(text) ? TYPE : 0) - (isUnfinished(one.sentence, found[one.found]!.text) ? TYPE : 0);
  }
  candidates.sort(byScore);
}

/** So do code, and words that stand alone as a label. */
function isUnfinished({ text, start }: Sentence, passage: string): boolean {
  if (UNFINISHED.test(text) || isInCode(passage, start)) return true;
  return text.length <= LABEL && !SENTENCE_END.test(text) && !isItem(passage, start) && text.length < passage.length;
}

/** How much of the question each sentence of a passage holds, itself or by what stands around it. */
function inPassage(one: Found, question: Query, found: number, passage: number): Candidate[] {
  const { terms, places, total, worth } = question;
  const match = one.match!;
  // Without spaces between words every shared word is several pairs of characters side by side.
  const phrase = UNSPACED.test(terms[0]!.word) ? 0 : PHRASE;
  const sentences = one.source.type === 'qa' ? wholeOf(one) : match.sentences();
  const own = sentences.map(({ roots }) => placesOf(roots, places));
  const around = new Float64Array(terms.length);
  for (const one of own) mark(around, one, IN_PASSAGE);
  mark(around, placesOf(match.head, places), IN_HEAD);
  for (const term of termsIn(one.headings.join(' '), question)) around[term] = IN_HEADING;
  return sentences.map((sentence, at) => {
    const held = around.slice();
    const { lead } = sentence;
    if (lead >= 0) mark(held, own[lead]!, BEFORE);
    if (lead > 0) mark(held, own[sentences[lead]!.lead] ?? [], TWO_BEFORE);
    if (at + 1 < own.length) mark(held, own[at + 1]!, AFTER);
    mark(held, own[at]!, 1);
    let weight = 0;
    let sure = 0;
    let restated = 0;
    for (let term = 0; term < terms.length; term++) {
      weight += terms[term]!.weight * held[term]!;
      sure += terms[term]!.worth * held[term]!;
      if (held[term]! > IN_HEAD && terms[term]!.worth > 0) restated += terms[term]!.weight;
    }
    const order = (phrase * phrasesIn(sentence.roots, question)) / terms.length + (at === 0 ? FIRST : 0);
    return {
      found,
      at,
      sentence,
      score: weight / total + passage + order,
      sure: sure / worth,
      restated: restated / total,
    };
  });
}

/** The owner wrote it as the answer: it is quoted whole or not at all. */
const wholeOf = ({ text, match }: Found): Sentence[] => [
  { text: text.trim(), start: 0, lead: -1, roots: match!.sentences().flatMap(({ roots }) => roots) },
];

/** The words of the question that a heading has. */
function termsIn(heading: string, { terms }: Query): number[] {
  const roots = new Set<string>();
  eachWord(heading, (word) => roots.add(rootOf(word)));
  return [...terms.keys()].filter((term) => roots.has(rootOf(terms[term]!.word)));
}

/** How often two words stand side by side as they do in the question. */
function phrasesIn(roots: number[], { places }: Query): number {
  let phrases = 0;
  let last = -2;
  for (const root of roots) {
    const term = places.get(root)?.term ?? -2;
    if (term === last + 1) phrases++;
    last = term;
  }
  return phrases;
}

/** Two sentences that share most of their words say the same. */
function alike(a: Sentence, b: Sentence): boolean {
  const one = new Set(a.roots);
  const other = new Set(b.roots);
  let both = 0;
  for (const root of one) if (other.has(root)) both++;
  return a.text === b.text || both > 0.7 * (one.size + other.size - both);
}
