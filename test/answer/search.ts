import { foundOf } from '../../server/knowledge/ingest/results.ts';
import type { Found, SearchResult } from '../../server/knowledge/search/found.ts';
import { PassageIndex } from '../../server/knowledge/search/index.ts';
import type { Query } from '../../server/knowledge/search/query.ts';

type Source = Found['source'];

/** Searches an index as the server does. */
export function searchIndex(index: PassageIndex<Source>, text: string, limit = 8): SearchResult {
  const query = index.query(text);
  const found = index.search(query, limit).map((hit) => foundOf(index, hit, query));
  return { query, found };
}

/** A question as a chatbot without sources reads it. */
export const queryOf = (text: string): Query => new PassageIndex().query(text);

/** A passage that no index has, for what needs only its words and its source. */
export const foundPassage = (source: Source, text: string): Found => ({
  source,
  pageTitle: source.title,
  headings: [],
  text,
  score: 1,
  match: { exact: false, rank: 0, head: new Uint32Array(), matchShare: () => 0, sentences: () => [] },
  entry: {},
});
