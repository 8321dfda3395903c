import type { Found } from '../knowledge/knowledge.ts';
import type { Citation, Citations } from '../types.ts';

/** Markers, the `[1]` that stands for a citation in a text. */

// Neither begins within white space: a long stretch of it would be read again from each of its places.
const MARKER = /(?<![ \t])[ \t]*\[(\d{1,3}(?:\.\d{1,2})?)\]/g;
/** What may still become a marker when more text comes, with the white space that would go with it if it is not much. */
const UNFINISHED = /(?:(?<![ \t])[ \t]{1,1000})?(?:\[[\d.]{0,6})?$/;

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
  // An open stream keeps what a citation needs, and not what the search found out beside it.
  const possible = given.map((one) => citation(one, one.text));
  let held = '';
  const cited = new Set<number>();

  const keep = (marker: string, number: string): string => {
    const n = Number(number);
    if (!Number.isInteger(n) || n < 1 || n > possible.length) return '';
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
      return Object.fromEntries(numbers.map((n) => [String(n), possible[n - 1]!]));
    },
  };
}

/**
 * Numbers the quotes in the order in which they are made. Sentences of one paragraph share a number, and a citation that is
 * the span from the first to the last of them, word for word as the passage has it; another paragraph is another place.
 */
export function createQuotes(found: Found[]): {
  mark(index: number, sentence: string): string;
  citations(): Citations;
} {
  const spans: { index: number; start: number; end: number }[] = [];

  return {
    mark(index, sentence) {
      const { text } = found[index]!;
      const start = Math.max(0, text.indexOf(sentence));
      const end = start + sentence.length;
      const near = (span: { index: number; start: number; end: number }): boolean =>
        span.index === index && !text.slice(Math.min(span.start, start), Math.max(span.end, end)).includes('\n');
      const known = spans.findIndex(near);
      const span = spans[known];
      if (!span) return `[${spans.push({ index, start, end })}]`;
      span.start = Math.min(span.start, start);
      span.end = Math.max(span.end, end);
      return `[${known + 1}]`;
    },
    citations: () =>
      Object.fromEntries(
        spans.map(({ index, start, end }, i) => [
          String(i + 1),
          citation(found[index]!, found[index]!.text.slice(start, end)),
        ]),
      ),
  };
}
