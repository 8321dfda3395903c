import type { Hit } from '../types.ts';

/** UTF-16 units from which on equal texts are duplicates; shorter ones (a figure, a label) may differ by their page. */
const MIN_PARAGRAPH = 200;

/** Keeps the best of the hits with the same text and heading, except texts shorter than `MIN_PARAGRAPH`. */
export function withoutDuplicates<S, H extends Hit<S>>(hits: H[]): H[] {
  const seen = new Set<string>();
  return hits.filter(({ entry: { text, headings } }) => {
    const key = `${headings.at(-1) ?? ''}\n${text}`;
    return text.length < MIN_PARAGRAPH || (!seen.has(key) && seen.add(key));
  });
}
