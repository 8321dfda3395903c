import type { Found } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import type { Citations, Outcome } from '../../types.ts';
import { createCitationList, withoutMarkers } from '../citations/stream-filter.ts';
import { writeNoAnswer } from './no-answer.ts';
import { selectAnswer, type QuotedAnswer } from './select.ts';
import type { Phrases } from './phrases.ts';
import { phrasesFor } from './phrases.ts';

/** Sentences where a long text is asked for, a paragraph each. */
const MAX_PARAGRAPHS = 5;
/** A quote that repeats less of the question gets an introduction, since it is not obvious that it answers. */
const MIN_RESTATED = 0.3;

interface WriteQuotesOptions {
  query: Query;
  found: Found[];
  /** Whether to write markers. */
  cite: boolean;
  /** As in `phrasesFor`. */
  acceptedLanguages?: readonly string[] | undefined;
  /** Finds what else the visitor may do, for `writeNoAnswer`. */
  offer?: () => Promise<string>;
}

/** Receives the answer; implemented by `Run`. */
interface AnswerWriter {
  readonly length: number;
  readonly stopped: boolean;
  append(text: string): void;
}

interface QuotedAnswerEnd {
  citations: Citations;
  outcome: Outcome;
}

/** The quotes that answer, before they are written. */
export const answerTo = (query: Query, found: Found[]): QuotedAnswer =>
  selectAnswer(query, found, query.isLongForm ? { maxSentences: MAX_PARAGRAPHS } : {});

/** Writes the extractive answer: quotes from the sources, or the reply that there is no answer. */
export async function writeQuotes(
  { query, found, cite, acceptedLanguages, offer }: WriteQuotesOptions,
  run: AnswerWriter,
): Promise<QuotedAnswerEnd> {
  const long = query.isLongForm;
  const phrases = (): Phrases => phrasesFor(query, found, acceptedLanguages);
  const answer = answerTo(query, found);
  const quotes = createCitationList(found);
  const intro = long && !answer.isUnsure ? '' : introductionTo(answer, phrases);
  if (intro !== '') run.append(intro);
  let between = intro === '' ? '' : '\n\n';
  for (const piece of answer.pieces) {
    if (run.stopped) break;
    // Yields, so that readers get each piece before the next is composed.
    if (run.length > 0) await new Promise(setImmediate);
    if (between === ' ' && piece.block) between = '\n\n';
    const marker = cite ? quotes.cite(piece) : '';
    run.append(between + withoutMarkers(piece.text) + (marker && separatorAfter(piece.text) + marker));
    between = long || piece.block ? '\n\n' : ' ';
  }
  if (answer.pieces.length === 0)
    run.append(writeNoAnswer(query, found, { acceptedLanguages, offer: await offer?.() }));
  else if (long && !answer.isUnsure) run.append(`\n\n${phrases().noMore}`);
  const outcome = answer.pieces.length === 0 ? 'unknown' : answer.isUnsure ? 'unsure' : 'answered';
  return { citations: cite ? quotes.citations() : {}, outcome };
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
