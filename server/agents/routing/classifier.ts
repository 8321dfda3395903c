import { forEachSliced } from '../../async/time-slice.ts';
import { sentencesOf } from '../../knowledge/text/sentences.ts';
import { belonging, type Rarity } from './belonging.ts';
import { featuresOf, type Features } from './features.ts';
import { NameTable } from './names.ts';
import { tellApart, type Example, type Vector } from './pairs.ts';

/** What an agent is known by. */
export interface AgentTexts {
  name: string;
  description: string;
  prompt: string;
  /** Sentences that belong to it, as its owner wrote them. */
  examples?: readonly string[];
  /** What it says, where that is a fixed text. */
  meta?: { default_message?: string };
}

/** How well a message fits each agent. */
interface Fits {
  /** By place of the agent: from 0 to about 1, the likeness of the words that say something to its nearest text. */
  likeness: Float64Array;
  /** Above 0 where the message is more like the first agent than like the second; what a third one is changes nothing. */
  between(one: number, other: number): number;
  /** From 0 to 1, how clearly the message is one of the agent's own: its likeness to its nearest text, rare words before all. */
  belonging(agent: number, rarity: Rarity): number;
}

/** Costs of a wrong side: instructions to a model say less of what an agent is for than its examples do. */
const [EXAMPLE_COST, PROMPT_COST] = [4, 0.5];
/** Likeness to a sentence of the prompt counts this much. */
const PROMPT_SHARE = 0.5;
const MAX_EXAMPLES = 200;
const MAX_TEXT_SENTENCES = 20;
/** Texts of an agent among which the one that a message belongs to is looked for. */
const MAX_NEAR = 8;
/** What the nearest text adds to the decision of a pair; measured: with 1, banking77 gains .016, and .002 with ten each. */
const NEAREST = 1;
/** A message that is less like every agent's words than this takes from the turns before it, and most where it fits none. */
const CLEAR = 0.35;
const [TURN, EARLIER] = [0.6, 0.5];

/** One pair of agents, and the weights of their examples, those of `one` first. */
interface Pair {
  one: number;
  other: number;
  weights: Float32Array;
}

/** The texts of all agents: those of agent `n` stand from `starts[n]` to before `starts[n + 1]`. */
interface Corpus {
  texts: string[];
  /** By agent; '' for one without a fixed text. */
  replies: string[];
  shares: Float64Array;
  starts: number[];
  postings: Postings;
}
/** The places of the texts that have a feature, and its weight in each: of feature `n` from `starts[n]` to before `starts[n + 1]`. */
interface Postings {
  features: NameTable;
  starts: Uint32Array;
  texts: Uint32Array;
  weights: Float64Array;
}
/** While they are collected. */
interface Posting {
  feature: number;
  texts: number[];
  weights: number[];
}

/**
 * Learns to tell each two of the agents apart, in slices between which others have their turn: same texts, same classifier.
 * Work grows with the square of the number of agents; 77 agents of 105 examples took 5.5 s on a busy core.
 */
export async function trainClassifier(agents: readonly AgentTexts[]): Promise<Classifier> {
  const replies = agents.map(({ meta }) => meta?.default_message ?? '');
  const texts = agents.map(textsOf);
  const starts = [0];
  for (const own of texts) starts.push(starts.at(-1)! + own.length);
  const examples: Example[] = [];
  const postings = new Map<string, Posting>();
  await forEachSliced(texts.flat(), ({ text, cost }) => learn(examples, postings, text, cost));
  const pairs: Pair[] = agents.flatMap((_, one) =>
    agents.slice(one + 1).map((__, at) => ({ one, other: one + 1 + at, weights: new Float32Array() })),
  );
  const scratch = new Float64Array(postings.size);
  const of = (agent: number) => examples.slice(starts[agent], starts[agent + 1]);
  await forEachSliced(pairs, (pair) => {
    pair.weights = tellApart(of(pair.one), of(pair.other), scratch);
  });
  const corpus = {
    texts: texts.flat().map(({ text }) => text),
    replies,
    shares: Float64Array.from(texts.flat(), ({ share }) => share),
    starts,
    postings: await pack(postings),
  };
  return new Classifier(corpus, pairs);
}

interface Text {
  text: string;
  cost: number;
  share: number;
}

function textsOf({ name, description, prompt, examples = [] }: AgentTexts): Text[] {
  const own = [...examples.slice(0, MAX_EXAMPLES), name, ...sentences(description)];
  return [
    ...own.map((text) => ({ text, cost: EXAMPLE_COST, share: 1 })),
    ...sentences(prompt).map((text) => ({ text, cost: PROMPT_COST, share: PROMPT_SHARE })),
  ];
}

const sentences = (text: string): string[] =>
  sentencesOf(text)
    .slice(0, MAX_TEXT_SENTENCES)
    .map(({ start, end }) => text.slice(start, end));

function learn(examples: Example[], postings: Map<string, Posting>, text: string, cost: number): void {
  const features = featuresOf(text);
  const vector: Vector = { features: new Int32Array(features.size), weights: new Float64Array(features.size) };
  let at = 0;
  for (const [name, { weight }] of features) {
    const posting = postings.get(name) ?? { feature: postings.size, texts: [], weights: [] };
    postings.set(name, posting);
    posting.texts.push(examples.length);
    posting.weights.push(weight);
    vector.features[at] = posting.feature;
    vector.weights[at++] = weight;
  }
  examples.push({ vector, cost });
}

