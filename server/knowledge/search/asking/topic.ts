import type { Query } from '../query.ts';

/** The least share of what was named before that a passage has which is about it. */
export const MIN_TOPIC = 0.5;

/**
 * 0 to 1: how much of what the questions before named is among some roots, synonyms of it too; 1 where they named nothing, or the
 * question needs none of them.
 */
export function topicIn(roots: Iterable<number>, { terms, termByRoot, earlier, beside }: Query): number {
  const isTopic = (term: number): boolean => term >= earlier && term < beside && terms[term]!.isCommon !== true;
  let all = 0;
  for (let term = earlier; term < beside; term++) if (isTopic(term)) all += terms[term]!.weight;
  if (all === 0) return 1;
  const found = new Set<number>();
  for (const root of roots) found.add(termByRoot.get(root)?.term ?? -1);
  let held = 0;
  for (const term of found) if (isTopic(term)) held += terms[term]!.weight;
  return held / all;
}
