/** Letters that two stems must begin with together, and their share of the longer one. */
const LETTERS = 5;
const SHARE = 0.6;
/** Shorter stems are told apart by fewer letters: so many must be the same, and few may follow. */
export const SHORTEST = 4;
const ENDING = 3;

/**
 * Whether two different stems are likely of one family: tribe and tribal, elect and election. What a stemmer keeps
 * apart to be precise is still the next best thing where the word itself is missing.
 */
export function areRelated(a: string, b: string): boolean {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  if (shorter.length < SHORTEST || shorter.charCodeAt(0) !== longer.charCodeAt(0)) return false;
  let same = 1;
  while (same < shorter.length && shorter.charCodeAt(same) === longer.charCodeAt(same)) same++;
  return (same >= LETTERS && same >= SHARE * longer.length) || (same >= SHORTEST && same >= longer.length - ENDING);
}
