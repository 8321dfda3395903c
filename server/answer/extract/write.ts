import type { Found } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import type { Citations, Outcome } from '../../types.ts';
import { createCitationList, withoutMarkers } from '../citations/stream-filter.ts';
import { writeNoAnswer } from './no-answer.ts';
import { selectAnswer, type QuotedAnswer } from './select.ts';
import type { Phrases } from './phrases.ts';
import { phrasesFor } from './phrases.ts';

/** Sentences at most where a long text is asked for, a paragraph each. */
const MAX_PARAGRAPHS = 5;
/** A quotation that says less of the question again is not seen at once to be the answer. */
const MIN_RESTATED = 0.3;

interface WriteQuotesOptions {
  query: Query;
  found: Found[];
  /** With markers. */
  cite: boolean;
  /** As in `phrasesFor`. */
  accepted?: readonly string[] | undefined;
}

/** Where an answer is written; a `Run` is one. */
interface AnswerWriter {
  readonly length: number;
  readonly stopped: boolean;
  append(text: string): void;
}

interface QuotedAnswerEnd {
  citations: Citations;
  outcome: Outcome;
}

/** Writes the answer with no model: the sources' own sentences, or that there are none. */
export async function writeQuotes(
  { query, found, cite, accepted }: WriteQuotesOptions,
  run: AnswerWriter,
): Promise<QuotedAnswerEnd> {
  const long = query.isLongForm;
  const phrases = (): Phrases => phrasesFor(query, found, accepted);
  const answer = selectAnswer(query, found, long ? { most: MAX_PARAGRAPHS } : {});
  const quotes = createCitationList(found);
  const intro = long ? '' : introductionTo(answer, phrases);
  if (intro !== '') run.append(intro);
  let between = intro === '' ? '' : '\n\n';
  for (const piece of answer.pieces) {
    if (run.stopped) break;
    // Each piece reaches its readers before the next is looked for.
    if (run.length > 0) await new Promise(setImmediate);
    if (between === ' ' && piece.block) between = '\n\n';
    const marker = cite ? quotes.mark(piece) : '';
    run.append(between + withoutMarkers(piece.text) + (marker && separatorAfter(piece.text) + marker));
    between = long || piece.block ? '\n\n' : ' ';
  }
  if (answer.pieces.length === 0) run.append(writeNoAnswer(query, found, accepted));
  else if (long) run.append(`\n\n${phrases().noMore}`);
  const outcome = answer.pieces.length === 0 ? 'unknown' : 'answered';
  return { citations: cite ? quotes.citations() : {}, outcome };
}

/** A marker behind a code block's fence would be part of it. */
const separatorAfter = (text: string): string => (text.endsWith('```') ? '\n\n' : ' ');

function introductionTo({ pieces, several, restated, whole }: QuotedAnswer, phrases: () => Phrases): string {
  if (pieces.length === 0 || whole) return '';
  if (several) return phrases().several;
  return restated < MIN_RESTATED ? phrases().found : '';
}
