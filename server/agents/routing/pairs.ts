/** A text as numbers of its features, and their weights. */
export interface Vector {
  features: Int32Array;
  weights: Float64Array;
}

/** A text to learn from, and how much it costs to have it on the wrong side. */
export interface Example {
  vector: Vector;
  cost: number;
}

/** How far a weight of an example may still move where training ends, and how often all of them are looked at. */
const SETTLED = 0.01;
const MAX_PASSES = 6;

/**
 * Learns to tell two lists of examples apart: a linear support vector machine without intercept, by dual coordinate descent
 * (Hsieh et al. 2008, squared hinge loss). Gives the weight of each example, none below 0, those of `ones` first: a text is
 * more like `ones` where Σ weight × similarity is higher over `ones` than over `others`. The order of the examples decides
 * in which order they are looked at, nothing else does. `scratch` holds a zero for each feature, before and after.
 */
export function tellApart(
  ones: readonly Example[],
  others: readonly Example[],
  scratch: Float64Array,
  passes = MAX_PASSES,
): Float32Array {
  const weights = new Float32Array(ones.length + others.length);
  const longest = Math.max(ones.length, others.length);
  for (let pass = 0, moved = Infinity; pass < passes && moved > SETTLED; pass++) {
    moved = 0;
    for (let at = 0; at < longest; at++) {
      if (at < ones.length) moved = Math.max(moved, improve(ones[at]!, 1, weights, at, scratch));
      if (at < others.length) moved = Math.max(moved, improve(others[at]!, -1, weights, ones.length + at, scratch));
    }
  }
  for (const { vector } of ones) clear(vector, scratch);
  for (const { vector } of others) clear(vector, scratch);
  return weights;
}

/** Sets the weight of one example to its best value while all others stay; how far it moved. */
function improve(example: Example, side: 1 | -1, weights: Float32Array, at: number, plane: Float64Array): number {
  const { features, weights: shares } = example.vector;
  let distance = 0;
  for (let each = 0; each < features.length; each++) distance += plane[features[each]!]! * shares[each]!;
  const slack = 0.5 / example.cost;
  const old = weights[at]!;
  weights[at] = Math.max(0, old - (side * distance - 1 + slack * old) / (1 + slack));
  const step = weights[at]! - old;
  if (step !== 0) {
    for (let each = 0; each < features.length; each++) plane[features[each]!]! += side * step * shares[each]!;
  }
  return Math.abs(step);
}

function clear({ features }: Vector, plane: Float64Array): void {
  for (const feature of features) plane[feature] = 0;
}
