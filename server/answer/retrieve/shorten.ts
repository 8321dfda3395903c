import type { Found } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';

/**
 * The passage with only some sentences in a row: as many as fit from that one on which gives most of what the question asks
 * for. Undefined where none fits, or the passage has only one.
 */
export function shorten(found: Found, query: Query, fits: (shorter: Found) => boolean): Found | undefined {
  const sentences = found.match.sentences();
  const part = (from: number, to: number): Found => {
    const last = sentences[to - 1]!;
    return { ...found, text: found.text.slice(sentences[from]!.start, last.start + last.text.length) };
  };
  let best: { found: Found; worth: number } | undefined;
  let to = 0;
  for (let from = 0; from < sentences.length; from += 1) {
    to = Math.max(to, from);
    while (to < sentences.length && fits(part(from, to + 1))) to += 1;
    if (to === from || to - from === sentences.length) continue;
    const worth = worthOf(
      sentences.slice(from, to).flatMap(({ roots }) => roots),
      query,
    );
    if (!best || worth > best.worth) best = { found: part(from, to), worth };
  }
  return best?.found;
}

/** Of the different words of the question that are among these roots. */
function worthOf(roots: number[], { termByRoot, terms }: Query): number {
  const asked = new Set(roots.flatMap((root) => termByRoot.get(root)?.term ?? []));
  return [...asked].reduce((sum, term) => sum + terms[term]!.weight, 0);
}
