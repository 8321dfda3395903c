import type { Found } from '../../../knowledge/search/found.ts';
import type { Query } from '../../../knowledge/search/query.ts';
import { SYNONYM } from '../threshold.ts';

/** Whether an owner's answer to another question has less of what is asked than a page: by the words of the question it answers. */
export function yieldsToPage({ match }: Found, found: Found[], query: Query): boolean {
  if (!match.answersOther) return false;
  const own = weightOf(match.head, query);
  return found.some(
    ({ match: other }) =>
      !other.answersOther && weightOf([...other.head, ...other.sentences().flatMap(({ roots }) => roots)], query) > own,
  );
}

/** The weight of the question's own words that some roots say; of those that are common in any text none counts. */
function weightOf(roots: Iterable<number>, { terms, termByRoot, implied }: Query): number {
  const told = new Set<number>();
  for (const root of roots) {
    const { term, share } = termByRoot.get(root) ?? { term: implied, share: 0 };
    if (share >= SYNONYM && term < implied && !terms[term]!.isCommon) told.add(term);
  }
  return Array.from(told, (term) => terms[term]!.weight).reduce((sum, weight) => sum + weight, 0);
}
