/** How many letters must be added, dropped, changed or swapped with a neighbour to make one word the other. */
function editDistance(one: string, other: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = last[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(Math.min(changed, last[j]! + 1, row[j - 1]! + 1, swapped ? beforeLast[j - 2]! + 1 : Infinity));
    }
    [beforeLast, last] = [last, row];
  }
  return last[other.length]!;
}

/** UTF-16 units of a word that is compared: the time of a comparison grows with the square. */
const MAX_LENGTH = 40;

/**
 * The known word that `word` was most likely meant to be: at most two edits away, and no more than a third of its
 * letters. Undefined where there is none, where `word` is known,
 * or where it is longer than `MAX_LENGTH`.
 */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH || known.includes(word)) return undefined;
  let meant: string | undefined;
  let least = Math.min(2, Math.floor(word.length / 3));
  for (const one of known) {
    if (Math.abs(one.length - word.length) > least) continue;
    const distance = editDistance(word, one);
    if (distance < least || (distance === least && meant === undefined)) [meant, least] = [one, distance];
  }
  return meant;
}
