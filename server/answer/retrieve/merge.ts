import type { Found, SearchResult } from '../../knowledge/search/found.ts';

/** Passages that the message itself finds, behind which only those of the written searches come. */
const OWN = 4;

type Passages = Pick<SearchResult, 'found' | 'more'>;

/** What several searches found, the best of each first and no passage twice: as many as one of them finds. */
export function merge(written: readonly Passages[], own: Passages): Required<Passages> {
  const lists = [...written.map(({ found, more = [] }) => [...found, ...more]), own.found.slice(0, OWN)];
  const merged = new Map<object, Found>();
  const longest = Math.max(...lists.map(({ length }) => length));
  for (let rank = 0; rank < longest; rank++)
    for (const { [rank]: one } of lists) if (one && !merged.has(one.entry)) merged.set(one.entry, one);
  const all = [...merged.values()];
  const limit = Math.max(...written.map(({ found }) => found.length), own.found.length);
  const upTo = Math.max(...[...written, own].map(({ found, more = [] }) => found.length + more.length));
  return { found: all.slice(0, limit), more: all.slice(limit, upTo) };
}
