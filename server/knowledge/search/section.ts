import type { Entry, IndexedDocument } from './types.ts';

/** Of a document, with ranks of their own: a hash of 32 bits and the number of a passage share a double. */
const MAX_PASSAGES = 2 ** 20;

/** The best passages, whose sections are read, and how far on either side: a section is seldom longer. */
const [READ, REACH] = [4, 3];

/**
 * The passages beside the best of `entries`, on the same page and under the same headings, nearest first. `next`: the passage of
 * the same page that stands one place after another one, or before it.
 */
export function besideBest<S>(
  entries: readonly Entry<S>[],
  next: (entry: Entry<S>, by: 1 | -1) => Entry<S> | undefined,
  most: number,
): Entry<S>[] {
  const known = new Set(entries);
  let ends = entries.slice(0, READ).flatMap((entry) => [
    { entry, by: 1 as const },
    { entry, by: -1 as const },
  ]);
  for (let distance = 1; distance <= REACH; distance++) {
    ends = ends.flatMap(({ entry, by }) => {
      const beside = next(entry, by);
      return beside && areUnderTheSame(entry, beside) ? [{ entry: beside, by }] : [];
    });
    for (const { entry } of ends) if (known.size < entries.length + most) known.add(entry);
  }
  return [...known].slice(entries.length);
}

export const areUnderTheSame = <S>({ headings }: Entry<S>, { headings: others }: Entry<S>): boolean =>
  headings.length === others.length && headings.every((heading, at) => heading === others[at]);

/**
 * The rank of a document's first passage. By address and title: indexes that got the same pages in another order answer the
 * same. The host is left out, since a copy of a site is to answer as the site.
 */
export function firstRank({ address = '', title }: IndexedDocument): number {
  const page = `${address.replace(/^\w+:\/\/[^/]*/, '')}\n${title}`;
  let hash = 2166136261;
  for (let at = 0; at < page.length; at++) hash = Math.imul(hash ^ page.charCodeAt(at), 16777619);
  return (hash >>> 0) * MAX_PASSAGES;
}

/** As `Knowledge.headingsNear`, of a source's passages in their order. The heading of the whole page is none. */
export function headingsAround<S>(passages: readonly Entry<S>[], text: string, limit: number): string[] {
  const at = passages.findIndex(({ whole, text: own }) => (whole ?? own).includes(text));
  if (at < 0) return [];
  const above = new Set(passages[at]!.headings);
  const found = new Set<string>();
  for (let by = 1; by < passages.length && found.size < limit; by++) {
    for (const near of [passages[at + by], passages[at - by]]) {
      const heading = near && near.headings.length > 1 ? near.headings.at(-1)! : '';
      if (heading !== '' && !above.has(heading) && found.size < limit) found.add(heading);
    }
  }
  return [...found];
}
