import type { Found } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import type { Citations, Outcome } from '../../types.ts';
import { createCitationList, withoutMarkers } from '../citations/stream-filter.ts';
import type { QuotePiece } from './compose.ts';
import { writeNoAnswer } from './no-answer.ts';
import { selectAnswer, type QuotedAnswer } from './select.ts';
import { answerEach, answerPart, outcomeOf, type SearchQuestion, type SeveralAnswers } from './several.ts';
import type { Phrases } from './phrases.ts';
import { phrasesFor } from './phrases.ts';
import { ASK_AGAIN } from './words/ask-again.ts';

/** Sentences where a long text is asked for, a paragraph each. */
const MAX_PARAGRAPHS = 5;
/** A quote that repeats less of the question gets an introduction, since it is not obvious that it answers. */
const MIN_RESTATED = 0.3;
/** UTF-16 units of a question that is named, and questions that are named as left out. */
const [MAX_NAMED, MAX_LEFT_OUT] = [120, 5];

interface WriteQuotesOptions {
  query: Query;
  found: Found[];
  /** Whether to write markers. */
  cite: boolean;
  /** As in `phrasesFor`. */
  acceptedLanguages?: readonly string[] | undefined;
  /** Finds what else the visitor may do, for `writeNoAnswer`. */
  offer?: () => Promise<string>;
  /** With it the questions of a message that asks several are answered one after another. */
  search?: SearchQuestion | undefined;
}

/** Receives the answer; implemented by `Run`. */
interface AnswerWriter {
  readonly length: number;
  readonly stopped: boolean;
  append(text: string): void;
}

interface QuotedAnswerEnd {
  citations: Citations;
  /** Of several questions the best. */
  outcome: Outcome;
  /** What was searched for instead of the message: its questions one after another, or the part of it that is answered. */
  search?: { why: 'several' | 'part'; queries: string[] };
}

/** The quotes that answer, before they are written. */
export const answerTo = (query: Query, found: Found[]): QuotedAnswer =>
  selectAnswer(query, found, query.isLongForm ? { maxSentences: MAX_PARAGRAPHS } : {});

/** The outcome that a visitor would get by quotes alone. */
export async function quotedOutcome(query: Query, found: Found[], search: SearchQuestion): Promise<Outcome> {
  const whole = answerTo(query, found);
  if (query.isLongForm) return outcomeOf(whole);
  const each = await answerEach(query, whole, search);
  if (each) return outcomeOfEach(each);
  return outcomeOf((await answerPart(query, whole, search))?.answer ?? whole);
}

/** Of several questions the best. */
const outcomeOfEach = ({ told }: SeveralAnswers): Outcome =>
  told.every(({ answer }) => answer.isUnsure) ? 'unsure' : 'answered';

/** Writes the extractive answer: quotes from the sources, or the reply that there is no answer. */
export async function writeQuotes(options: WriteQuotesOptions, run: AnswerWriter): Promise<QuotedAnswerEnd> {
  const { cite, acceptedLanguages, offer, search } = options;
  const whole = answerTo(options.query, options.found);
  const inParts = options.query.isLongForm ? undefined : search;
  const each = inParts && (await answerEach(options.query, whole, inParts));
  if (each) return writeEach(each, options, run);
  const part = inParts && (await answerPart(options.query, whole, inParts));
  const { query, found, answer } = part ?? { ...options, answer: whole };
  const quotes = createCitationList(found);
  const phrases = (): Phrases => phrasesFor(query, found, acceptedLanguages);
  const long = query.isLongForm;
  await writePieces(answer, { long, phrases, cite: (piece) => (cite ? quotes.cite(piece) : '') }, run);
  if (answer.pieces.length === 0)
    run.append(writeNoAnswer(query, found, { acceptedLanguages, offer: await offer?.() }));
  else if (long && !answer.isUnsure) run.append(`\n\n${phrases().noMore}`);
  const ended = { citations: cite ? quotes.citations() : {}, outcome: outcomeOf(answer) };
  return part ? { ...ended, search: { why: 'part', queries: [part.question] } } : ended;
}

