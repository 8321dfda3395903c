import type { Entry } from './types.ts';

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

const areUnderTheSame = <S>({ headings }: Entry<S>, { headings: others }: Entry<S>): boolean =>
  headings.length === others.length && headings.every((heading, at) => heading === others[at]);
