/** Where the sentences of a text begin and end. A list item, a table row and a heading line count as sentences. */
export interface Span {
  start: number;
  end: number;
}

/** Shortened words after which a full stop ends nothing. */
const SHORT = new Set(
  `mr mrs ms dr prof sr jr st rev gen col capt lt sgt gov sen rep hon messrs mt ft vs etc eg ie cf al approx no nos vol
  vols fig figs pp ed eds ca est inc ltd co corp bros dept univ assn ave blvd rd jan feb mar apr jun jul aug sep sept
  oct nov dec mon tue wed thu fri sat sun max min tel ext e.g i.e a.m p.m u.s u.k u.n`.split(/\s+/),
);

/** After these a sentence may well end: only a lower-case letter or a digit that follows says otherwise. */
const OFTEN_LAST = new Set(['etc', 'inc', 'ltd', 'co', 'corp', 'bros', 'a.m', 'p.m', 'jr', 'sr']);

const END =
  /[.!?…]{1,4}["'”’»)\]]{0,4}(?=\s|$)|[。！？｡]+["”’」』）]*|\n[ \t]*\n\s*|\n(?=[ \t]*(?:[-*•–]|\d{1,3}[.)])[ \t])/gu;
const BULLET = /^(?:[-*•–]|\d{1,3}[.)])[ \t]+/;

/** The sentences of `text` in order, without the white space and list marks around them. */
export function sentencesOf(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    if (/^[.…]/.test(match[0]) && !endsHere(text, start, match.index, end)) continue;
    push(spans, text, start, end);
    start = end;
  }
  push(spans, text, start, text.length);
  return spans;
}

function push(spans: Span[], text: string, from: number, to: number): void {
  let start = from;
  let end = to;
  while (start < end && /\s/.test(text[start]!)) start++;
  start += BULLET.exec(text.slice(start, Math.min(end, start + 8)))?.[0].length ?? 0;
  while (end > start && /\s/.test(text[end - 1]!)) end--;
  if (/[\p{L}\p{N}]/u.test(text.slice(start, end))) spans.push({ start, end });
}

/** Whether the full stop at `at` ends a sentence that began at `start`. */
function endsHere(text: string, start: number, at: number, end: number): boolean {
  const before = /[\p{L}\p{N}.&-]*$/u.exec(text.slice(Math.max(start, at - 24), at))![0];
  const after = /^\s*["'“‘«([]*(.?)/u.exec(text.slice(end, end + 12))![1]!;
  // `1.` alone is a list's number or a section's.
  if (/^\d{1,3}$/.test(before) && text.slice(start, at).trim() === before) return false;
  if (/\p{Ll}/u.test(after)) return false;
  const word = before.toLowerCase();
  if (/^\p{Lu}$/u.test(before) || /^(?:\p{L}\.)+\p{L}$/u.test(before) || SHORT.has(word)) {
    return (OFTEN_LAST.has(word) && /\p{Lu}/u.test(after)) || after === '';
  }
  return true;
}
