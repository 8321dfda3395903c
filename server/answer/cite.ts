import type { Found } from '../knowledge/knowledge.ts';
import type { Citation, Citations } from '../types.ts';

/** Markers, the `[1]` that stands for a citation in a text. */

const MARKER = /[ \t]*\[(\d{1,3}(?:\.\d{1,2})?)\]/g;
/** What may still become a marker when more text comes, with the white space that would go with it. */
const UNFINISHED = /[ \t]*(?:\[[\d.]{0,6})?$/;

/** A source's own `[3]`, a footnote perhaps, must not pass for a marker of ours. */
export const withoutMarkers = (text: string): string => text.replace(MARKER, '');

export const citation = ({ source }: Found, text: string): Citation => ({
  data_source_uuid: source.uuid,
  title: source.title,
  text,
  file_name: source.file_name,
  type: source.type,
});

/**
 * Markers of a model's streamed text. Those that point at a passage that was given pass, all others are taken out
 * before anybody sees them; with no passages (a chatbot that shows no citations) all are.
 */
export function createMarkers(given: Found[]): { pass(piece: string): string; rest(): string; citations(): Citations } {
  let held = '';
  const cited = new Set<number>();

  const keep = (marker: string, number: string): string => {
    const n = Number(number);
    if (!Number.isInteger(n) || n < 1 || n > given.length) return '';
    cited.add(n);
    return marker;
  };

  return {
    pass(piece) {
      const text = held + piece;
      held = UNFINISHED.exec(text)?.[0] ?? '';
      const whole = held ? text.slice(0, -held.length) : text;
      return whole.includes('[') ? whole.replace(MARKER, keep) : whole;
    },
    rest: () => held.replace(MARKER, keep),
    citations() {
      const numbers = [...cited].sort((a, b) => a - b);
      return Object.fromEntries(numbers.map((n) => [String(n), citation(given[n - 1]!, given[n - 1]!.text)]));
    },
  };
}

/**
 * Numbers the passages of a quoted answer in the order in which they are quoted. The citation's text is the span
 * from the first to the last sentence quoted, word for word as the passage has it.
 */
export function createQuotes(found: Found[]): {
  mark(index: number, sentence: string): string;
  citations(): Citations;
} {
  const spans = new Map<number, { start: number; end: number }>();

  return {
    mark(index, sentence) {
      const start = Math.max(0, found[index]!.text.indexOf(sentence));
      const end = start + sentence.length;
      const span = spans.get(index);
      spans.set(index, span ? { start: Math.min(span.start, start), end: Math.max(span.end, end) } : { start, end });
      return `[${[...spans.keys()].indexOf(index) + 1}]`;
    },
    citations: () =>
      Object.fromEntries(
        [...spans].map(([index, { start, end }], i) => [
          String(i + 1),
          citation(found[index]!, found[index]!.text.slice(start, end)),
        ]),
      ),
  };
}
