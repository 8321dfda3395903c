import type { ToolFunction } from '../schema/records.ts';
import { featuresOf, type Features } from './routing/features.ts';
import { classOf, examplesOf } from './tool-functions.ts';

/** Likeness from which on a message is clearly one of the examples: 1 is the same words, 0.72 one word changed of seven. */
const MIN_LIKENESS = 0.75;

/** The enabled function that only reads whose `meta.examples` the message is clearly like; the first of those most like it. */
export function functionByExample(functions: readonly ToolFunction[], message: string): ToolFunction | undefined {
  const able = functions.filter((one) => one.enabled === 1 && classOf(one) === 'read' && examplesOf(one).length > 0);
  if (able.length === 0) return undefined;
  const features = featuresOf(message);
  let best = MIN_LIKENESS;
  let found: ToolFunction | undefined;
  for (const one of able) {
    const likeness = Math.max(...examplesOf(one).map((example) => likenessOf(features, featuresOf(example))));
    if (likeness < best || (found && likeness === best)) continue;
    best = likeness;
    found = one;
  }
  return found;
}

function likenessOf(one: Features, other: Features): number {
  let sum = 0;
  for (const [name, { weight }] of one) sum += weight * (other.get(name)?.weight ?? 0);
  return sum;
}
