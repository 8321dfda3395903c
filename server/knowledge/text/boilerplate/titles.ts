/** Between the parts of a title: any punctuation that is not within words and sentences. */
const SEPARATOR = /\s*[^\p{L}\p{M}\p{N}\s'’"“”„.&@#%+°!?$€£()[\]-]+\s*|\s+-+\s+/gu;
/** Separators of a title that are read. */
const MAX_SEPARATORS = 6;

/** What may be the name of a site in a title: all in front of a separator, all behind it, and the whole. */
export const namesIn = (title: string): string[] => [
  title,
  ...separatorsIn(title).flatMap(({ start, end }) => [title.slice(0, start), title.slice(end)]),
];

/** A title without the name of its site before or behind it, whatever separates them. `isName`: whether most titles have it. */
export function withoutName(title: string, isName: (part: string) => boolean): string {
  const separators = separatorsIn(title);
  const to = separators.find(({ end }) => isName(title.slice(end)))?.start ?? title.length;
  const from = separators.findLast(({ start, end }) => end < to && isName(title.slice(0, start)))?.end ?? 0;
  const rest = title.slice(from, to);
  return /[\p{L}\p{N}]/u.test(rest) ? rest : title;
}

const separatorsIn = (title: string): { start: number; end: number }[] =>
  Array.from(title.matchAll(SEPARATOR), ({ index, 0: { length } }) => ({ start: index, end: index + length }))
    .filter(({ start, end }) => start > 0 && end < title.length)
    .slice(0, MAX_SEPARATORS);