/** Several answers, a paragraph or more each, and a line for each question without one. */
async function writeEach(
  answers: SeveralAnswers,
  { query, found, cite, acceptedLanguages }: WriteQuotesOptions,
  run: AnswerWriter,
): Promise<QuotedAnswerEnd> {
  const { told, unknown, leftOut, queries } = answers;
  const passages = [...new Map(told.flatMap((one) => one.found).map((one) => [one.entry, one])).values()];
  const quotes = createCitationList(passages);
  // What is said of one that is not sure must not be read as said of the next.
  const isNamed = told.length > 1 && told.some(({ answer }) => answer.isUnsure);
  for (const one of told) {
    const phrases = (): Phrases => phrasesFor(query, one.found, acceptedLanguages);
    const places = one.found.map(({ entry }) => passages.findIndex((passage) => passage.entry === entry));
    const marker = (piece: QuotePiece): string => (cite ? quotes.cite({ ...piece, found: places[piece.found]! }) : '');
    if (run.length > 0) run.append('\n\n');
    if (isNamed) run.append(`**${capitalize(named(one.question))}**\n\n`);
    await writePieces(one.answer, { long: false, phrases, cite: marker }, run);
  }
  const { unknown: sentence } = phrasesFor(query, found, acceptedLanguages);
  for (const question of unknown) run.append(`\n\n“${named(question)}” ${sentence}`);
  const asked = leftOut.slice(0, MAX_LEFT_OUT).map((question) => `- ${named(question)}`);
  if (leftOut.length > MAX_LEFT_OUT) asked.push('- …');
  if (asked.length > 0)
    run.append(`\n\n${ASK_AGAIN[query.language.replyLanguage(found, acceptedLanguages)]}\n\n${asked.join('\n')}`);
  return {
    citations: cite ? quotes.citations() : {},
    outcome: outcomeOfEach(answers),
    search: { why: 'several', queries },
  };
}

/** A visitor's question without what Markdown reads, and without addresses. */
const named = (question: string): string =>
  cut(question.replace(/\S*(?:[/\\]|www\.)\S*/gi, '…').replace(/[*_`#|~<>[\](){}!\s]+/g, ' '));

/** A question after “and” begins a paragraph of its own. */
const capitalize = (text: string): string => text.replace(/^\p{Ll}/u, (first) => first.toUpperCase());

const cut = (text: string): string =>
  (text.length > MAX_NAMED ? `${text.slice(0, MAX_NAMED).toWellFormed()}…` : text).trim();

interface PiecesOptions {
  long: boolean;
  phrases: () => Phrases;
  /** The marker of a piece. */
  cite: (piece: QuotePiece) => string;
}

async function writePieces(
  answer: QuotedAnswer,
  { long, phrases, cite }: PiecesOptions,
  run: AnswerWriter,
): Promise<void> {
  const intro = long && !answer.isUnsure ? '' : introductionTo(answer, phrases);
  if (intro !== '') run.append(intro);
  let between = intro === '' ? '' : '\n\n';
  for (const piece of answer.pieces) {
    if (run.stopped) break;
    // Yields, so that readers get each piece before the next is composed.
    if (run.length > 0) await new Promise(setImmediate);
    if (between === ' ' && piece.block) between = '\n\n';
    const marker = cite(piece);
    run.append(between + withoutMarkers(piece.text) + (marker && separatorAfter(piece.text) + marker));
    between = long || piece.block ? '\n\n' : ' ';
  }
}

/** A marker on the line of a closing fence would keep the code block open. */
const separatorAfter = (text: string): string => (text.endsWith('```') ? '\n\n' : ' ');

function introductionTo(
  { pieces, isFromSeveralPages, restated, isOwnersAnswer, isUnsure }: QuotedAnswer,
  phrases: () => Phrases,
): string {
  if (pieces.length > 0 && isUnsure) return phrases().unsure;
  if (pieces.length === 0 || isOwnersAnswer) return '';
  if (isFromSeveralPages) return phrases().several;
  return restated < MIN_RESTATED ? phrases().found : '';
}
