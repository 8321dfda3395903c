import type { Found, Match } from '../knowledge/knowledge.ts';
import { PassageIndex, type Sentence } from '../knowledge/passage-index.ts';
import type { Place, Question } from '../knowledge/question.ts';
import { joined, type Quoted } from './quote-join.ts';
import { answerType } from './quote-type.ts';

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
  /** Below this nothing is quoted. */
  least?: number;
}

/**
 * Calibrated on SQuAD. On a site of one article it keeps 94 of 100 questions that the site answers and refuses 97 that
 * are about another article; on a thousand passages 97 and, of questions whose article was taken out, 77.
 */
const LEAST = 0.22;
const MOST = 3;
/** A sentence with less of the best one's score is not shown beside it. */
const BESIDE = 0.6;
/** Passages that are read for sentences. */
const PASSAGES = 6;
/** What a word of the question counts where it stands not in the sentence but around it. */
const BEFORE = 0.6;
const IN_HEAD = 0.8;
const IN_PASSAGE = 0.1;
const PASSAGE = 0.5;
const TYPE = 0.15;
/** A lead-in or a question says little by itself. */
const UNFINISHED = /[:?]$/;

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
  { candidates, sureness }: Reading,
  { most = MOST, least = LEAST }: QuoteOptions,
): Generator<QuotedSentence> {
  if (sureness < least) return;
  const shown: Sentence[] = [];
  for (const { sentence, found, at, score } of candidates) {
    if (score < BESIDE * candidates[0]!.score) return;
    if (shown.some((other) => alike(sentence, other))) continue;
    shown.push(sentence);
    yield { text: sentence.text, found, at };
    if (shown.length >= most) return;
  }
}

/** 0 to about 1: how likely the passages answer the question at all. */
export const sureness = (query: string, found: Found[]): number => read(query, found).sureness;

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
  const pieces = question ? joined(own, found, question) : [];
  const pages = new Set(own.map((pick) => found[pick.found]!.source.uuid));
  return { pieces, several: pages.size > 1, restated: reading.candidates[0]?.restated ?? 0, whole };
}

interface Reading {
  found: Found[];
  question: Question | undefined;
  /** Best first. */
  candidates: Candidate[];
  sureness: number;
}

function read(query: string, all: Found[]): Reading {
  const found = all.every((one) => one.match) ? all : matched(query, all);
  const question = found[0]?.match?.question;
  if (!question || question.terms.length === 0) return { found, question, candidates: [], sureness: 0 };
  const top = found[0]!.score || 1;
  const candidates = found.slice(0, PASSAGES).flatMap((one, at) => {
    return inPassage(one, question, at, (PASSAGE * one.score) / top);
  });
  candidates.sort(byScore);
  judgeTypes(query, candidates);
  return { found, question, candidates, sureness: found[0]!.match!.known() * (candidates[0]?.sure ?? 0) };
}

const byScore = (a: Candidate, b: Candidate): number => b.score - a.score;

/** Only those of the best that the type can still lift or lower are looked at: it is the dearest thing to see. */
function judgeTypes(query: string, candidates: Candidate[]): void {
  const holds = answerType(query);
  const least = (candidates[MOST - 1]?.score ?? 0) - 2 * TYPE;
  for (const one of candidates) {
    if (one.score < least) break;
    const { text } = one.sentence;
    one.score += (holds?.(text) ? TYPE : 0) - (UNFINISHED.test(text) ? TYPE : 0);
  }
  candidates.sort(byScore);
}

/** How much of the question each sentence of a passage holds, itself or by what stands around it. */
function inPassage(one: Found, question: Question, found: number, passage: number): Candidate[] {
  const { terms, places, total, worth } = question;
  const match = one.match!;
  const sentences = one.source.type === 'qa' ? wholeOf(one) : match.sentences();
  const own = sentences.map(({ roots }) => placesOf(roots, places));
  const around = new Float64Array(terms.length);
  for (const one of own) mark(around, one, IN_PASSAGE);
  mark(around, placesOf(match.head, places), IN_HEAD);
  return sentences.map((sentence, at) => {
    const held = around.slice();
    if (sentence.lead >= 0) mark(held, own[sentence.lead]!, BEFORE);
    mark(held, own[at]!, 1);
    let weight = 0;
    let sure = 0;
    let restated = 0;
    for (let term = 0; term < terms.length; term++) {
      weight += terms[term]!.weight * held[term]!;
      sure += terms[term]!.worth * held[term]!;
      if (held[term]! > IN_HEAD) restated += terms[term]!.weight;
    }
    return { found, at, sentence, score: weight / total + passage, sure: sure / worth, restated: restated / total };
  });
}

/** The owner wrote it as the answer: it is quoted whole or not at all. */
const wholeOf = ({ text, match }: Found): Sentence[] => [
  { text: text.trim(), start: 0, lead: -1, roots: match!.sentences().flatMap(({ roots }) => roots) },
];

function placesOf(roots: Iterable<number>, places: Map<number, Place>): Place[] {
  const own: Place[] = [];
  for (const root of roots) {
    const place = places.get(root);
    if (place) own.push(place);
  }
  return own;
}

function mark(held: Float64Array, places: Place[], value: number): void {
  for (const { term, share } of places) if (held[term]! < value * share) held[term] = value * share;
}

/** Passages that came without the index's reading of them get one here. */
function matched(query: string, found: Found[]): Found[] {
  const index = new PassageIndex<Found>();
  for (const [at, one] of found.entries()) {
    const passages = [{ headings: one.headings, start: 0, end: one.text.length }];
    index.put(String(at), one, { title: one.source.title, text: one.text, passages });
  }
  const question = index.question(query);
  const match = new Map(
    index.search(question, found.length).map((hit) => [hit.entry.source, index.match(hit, question)]),
  );
  return found.map((one) => ({ ...one, match: match.get(one) ?? NO_MATCH }));
}

const NO_MATCH: Match = {
  question: { terms: [], total: 0, worth: 0, asks: false, said: '', places: new Map() },
  head: new Uint32Array(),
  known: () => 0,
  sentences: () => [],
};

/** Two sentences that share most of their words say the same. */
function alike(a: Sentence, b: Sentence): boolean {
  const one = new Set(a.roots);
  const other = new Set(b.roots);
  let both = 0;
  for (const root of one) if (other.has(root)) both++;
  return a.text === b.text || both > 0.7 * (one.size + other.size - both);
}
