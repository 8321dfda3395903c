/** Letters of Latin, Greek, Cyrillic and Arabic; in other scripts, such as Devanagari, marks are vowels. */
const MARKED = /^[\0-\u06ff\u1e00-\u1fff]*$/;

/** Strips accents, so that `Zürich` and `Zurich` are the same word. */
export function withoutMarks(word: string): string {
  if (/^[ -~]*$/.test(word) || !MARKED.test(word)) return word;
  return word
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC');
}

/** Strips accents of lower-case words, and the stroke of `đ` and the dotless `ı`, which Unicode does not decompose. */
export const withoutAccents = (words: string): string =>
  withoutMarks(words).replaceAll('\u0111', 'd').replaceAll('\u0131', 'i');
