import { Detector, type LinearModel } from '../linear.ts';
import { tellApart, type Example } from '../pairs.ts';

/** Texts to learn from, and how much it costs to have one of them on the wrong side. */
export interface Lesson {
  text: string;
  cost: number;
}

interface Recipe {
  ones: Lesson[];
  others: Lesson[];
  phrases: LinearModel['phrases'];
  /** Features that are kept at most, those that matter most. */
  most: number;
  /** The first letters of the names of features that are used. */
  kinds: string;
}

/** The weight of the constant feature that takes the place of an intercept, the others' squares adding up to 1. */
const CONSTANT = '';
const CONSTANT_WEIGHT = 0.3;
const PASSES = 40;

/** Trains a linear model on all features, then anew on those that matter most alone. */
export function fit(recipe: Recipe): Omit<LinearModel, 'credit'> {
  const first = plane(recipe, (name) => recipe.kinds.includes(name[0]!));
  const ranked = [...first].filter(([name]) => name !== CONSTANT).toSorted((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const kept = new Set(ranked.slice(0, recipe.most).map(([name]) => name));
  const second = plane(recipe, (name) => kept.has(name));
  const bias = Math.round((second.get(CONSTANT) ?? 0) * CONSTANT_WEIGHT * 100);
  second.delete(CONSTANT);
  const rounded = [...second].map(([name, weight]) => [name, Math.round(weight * 100)] as const);
  const sorted = rounded.filter(([, weight]) => weight !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { bias, phrases: recipe.phrases, weights: sorted.map(([name, weight]) => `${name}=${weight}`).join('|') };
}

/** By feature its weight in the plane that divides `ones` from `others`. */
function plane({ ones, others, phrases }: Recipe, keeps: (name: string) => boolean): Map<string, number> {
  const numbers = new Map<string, number>([[CONSTANT, 0]]);
  const reader = new Detector({ credit: '', bias: 0, weights: '', phrases });
  const exampleOf = ({ text, cost }: Lesson): Example => {
    const entries = [...reader.featuresOf(text)].filter(([name]) => keeps(name));
    for (const [name] of entries) if (!numbers.has(name)) numbers.set(name, numbers.size);
    const features = Int32Array.from([0, ...entries.map(([name]) => numbers.get(name)!)]);
    const weights = Float64Array.from([CONSTANT_WEIGHT, ...entries.map(([, { weight }]) => weight)]);
    return { vector: { features, weights }, cost };
  };
  const [positive, negative] = [ones.map(exampleOf), others.map(exampleOf)];
  const sums = new Float64Array(numbers.size);
  const shares = tellApart(positive, negative, sums, PASSES);
  for (const [at, { vector }] of [...positive, ...negative].entries()) {
    const share = (at < positive.length ? 1 : -1) * shares[at]!;
    for (const [each, feature] of vector.features.entries()) sums[feature]! += share * vector.weights[each]!;
  }
  return new Map([...numbers].map(([name, number]) => [name, sums[number]!]));
}
