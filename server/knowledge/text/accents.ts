/** Letters of Latin, Greek, Cyrillic and Arabic; in other scripts the marks are half of the word. */
const MARKED = /^[\0-\u06ff\u1e00-\u1fff]*$/;

/** Accents off, so that both ways of typing a name meet. */
export function withoutMarks(word: string): string {
  if (/^[ -~]*$/.test(word) || !MARKED.test(word)) return word;
  return word
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC');
}

/** Letters alone, of lower-case words: a stroke and a missing dot are off as well. */
export const withoutAccents = (words: string): string =>
  withoutMarks(words).replaceAll('\u0111', 'd').replaceAll('\u0131', 'i');
