import type { Found, SearchResult } from '../knowledge/search/found.ts';
import { estimateTokens } from '../model/tokens.ts';
import { OWN_RULES, MAX_EARLIER_ANSWER_LENGTH, type PromptOptions } from './prompt.ts';

/** The part of the context that is left for the answer, and the most tokens of it. */
const [ANSWER_SHARE, MAX_ANSWER_TOKENS] = [0.25, 2048];
/** Tokens of an answer, its reasoning among them, where nothing is known of the context. */
const ANSWER_TOKENS = 4096;
/** UTF-16 units from which on a text that stands in another passage is a repetition; a shorter one may differ by its heading. */
const MIN_REPEATED = 200;
/** Tokens around a message or passage: its role, number and line ends. */
const FRAME_TOKENS = 8;
/** Our rules, with the sentence for “I don’t know” in any language, and who asks whom. */
const OWN_TOKENS = estimateTokens(OWN_RULES) + 250;

type Cuttable = Pick<PromptOptions, 'turns' | 'found'>;
type Fittable = Omit<PromptOptions, 'cite'> & Pick<SearchResult, 'more'>;

/** Tokens of a request, by our estimate, up to which passages are added to those found where nothing is known of the context. */
const ASSUMED_ROOM = 8000;

/** Turns that come before all passages but the first: a question may go on from them. */
const LAST_TURNS = 2;

/** Of `context` tokens those of a request; the others are left for the answer. */
export const roomIn = (context: number): number => context - answerTokens(context);

/** The most tokens of an answer. */
export const answerTokens = (context: number): number =>
  context === Infinity ? ANSWER_TOKENS : Math.min(MAX_ANSWER_TOKENS, Math.floor(context * ANSWER_SHARE));

/**
 * What of earlier turns and passages fits into `context` tokens with the rest of the prompt and an answer: without the passages
 * that were not found but added, then without the oldest turns, then without the last passages, then without the last turns.
 * `reserved` tokens are kept for what is added later. The first passage stays: the estimate is a high one, and an answer needs
 * one. Where nothing is known of the context, only added passages are left out.
 */
export function fitContext(options: Fittable, context: number, reserved = 0): Cuttable {
  const { agent, query, turns, more = [] } = options;
  const isAssumed = context === Infinity;
  if (isAssumed && more.length === 0) return { turns, found: withoutRepeated(options.found) };
  const found = withoutRepeated([...options.found, ...more]);
  const room = (isAssumed ? ASSUMED_ROOM : roomIn(context)) - reserved;
  const fixed = [agent?.prompt ?? '', query.text];
  if (bytesOf([...fixed, ...turns.flatMap(textsOfTurn), ...found.flatMap(textsOfPassage)]) <= room)
    return { turns, found };

  const costs = found.map((one) => tokensOf(textsOfPassage(one)));
  const newest = turns.toReversed().map((turn) => tokensOf(textsOfTurn(turn)));
  const isAdded = found.map((one) => more.includes(one));
  const best = isAdded.includes(true) ? isAdded.indexOf(true) : found.length;
  const left = room - tokensOf(fixed) - OWN_TOKENS;
  const kept = isAssumed ? { turns: turns.length, passages: best } : countKept(costs.slice(0, best), newest, left);
  const spare = left - sumOf(costs.slice(0, kept.passages)) - sumOf(newest.slice(0, kept.turns));
  if (kept.turns === turns.length && kept.passages === best) kept.passages += countFitting(costs.slice(best), spare);
  return { turns: turns.slice(turns.length - kept.turns), found: found.slice(0, kept.passages) };
}

/** How many of the passages, best first, and of the turns, newest first. */
function countKept(
  [first = 0, ...others]: number[],
  newest: number[],
  room: number,
): { turns: number; passages: number } {
  let left = room - first;
  const take = (costs: number[], share = 1): number => {
    const count = countFitting(costs, left * share);
    left -= sumOf(costs.slice(0, count));
    return count;
  };
  let turns = take(newest.slice(0, LAST_TURNS), 0.5);
  const passages = take(others);
  if (passages === others.length) turns += take(newest.slice(turns));
  return { turns, passages: 1 + passages };
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

function countFitting(costs: number[], room: number): number {
  let sum = 0;
  const end = costs.findIndex((cost) => (sum += cost) > room);
  return end < 0 ? costs.length : end;
}

const sumOf = (costs: number[]): number => costs.reduce((sum, cost) => sum + cost, 0);

const textsOfTurn = ({ query, response }: PromptOptions['turns'][number]): string[] => [
  query,
  response.slice(0, MAX_EARLIER_ANSWER_LENGTH),
];
const textsOfPassage = ({ source, headings, text }: Found): string[] => [
  `${source.title} ${source.file_name}`,
  ...headings,
  text,
];

const tokensOf = (texts: string[]): number => texts.reduce((sum, text) => sum + estimateTokens(text) + FRAME_TOKENS, 0);

/** No model has more tokens than a text has bytes in UTF-8, and those are counted much faster. */
const bytesOf = (texts: string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text) + FRAME_TOKENS, OWN_RULES.length + 1000);