/** Without an object a feature, which most of a team's memory would go to. */
async function pack(postings: ReadonlyMap<string, Posting>): Promise<Postings> {
  const all = [...postings.values()];
  const starts = new Uint32Array(all.length + 1);
  for (const [at, { texts }] of all.entries()) starts[at + 1] = starts[at]! + texts.length;
  const texts = new Uint32Array(starts.at(-1)!);
  const weights = new Float64Array(texts.length);
  await forEachSliced(all, (posting, at) => {
    texts.set(posting.texts, starts[at]);
    weights.set(posting.weights, starts[at]);
  });
  return { features: await NameTable.of([...postings.keys()]), starts, texts, weights };
}

/**
 * Tells which of some agents a message fits best. Each two agents are compared by themselves, so that a third one changes
 * nothing between them, and an agent that shares no feature with a message is more like it than no other.
 */
export class Classifier {
  readonly #corpus: Corpus;
  /** By `one * agents + other`. */
  readonly #pairs = new Map<number, Pair>();
  readonly #agents: number;

  constructor(corpus: Corpus, pairs: Pair[]) {
    this.#corpus = corpus;
    this.#agents = corpus.starts.length - 1;
    for (const pair of pairs) this.#pairs.set(pair.one * this.#agents + pair.other, pair);
  }

  /** Of a message, with the visitor's messages before it, newest first, for one that does not say what it is about. */
  fits(message: string, turns: readonly string[] = []): Fits {
    const { all, content } = this.#similarities(featuresOf(message));
    const likeness = this.#nearest(content);
    let share = TURN * Math.max(0, 1 - Math.max(0, ...likeness) / CLEAR);
    for (const turn of turns) {
      if (share < 0.01) break;
      const before = this.#similarities(featuresOf(turn));
      for (let at = 0; at < all.length; at++) {
        all[at]! += share * before.all[at]!;
        content[at]! += share * before.content[at]!;
      }
      share *= EARLIER;
    }
    const nearest = this.#nearest(all);
    return {
      likeness: this.#nearest(content),
      between: (one, other) => this.#decision(one, other, all) + NEAREST * (nearest[one]! - nearest[other]!),
      belonging: (agent, rarity) =>
        belonging(message, turns[0], this.#nearTexts(agent, content), this.#corpus.replies[agent]!, rarity),
    };
  }

  /** With each example: by all features, and by those that say something. */
  #similarities(features: Features): { all: Float64Array; content: Float64Array } {
    const all = new Float64Array(this.#corpus.texts.length);
    const content = new Float64Array(all.length);
    const { features: known, starts, texts, weights } = this.#corpus.postings;
    for (const [name, feature] of features) {
      const place = known.placeOf(name);
      if (place < 0) continue;
      for (let at = starts[place]!; at < starts[place + 1]!; at++) {
        const part = feature.weight * weights[at]!;
        all[texts[at]!]! += part;
        if (feature.content) content[texts[at]!]! += part;
      }
    }
    return { all, content };
  }

  #nearest(similarities: Float64Array): Float64Array {
    const { starts, shares } = this.#corpus;
    const nearest = new Float64Array(this.#agents);
    for (let agent = 0; agent < this.#agents; agent++) {
      for (let at = starts[agent]!; at < starts[agent + 1]!; at++) {
        nearest[agent] = Math.max(nearest[agent]!, similarities[at]! * shares[at]!);
      }
    }
    return nearest;
  }

  /** The texts of an agent that are nearest, nearest first. */
  #nearTexts(agent: number, similarities: Float64Array): string[] {
    const { starts, texts } = this.#corpus;
    const own = texts.slice(starts[agent], starts[agent + 1]).map((text, at) => ({ text, at: starts[agent]! + at }));
    own.sort((one, other) => similarities[other.at]! - similarities[one.at]!);
    return own.slice(0, MAX_NEAR).map(({ text }) => text);
  }

  #decision(one: number, other: number, similarities: Float64Array): number {
    if (one > other) return -this.#decision(other, one, similarities);
    const { weights } = this.#pairs.get(one * this.#agents + other)!;
    const { starts } = this.#corpus;
    let sum = 0;
    let next = 0;
    for (let at = starts[one]!; at < starts[one + 1]!; at++) sum += weights[next++]! * similarities[at]!;
    for (let at = starts[other]!; at < starts[other + 1]!; at++) sum -= weights[next++]! * similarities[at]!;
    return sum;
  }
}

/** For a message that is chosen for twice, by other settings: what it fits is found out once. */
export function rememberingLast(classifier: Pick<Classifier, 'fits'>): Pick<Classifier, 'fits'> {
  let last: { key: string; fits: Fits } | undefined;
  return {
    fits(message, turns = []) {
      const key = JSON.stringify([message, ...turns]);
      if (last?.key === key) return last.fits;
      const fits = classifier.fits(message, turns);
      const margins = new Map<number, number>();
      const between = (one: number, other: number): number => {
        const pair = one * fits.likeness.length + other;
        const known = margins.get(pair) ?? fits.between(one, other);
        margins.set(pair, known);
        return known;
      };
      last = { key, fits: { ...fits, between } };
      return last.fits;
    },
  };
}
