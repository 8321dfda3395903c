import type { Found, SearchResult } from '../knowledge/search/found.ts';
import type { Query } from '../knowledge/search/query.ts';
import { estimateTokens } from '../model/tokens.ts';
import { earlierMessages, numbered, rulesFor, type PromptOptions } from './prompt.ts';
import { shorten } from './retrieve/shorten.ts';

/** The part of the context that is left for the answer, and the most tokens of it. */
const [ANSWER_SHARE, MAX_ANSWER_TOKENS] = [0.25, 2048];
/** Tokens of an answer, its reasoning among them, where nothing is known of the context. */
const ANSWER_TOKENS = 4096;
/** UTF-16 units from which on a text that stands in another passage is a repetition; a shorter one may differ by its heading. */
const MIN_REPEATED = 200;
/** Tokens around a message, a passage, or all of them: its role, line ends, our fence. */
const FRAME_TOKENS = 8;
/** Tokens for which a part of a passage is worth giving. */
const MIN_PART = 80;

type Cuttable = Pick<PromptOptions, 'turns' | 'found'>;
type Fittable = PromptOptions & Pick<SearchResult, 'more'>;

/** Tokens of a request, by our estimate, up to which passages are added to those found where nothing is known of the context. */
const ASSUMED_ROOM = 8000;

/** Turns that come before all passages but the first: a question may go on from them. */
const LAST_TURNS = 2;
/** Of what the first passage leaves, the part that those may take. */
const LAST_TURNS_SHARE = 0.5;

/** Of `context` tokens those of a request; the others are left for the answer. */
export const roomIn = (context: number): number => context - answerTokens(context);

/** The most tokens of an answer. */
export const answerTokens = (context: number): number =>
  context === Infinity ? ANSWER_TOKENS : Math.min(MAX_ANSWER_TOKENS, Math.floor(context * ANSWER_SHARE));

/**
 * What of earlier turns and passages fits into `context` tokens with the rest of the prompt and an answer: first the best
 * passage, then the last turns, the other passages that were found, older turns, and passages that were added. A passage that
 * does not fit makes room for shorter ones after it; what is left at last gets a part of the best that was left out.
 * `reserved` tokens are kept for what is added later. The best passage stays, if only a sentence of it: the estimate is a high
 * one, and an answer needs one. Where nothing is known of the context, only added passages are left out.
 */
export function fitContext(options: Fittable, context: number, reserved = 0): Cuttable {
  const { query, turns, more = [] } = options;
  const isAssumed = context === Infinity;
  const found = withoutRepeated([...options.found, ...more]);
  if (isAssumed && more.length === 0) return { turns, found };
  const room = (isAssumed ? ASSUMED_ROOM : roomIn(context)) - reserved;
  const fixed = ['', rulesFor({ ...options, found }), query.text];
  const texts = found.map((one) => numbered(one, found.length));
  const messages = turns.map((turn) => earlierMessages(turn).map(({ content }) => content));
  if (bytesOf([...fixed, ...messages.flat(), ...texts]) <= room) return { turns, found };

  const newest = messages.toReversed().map(tokensOf);
  const added = found.findIndex((one) => more.includes(one));
  const best = added < 0 ? found.length : added;
  const filling = new Filling(found, texts, room - tokensOf(fixed));
  if (isAssumed) {
    filling.left -= sumOf(newest);
    filling.take(0, best, true);
    filling.take(best);
    return { turns, found: filling.given };
  }
  filling.take(0, 1);
  if (filling.given.length === 0) filling.takePart(query, true);
  const last = countFitting(newest.slice(0, LAST_TURNS), filling.left * LAST_TURNS_SHARE);
  filling.left -= sumOf(newest.slice(0, last));
  filling.take(1, best);
  const kept = last + (last < LAST_TURNS ? 0 : countFitting(newest.slice(last), filling.left));
  filling.left -= sumOf(newest.slice(last, kept));
  filling.take(best);
  filling.takePart(query);
  return { turns: turns.slice(turns.length - kept), found: filling.given };
}

/** The passages that are given, and the tokens that are left. */
class Filling {
  readonly #found: Found[];
  readonly #costs: number[];
  /** By place. */
  readonly #given = new Map<number, Found>();
  left: number;

  /** `texts`: the passages as they are given. */
  constructor(found: Found[], texts: string[], left: number) {
    this.#found = found;
    this.#costs = texts.map((text) => tokensOf([text]));
    this.left = left;
  }

  /** Best first. */
  get given(): Found[] {
    return this.#found.flatMap((_, at) => this.#given.get(at) ?? []);
  }

  /** Those of the places from `from` to before `to` that fit, or all of them. */
  take(from: number, to = this.#found.length, all = false): void {
    for (let at = from; at < to; at += 1) if (all || this.#costs[at]! <= this.left) this.#give(at);
  }

  /** Of the best passage that was left out, the sentences that fit; `must`: all of it where none does. */
  takePart(query: Query, must = false): void {
    const at = this.#found.findIndex((_, place) => !this.#given.has(place));
    const one = this.#found[at];
    if (!one || (!must && this.left < MIN_PART)) return;
    const costOf = (part: Found): number => tokensOf([numbered(part, this.#found.length)]);
    const part = shorten(one, query, (shorter) => costOf(shorter) <= this.left) ?? (must ? one : undefined);
    if (part) this.#give(at, part, costOf(part));
  }

  #give(at: number, one = this.#found[at]!, cost = this.#costs[at]!): void {
    this.#given.set(at, one);
    this.left -= cost;
  }
}

/** Without passages whose text stands in a better one, such as that of a printer version. */
function withoutRepeated(found: Found[]): Found[] {
  const kept: string[] = [];
  return found.filter(({ text }) => {
    const plain = text.replace(/\s+/g, ' ').trim().toLowerCase();
    if (plain.length >= MIN_REPEATED && kept.some((other) => other.includes(plain))) return false;
    return kept.push(plain);
  });
}

/** How many fit from the first on, without a gap. */
function countFitting(costs: number[], room: number): number {
  let sum = 0;
  const end = costs.findIndex((cost) => (sum += cost) > room);
  return end < 0 ? costs.length : end;
}

const sumOf = (costs: number[]): number => costs.reduce((sum, cost) => sum + cost, 0);

const tokensOf = (texts: string[]): number => texts.reduce((sum, text) => sum + estimateTokens(text) + FRAME_TOKENS, 0);

/** No model has more tokens than a text has bytes in UTF-8, and those are counted much faster. */
const bytesOf = (texts: string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text) + FRAME_TOKENS, 0);
