import type { Found } from '../knowledge/search/found.ts';
import type { Query } from '../knowledge/search/query.ts';
import type { Outcome } from '../types.ts';
import { PHRASES } from './extract/phrases.ts';
import { minConfidence } from './extract/threshold.ts';
import { confidence } from './extract/select.ts';

/** Whether quotes alone would answer the question. */
export const wouldQuote = (query: Query, found: Found[]): boolean =>
  confidence(query, found) >= minConfidence(query, found);

interface ModelAnswer {
  /** The model's answer, or its first `UNKNOWN_LENGTH` units. */
  text: string;
  /** The model failed, even after some text. */
  hasFailed: boolean;
  /** A citation in it was verified. */
  hasCitations: boolean;
  /** The question asks nothing, or `wouldQuote`. */
  needsNoCitation: boolean;
}

/**
 * Whether a model answered. `unknown` where it failed or wrote nothing, where it wrote the sentence for “I don’t know”
 * that the prompt gives it, and where it cites nothing though a citation is needed. A model that says in other words that
 * it does not know, beside passages that seem to answer, counts as answered.
 */
export function outcomeOf({ text, hasFailed, hasCitations, needsNoCitation }: ModelAnswer): Outcome {
  if (hasFailed || text === '' || saysUnknown(text)) return 'unknown';
  return hasCitations || needsNoCitation ? 'answered' : 'unknown';
}

/** Models write straight apostrophes for curly ones. */
const withStraightQuotes = (text: string): string => text.replaceAll('’', "'");

const unknownSentences = Object.values(PHRASES).map(({ unknown }) => withStraightQuotes(unknown));
/** UTF-16 units of the longest sentence for “I don’t know”. */
export const UNKNOWN_LENGTH = Math.max(...unknownSentences.map(({ length }) => length));

/** Whether the text begins with the sentence for “I don’t know” of any language. */
export function saysUnknown(text: string): boolean {
  const start = withStraightQuotes(text.slice(0, UNKNOWN_LENGTH));
  return unknownSentences.some((sentence) => start.startsWith(sentence));
}
