/**
 * Markers as models write them: `[1]`, `[1, 2]`, `[1-3]`, `[^1]`, `【1】`, several in a row, with a link behind them. Every
 * pattern is bounded, so that a stream holds back little.
 */

const CITATION_NUMBER = String.raw`\^?\d{1,3}(?:\.\d{1,2})?`;
const TOKEN = String.raw`(?:\[${CITATION_NUMBER}(?: ?[,;\u2013-] ?${CITATION_NUMBER}){0,9}\]|\u3010${CITATION_NUMBER}(?:\u2020[^\u3010\u3011\n]{0,40})?\u3011)`;
const LINK = String.raw`\([^()\s]{0,400}\)`;
const SEPARATOR = String.raw`,?[ \t]{0,3}`;
const ITEM = `${TOKEN}(?:${LINK})?`;
const PARTIAL = String.raw`(?:\[[\^\d., ;\u2013-]{0,100}|\u3010[^\u3010\u3011\n]{0,60})`;

const GROUP = new RegExp(`${ITEM}(?:${SEPARATOR}${ITEM}){0,7}`, 'y');
const UNFINISHED = new RegExp(
  `(?:${PARTIAL}|${ITEM}(?:${SEPARATOR}${ITEM}){0,7}(?:\\([^()\\s]{0,400}|${SEPARATOR}${PARTIAL}?)?)$`,
  'y',
);
const TOKENS = new RegExp(`(${SEPARATOR})(${TOKEN})(?:${LINK})?`, 'g');
const RANGES = /(\d+(?:\.\d+)?)(?: ?[–-] ?\^?(\d+(?:\.\d+)?))?/g;
/** A wider range is not one of markers. */
const MAX_RANGE = 10;

const OPENING = /[[【]/g;

/** The index of the next bracket, from `from` on, that may open a marker; -1 where there is none. */
export function openingAt(text: string, from: number): number {
  OPENING.lastIndex = from;
  return OPENING.exec(text)?.index ?? -1;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** The group of adjacent markers at `at`, where a bracket opens. */
export const groupAt = (text: string, at: number): string | undefined => matchAt(GROUP, text, at);

/** Whether more text could extend the group at `at`. */
export const mayContinue = (text: string, at: number): boolean => matchAt(UNFINISHED, text, at) !== undefined;

/** Without any marker, and the space before each. */
export const removeMarkers = (text: string): string => text.replace(TOKENS, '');

/** The markers of a group, with the separator before each. */
export const tokensOf = (group: string): { between: string; token: string }[] =>
  Array.from(group.matchAll(TOKENS), ([, between, token]) => ({ between: between!, token: token! }));

/** The numbers of a marker, ranges expanded. */
export function numbersOf(token: string): number[] {
  const inside = token.replace(/†.*/, '');
  return Array.from(inside.matchAll(RANGES)).flatMap(([, first, last]) => {
    const [from, to] = [Number(first), Number(last ?? first)];
    if (!(to > from)) return [from, ...(last === undefined ? [] : [to])];
    return to - from < MAX_RANGE ? Array.from({ length: Math.floor(to - from) + 1 }, (_, n) => from + n) : [];
  });
}
