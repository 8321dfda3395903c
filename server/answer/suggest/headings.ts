/** Headings that can be asked as they are. */

/** Characters of a heading that is shown. */
const MAX_LENGTH = 60;
const NUMBERING = /^(?:\(?\d{1,3}(?:\.\d{1,3})*[.)]{0,2}|[A-Z]\.)\s+(?=\p{L})/u;
/** A question mark, which Greek writes as a semicolon. */
const ASKS = /(?:[?？؟]|\p{Script=Greek}\p{M}*[;\u037e])$/u;
/** Letters and the punctuation of a sentence: no code, option of a command, markup, address, control or formatting character. */
const PLAIN = /^(?![-–—&,:])[\p{L}\p{M}\p{N} ,'’\-–—&:“”„«»"()¿?？؟;\u037e、，]+$/u;
/** What a sentence that calls for something, a label or a heading that was cut off ends with is no end of a subject. */
const ENDS_AS_SUBJECT = /[\p{L}\p{M})”“"»]$/u;
/** Dates, numbers of releases and of chapters. */
const NUMBER = /\p{N}/u;
const LONG_NUMBER = /\p{N}{4}|\p{N}[.,:]\p{N}/u;
/** Scripts that put no space between words, in which a subject of one word has no space to show it. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const MIN_UNSPACED = 4;

export interface ShownHeading {
  text: string;
  asks: boolean;
}

/** The heading as a visitor may be shown it; undefined where it is none to ask. The number of a chapter is left out. */
export function shownHeading(heading: string): ShownHeading | undefined {
  const text = heading.normalize('NFC').replace(/\s+/g, ' ').trim().replace(NUMBERING, '');
  if (text.length > 2 * MAX_LENGTH || [...text].length > MAX_LENGTH || !PLAIN.test(text)) return undefined;
  const isShouted = /\p{Lu}/u.test(text) && !/\p{Ll}/u.test(text);
  if (isShouted || text.includes('()')) return undefined;
  const asks = ASKS.test(text);
  const isNamed = UNSPACED.test(text) ? text.length >= MIN_UNSPACED : /\p{L} .*\p{L}/u.test(text);
  const isSubject = ENDS_AS_SUBJECT.test(text) && !NUMBER.test(text) && !text.includes(':');
  return isNamed && (asks ? !LONG_NUMBER.test(text) : isSubject) ? { text, asks } : undefined;
}
