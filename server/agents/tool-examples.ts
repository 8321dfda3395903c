import { LRUCache } from 'lru-cache';
import type { ToolFunction } from '../schema/records.ts';
import { featuresOf, type Features } from './routing/features.ts';
import { classOf, examplesOf } from './tool-functions.ts';

/** Likeness from which on a message is clearly one of the examples: 1 is the same words, 0.72 one word changed of seven. */
const MIN_LIKENESS = 0.75;

/** Features of examples that stay in memory, about 20 MB: each message is compared with all examples of an agent. */
const MAX_KNOWN_FEATURES = 200_000;
const known = new LRUCache<string, Features>({ maxSize: MAX_KNOWN_FEATURES, sizeCalculation: ({ size }) => size + 1 });

/** The enabled function that only reads whose `meta.examples` the message is clearly like; the first of those most like it. */
export function functionByExample(functions: readonly ToolFunction[], message: string): ToolFunction | undefined {
  const able = functions.filter((one) => one.enabled === 1 && classOf(one) === 'read' && examplesOf(one).length > 0);
  if (able.length === 0) return undefined;
  const features = featuresOf(message);
  let best = MIN_LIKENESS;
  let found: ToolFunction | undefined;
  for (const one of able) {
    const likeness = Math.max(...examplesOf(one).map((example) => likenessOf(features, featuresOfExample(example))));
    if (likeness < best || (found && likeness === best)) continue;
    best = likeness;
    found = one;
  }
  return found;
}

function featuresOfExample(example: string): Features {
  const before = known.get(example);
  if (before) return before;
  const features = featuresOf(example);
  known.set(example, features);
  return features;
}

function likenessOf(one: Features, other: Features): number {
  let sum = 0;
  for (const [name, { weight }] of one) sum += weight * (other.get(name)?.weight ?? 0);
  return sum;
}
