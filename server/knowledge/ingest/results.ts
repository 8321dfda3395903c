import type { StoredSource } from '../../store/store.ts';
import type { Found, SearchTrace } from '../search/found.ts';
import type { PassageIndex } from '../search/index.ts';
import { matchesOf } from '../search/query-terms.ts';
import type { Query } from '../search/query.ts';
import type { Hit, ScoreRecorder } from '../search/types.ts';

/** What a search tells of its hits. */

/** Of the passages with which a search goes beyond its limit, the share that those beside the best ones may be. */
const BESIDE_SHARE = 2 / 3;

export function foundOf<S extends Found['source']>(index: PassageIndex<S>, hit: Hit<S>, query: Query): Found {
  const { uuid, title: pageTitle, file_name, type } = hit.entry.source;
  const { headings, text, page } = hit.entry;
  const match = { ...index.match(hit, query), opensSection: index.opensSection(hit.entry, ({ uuid }) => uuid) };
  const source = { uuid, title: index.repeated.titleOf(page, pageTitle), file_name, type };
  const commonHeadings = headings.slice(1).filter((heading) => index.repeated.isCommon(page, heading));
  return { source, pageTitle, headings, commonHeadings, text, score: hit.score, match, entry: hit.entry };
}

/** Those beside the best ones in their sections, then further hits. */
export function moreOf(
  index: PassageIndex<StoredSource>,
  hits: Hit<StoredSource>[],
  query: Query,
  limit: number,
  upTo: number,
): Found[] {
  const beside = index.beside(hits.slice(0, limit), ({ uuid }) => uuid, Math.floor((upTo - limit) * BESIDE_SHARE));
  const others = hits.slice(limit).filter(({ entry }) => !beside.includes(entry));
  const more = [...beside.map((entry) => ({ entry, score: 0 })), ...others].slice(0, upTo - limit);
  return more.map((hit) => foundOf(index, hit, query));
}

export const traceOf = (
  index: PassageIndex<StoredSource>,
  scores: ScoreRecorder<StoredSource>,
  query: Query,
): SearchTrace => ({
  passages: index.size,
  matches: matchesOf(query, index.words),
  candidates: scores.ranked.map((hit) => ({ ...foundOf(index, hit, query), parts: scores.of(hit.entry) })),
});
