import type { Found } from '../knowledge/search/found.ts';
import type { Query } from '../knowledge/search/query.ts';
import type { Outcome } from '../types.ts';
import { PHRASES } from './extract/phrases.ts';
import { thresholdFor } from './extract/threshold.ts';
import { confidence } from './extract/select.ts';

/** Whether quotes alone would answer: what is left to go by where a model cites nothing. */
export const wouldQuote = (query: Query, found: Found[]): boolean =>
  confidence(query, found) >= thresholdFor(query, found);

interface Written {
  /** What the model wrote, or its first `TELLING` units. */
  text: string;
  /** It failed, whatever it wrote before. */
  failed: boolean;
  /** One of its sentences has a citation that holds. */
  cites: boolean;
  /** The question asks nothing, or `wouldQuote`. */
  needsNoCitation: boolean;
}

/**
 * Whether a model answered. `unknown`: it failed, or wrote nothing; it said our own sentence for that, as the prompt tells
 * it to; or it cites nothing and the passages do not answer as far as we can tell, no passages among that. A greeting asks
 * nothing, so any reply answers it. What a model says that it does not know in words of its own, beside passages that seem
 * to answer, passes for answered.
 */
export function outcomeOf({ text, failed, cites, needsNoCitation }: Written): Outcome {
  if (failed || text === '' || isUnknown(text)) return 'unknown';
  return cites || needsNoCitation ? 'answered' : 'unknown';
}

/** Models write straight apostrophes for curly ones. */
const plain = (text: string): string => text.replaceAll('’', "'");

const sentences = Object.values(PHRASES).map(({ unknown }) => plain(unknown));
/** UTF-16 units of an answer that tell whether it is one. */
export const TELLING = Math.max(...sentences.map(({ length }) => length));

function isUnknown(text: string): boolean {
  const start = plain(text.slice(0, TELLING));
  return sentences.some((sentence) => start.startsWith(sentence));
}
