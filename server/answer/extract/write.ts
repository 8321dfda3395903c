import type { Found } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import type { Citations, Outcome } from '../../types.ts';
import { createQuotes, withoutMarkers } from '../citations/stream-filter.ts';
import { noAnswer } from './no-answer.ts';
import { quotedAnswer, type QuotedAnswer } from './select.ts';
import type { Phrases } from './phrases.ts';
import { phrasesFor } from './phrases.ts';

/** Sentences at most where a long text is asked for, a paragraph each. */
const PARAGRAPHS = 5;
/** A quotation that says less of the question again is not seen at once to be the answer. */
const RESTATED = 0.3;

interface Material {
  query: Query;
  found: Found[];
  /** With markers. */
  cite: boolean;
  /** As in `phrasesFor`. */
  accepted?: readonly string[] | undefined;
}

/** Where an answer is written; a `Run` is one. */
interface Paper {
  readonly length: number;
  readonly stopped: boolean;
  append(text: string): void;
}

interface Quotations {
  citations: Citations;
  outcome: Outcome;
}

/** Writes the answer with no model: the sources' own sentences, or that there are none. */
export async function writeQuotes({ query, found, cite, accepted }: Material, run: Paper): Promise<Quotations> {
  const long = query.isLongForm;
  const phrases = (): Phrases => phrasesFor(query, found, accepted);
  const answer = quotedAnswer(query, found, long ? { most: PARAGRAPHS } : {});
  const quotes = createQuotes(found);
  const intro = long ? '' : introductionTo(answer, phrases);
  if (intro !== '') run.append(intro);
  let between = intro === '' ? '' : '\n\n';
  for (const piece of answer.pieces) {
    if (run.stopped) break;
    // Each piece reaches its readers before the next is looked for.
    if (run.length > 0) await new Promise(setImmediate);
    if (between === ' ' && piece.block) between = '\n\n';
    const marker = cite ? quotes.mark(piece) : '';
    run.append(between + withoutMarkers(piece.text) + (marker && afterText(piece.text) + marker));
    between = long || piece.block ? '\n\n' : ' ';
  }
  if (answer.pieces.length === 0) run.append(noAnswer(query, found, accepted));
  else if (long) run.append(`\n\n${phrases().noMore}`);
  const outcome = answer.pieces.length === 0 ? 'unknown' : 'answered';
  return { citations: cite ? quotes.citations() : {}, outcome };
}

/** A marker behind a code block's fence would be part of it. */
const afterText = (text: string): string => (text.endsWith('```') ? '\n\n' : ' ');

function introductionTo({ pieces, several, restated, whole }: QuotedAnswer, phrases: () => Phrases): string {
  if (pieces.length === 0 || whole) return '';
  if (several) return phrases().several;
  return restated < RESTATED ? phrases().found : '';
}
