import type { Vocabulary } from '../../text/tokenizer.ts';

/** Words that are written as one or as two: thread safe, thread-safe, threadsafe. */

/** What an index knows of words. */
export interface WordIndex {
  /** The number that all forms of a word share; undefined for one that no passage has. */
  root(word: string): number | undefined;
  isStopWord(word: string): boolean;
  passagesWith(root: number): number;
  /** Passages in which the second stands next to the first; counted in `NEIGHBOURS_READ` passages at most. */
  adjacent(first: number, second: number): number;
}

/** A question as the pages write its words. */
export interface Respelled {
  text: string;
  /** Roots that stand for a word of `text`: of words that pages write as one, too. */
  others: { root: number; word: string }[];
}

/** Letters of a part of a word, of a word without a hyphen before another, and of a whole word. */
const MIN_PART = 2;
const MIN_PAIRED = 2;
const MIN_WHOLE = 4;
const MAX_WHOLE = 30;
/** Of one question: words that are tried, and look-ups of neighbours, each of which reads passages. */
const MAX_QUERY_WORDS = 40;
const MAX_LOOKUPS = 6;
/** Scripts with spaces between words. */
const WORD = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]+/gu;
const BETWEEN = /^(?: |[-‐‑])$/;

/** Writes words of the question as one or as two where pages do so, and nowhere as the question does. */
export function respell(text: string, index: WordIndex): Respelled {
  const words = Array.from(text.matchAll(WORD), ({ 0: word, index: start }) => ({ word: word.toLowerCase(), start }));
  const others: Respelled['others'] = [];
  let lookups = MAX_LOOKUPS;
  const neighbours = (first: number | undefined, second: number | undefined): number =>
    first === undefined || second === undefined || lookups-- <= 0 ? 0 : index.adjacent(first, second);
  let result = '';
  let from = 0;
  const replace = (start: number, end: number, by: string): void => {
    result += text.slice(from, start) + by;
    from = end;
  };
  for (let at = 0; at < Math.min(words.length, MAX_QUERY_WORDS); at++) {
    if (lookups <= 0) break;
    const { word, start } = words[at]!;
    const next = words[at + 1];
    const end = start + word.length;
    const pair = next && pairOf(word, text.slice(end, next.start), next.word, index);
    const whole = pair === undefined ? undefined : (index.root(pair) ?? index.root(otherNumber(pair)));
    if (whole !== undefined) {
      const [first, second] = [index.root(word), index.root(next!.word)];
      if (neighbours(first, second) === 0) replace(start, next!.start + next!.word.length, pair!);
      else others.push({ root: whole, word: rarer(index, [word, first!], [next!.word, second!]) });
      at++;
    } else if (isWhole(word) && !index.isStopWord(word) && index.root(word) === undefined) {
      const parts = partsOf(word, index, neighbours);
      if (parts) replace(start, end, `${parts.first} ${parts.second}`);
    }
  }
  return { text: result + text.slice(from), others };
}

/** A plural without its `s`, and the other way round. */
const otherNumber = (word: string): string => (word.endsWith('s') ? word.slice(0, -1) : `${word}s`);

/** The two words that stand next to each other in most passages. */
function partsOf(word: string, index: WordIndex, neighbours: (first?: number, second?: number) => number) {
  let best: { first: string; second: string; together: number } | undefined;
  for (let cut = MIN_PART; cut <= word.length - MIN_PART; cut++) {
    const [first, second] = [word.slice(0, cut), word.slice(cut)];
    const roots = [index.root(first), index.root(second)] as const;
    if (roots[0] === undefined || roots[1] === undefined) continue;
    const together = neighbours(...roots);
    if (together > (best?.together ?? 0)) best = { first, second, together };
  }
  return best;
}

/** Two words as one; undefined where they are no such pair: a stop word is joined only where a hyphen does. */
function pairOf(first: string, between: string, second: string, { isStopWord }: WordIndex): string | undefined {
  const isHyphened = between !== ' ';
  if (!BETWEEN.test(between) || !isWhole(first + second)) return undefined;
  if (!isHyphened && (Math.min(first.length, second.length) < MIN_PAIRED || isStopWord(first) || isStopWord(second)))
    return undefined;
  return first + second;
}

const isWhole = ({ length }: string): boolean => length >= MIN_WHOLE && length <= MAX_WHOLE;

const rarer = (index: WordIndex, [one, a]: [string, number], [other, b]: [string, number]): string =>
  index.passagesWith(a) <= index.passagesWith(b) ? one : other;

/** Passages that are read for two words beside each other. */
export const NEIGHBOURS_READ = 64;

/** Whether a passage has the second root right behind the first, with no stop word between. */
export function standTogether(
  { forms, text }: { forms: Uint32Array; text: string },
  words: Vocabulary,
  first: number,
  second: number,
): boolean {
  for (let at = 1; at < forms.length; at++) {
    if (words.root(forms[at - 1]!) !== first || words.root(forms[at]!) !== second) continue;
    const [one, other] = [words.word(forms[at - 1]!), words.word(forms[at]!)];
    const lower = text.toLowerCase();
    return lower.includes(`${one} ${other}`) || lower.includes(`${one}-${other}`);
  }
  return false;
}
