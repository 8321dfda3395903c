import type { Found, Match } from '../knowledge/knowledge.ts';
import { PassageIndex, type Sentence } from '../knowledge/passage-index.ts';
import type { Place, Question } from '../knowledge/question.ts';
import { answerType } from './quote-type.ts';

/** The answer with no model: the best sentences of the passages found, word for word. */
export interface QuotedSentence {
  /** One whole sentence, list item or table row as it stands in the passage. */
  text: string;
  /** Which of the passages it is from. */
  found: number;
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
/** Pages offered where there is no answer. */
const CLOSEST = 2;
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
  sentence: Sentence;
  score: number;
  /** 0 to 1: how much of what the question is worth it holds, in itself or around it. */
  sure: number;
}

/** Yields the best sentences, best first; nothing where they would not answer. */
export function* quote(query: string, found: Found[], options: QuoteOptions = {}): Generator<QuotedSentence> {
  const { most = MOST, least = LEAST } = options;
  const { candidates, sureness } = read(query, found);
  if (sureness < least) return;
  const shown: Sentence[] = [];
  for (const { sentence, found, score } of candidates) {
    if (score < BESIDE * candidates[0]!.score) return;
    if (shown.some((other) => alike(sentence, other))) continue;
    shown.push(sentence);
    yield { text: sentence.text, found };
    if (shown.length >= most) return;
  }
}

/** 0 to about 1: how likely the passages answer the question at all. */
export const sureness = (query: string, found: Found[]): number => read(query, found).sureness;

/** The honest answer where nothing fits: two lines or more, with links to the closest pages where there are any. */
export function dontKnow(found: Found[]): string {
  const pages = new Map(found.map(({ source }) => [source.uuid, source]));
  const lines = [...pages.values()].slice(0, CLOSEST).map((page) => `- ${linkTo(page)}`);
  if (lines.length === 0) return `${UNKNOWN}\n\nPlease try other words, or ask about something else.`;
  return `${UNKNOWN}\n\nThe closest that I can offer:\n\n${lines.join('\n')}`;
}

const UNKNOWN = 'I don\u2019t know: I have found no answer to that in what I have read.';

function linkTo({ title, file_name }: Found['source']): string {
  const name = title.replace(/[\\[\]`*_<>]/g, '\\$&').replace(/\s+/g, ' ');
  if (!/^https?:\/\//i.test(file_name)) return name;
  return `[${name}](${file_name.replace(/[()\s<>]/g, (sign) => encodeURIComponent(sign).replace(/[()]/g, percent))})`;
}

/** `encodeURIComponent` leaves parentheses as they are. */
const percent = (sign: string): string => `%${sign.charCodeAt(0).toString(16)}`;

interface Reading {
  /** Best first. */
  candidates: Candidate[];
  sureness: number;
}

function read(query: string, all: Found[]): Reading {
  const found = all.every((one) => one.match) ? all : matched(query, all);
  const question = found[0]?.match?.question;
  if (!question || question.terms.length === 0) return { candidates: [], sureness: 0 };
  const top = found[0]!.score || 1;
  const candidates = found.slice(0, PASSAGES).flatMap((one, at) => {
    return inPassage(one, question, at, (PASSAGE * one.score) / top);
  });
  candidates.sort(byScore);
  judgeTypes(query, candidates);
  return { candidates, sureness: found[0]!.match!.known() * (candidates[0]?.sure ?? 0) };
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
    if (at > 0) mark(held, own[at - 1]!, BEFORE);
    mark(held, own[at]!, 1);
    let weight = 0;
    let sure = 0;
    for (let term = 0; term < terms.length; term++) {
      weight += terms[term]!.weight * held[term]!;
      sure += terms[term]!.worth * held[term]!;
    }
    return { found, sentence, score: weight / total + passage, sure: sure / worth };
  });
}

/** The owner wrote it as the answer: it is quoted whole or not at all. */
const wholeOf = ({ text, match }: Found): Sentence[] => [
  { text: text.trim(), roots: match!.sentences().flatMap(({ roots }) => roots) },
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
  question: { terms: [], total: 0, worth: 0, asks: false, places: new Map() },
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
