import type { Found, Match } from '../../knowledge/search/found.ts';
import { PassageIndex } from '../../knowledge/search/index.ts';

/** Passages that came without the index's reading of them get one here. */
export function rescored(query: string, found: Found[]): Found[] {
  const index = new PassageIndex<Found>();
  for (const [at, one] of found.entries()) {
    const passages = [{ headings: one.headings, start: 0, end: one.text.length }];
    index.put(String(at), one, { title: one.source.title, text: one.text, passages });
  }
  const question = index.question(query);
  const match = new Map(
    index.search(question, found.length).map((hit) => [hit.entry.source, index.match(hit, question)]),
  );
  return found.map((one) => ({ ...one, match: match.get(one) ?? NO_MATCH }));
}

const NO_MATCH: Match = {
  exact: false,
  question: {
    terms: [],
    message: '',
    asking: '',
    total: 0,
    worth: 0,
    asks: false,
    said: '',
    places: new Map(),
    relatives: new Map(),
  },
  head: new Uint32Array(),
  known: () => 0,
  sentences: () => [],
};
