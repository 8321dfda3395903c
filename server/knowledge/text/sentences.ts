/** Where the sentences of a text begin and end. A list item, a table row and a heading line count as sentences. */
export interface Span {
  start: number;
  end: number;
}

/** Abbreviations: a full stop after them does not end a sentence. */
const ABBREVIATIONS = new Set(
  `mr mrs ms dr prof sr jr st rev gen col capt lt sgt gov sen rep hon messrs mt ft vs etc eg ie cf al approx no nos vol
  vols fig figs pp ed eds ca est inc ltd co corp bros dept univ assn ave blvd rd jan feb mar apr jun jul aug sep sept
  oct nov dec mon tue wed thu fri sat sun max min tel ext e.g i.e a.m p.m u.s u.k u.n`.split(/\s+/),
);

/** Abbreviations that often end a sentence: it ends there where an upper-case letter follows. */
const OFTEN_LAST = new Set(['etc', 'inc', 'ltd', 'co', 'corp', 'bros', 'a.m', 'p.m', 'jr', 'sr']);

const END =
  /[.!?…؟۔]{1,4}["'”’»)\]]{0,4}(?=\s|$)|[。！？｡।॥]+["”’」』）]*|\n[ \t]*\n\s*|\n(?=[ \t]*(?:[-*•–]|\d{1,3}[.)])[ \t])/gu;
const BULLET = /^(?:[-*•–]|\d{1,3}[.)])[ \t]+/;

/** Where code begins and where it ends, in a passage and in an owner's own Markdown. */
export const CODE_FENCE = '```';
const FENCE = /^[ \t]*`{3,}[^`\n]*$/gm;

/** The sentences of `text` in order, without the white space, list marks and fences around them. */
export function sentencesOf(text: string): Span[] {
  const spans: Span[] = [];
  let from = 0;
  let code = false;
  for (const fence of text.includes(CODE_FENCE) ? text.matchAll(FENCE) : []) {
    (code ? pushCode : pushProse)(spans, text, from, fence.index);
    from = fence.index + fence[0].length;
    code = !code;
  }
  (code ? pushCode : pushProse)(spans, text, from, text.length);
  return spans;
}

function pushProse(spans: Span[], whole: string, from: number, to: number): void {
  const text = to < whole.length ? whole.slice(0, to) : whole;
  let start = from;
  END.lastIndex = from;
  for (let match = END.exec(text); match; match = END.exec(text)) {
    const end = match.index + match[0].length;
    if (/^[.…]/.test(match[0]) && !endsHere(text, start, match.index, end)) continue;
    push(spans, text, start, end);
    start = end;
  }
  push(spans, text, start, to);
}

/** Lines of code stand together until an empty one. */
function pushCode(spans: Span[], text: string, from: number, to: number): void {
  let start = from;
  for (const part of text.slice(from, to).split(/(\n[ \t]*\n\s*)/)) {
    const end = start + part.length;
    const lead = /^\s*\n/.exec(part)?.[0].length ?? 0;
    if (/[\p{L}\p{N}]/u.test(part)) spans.push({ start: start + lead, end: start + part.trimEnd().length });
    start = end;
  }
}

/** By sentence, the index of its lead: for list items the sentence above the list, else the one before; -1 for none. */
export function leadsOf(text: string, spans: Span[]): number[] {
  const leads: number[] = [];
  let above = -1;
  let listed = false;
  for (const [at, { start }] of spans.entries()) {
    const item = isItem(text, start);
    if (item && !listed) above = at > 0 && leadsToList(text, spans[at - 1]!, start) ? at - 1 : -1;
    else if (!item && listed) listed = !/\n[ \t]*\n/.test(text.slice(spans[at - 1]!.end, start));
    listed ||= item;
    leads.push(item ? above : at - 1);
  }
  return leads;
}

/** The mark before an item of a list, with the spaces before it; a number only of an ordered list. */
const ITEM_MARK = /^ *(?:-|\d{1,3}\.) $/;
/** UTF-16 units: spaces, number, full stop, space. */
const MAX_MARK_LENGTH = 20;

/** Whether a list's item, or a table's row, begins there. */
export const isItem = (text: string, start: number): boolean => itemMark(text, start) !== '';

/** What stands before an item in its line, such as `- ` or `   12. `; '' where none begins there. */
export function itemMark(text: string, start: number): string {
  const sign = text[start - 2];
  if (text[start - 1] !== ' ' || (sign !== '-' && sign !== '.')) return '';
  const before = text.slice(Math.max(0, start - MAX_MARK_LENGTH), start);
  const mark = before.slice(before.lastIndexOf('\n') + 1);
  return ITEM_MARK.test(mark) ? mark : '';
}

/** No empty line is between what leads to a list and the list. */
const leadsToList = (text: string, { end }: Span, start: number): boolean =>
  /^\n *\S+ $/.test(text.slice(end, start)) && isItem(text, start);

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
  if (/^\p{Lu}$/u.test(before) || /^(?:\p{L}\.)+\p{L}$/u.test(before) || ABBREVIATIONS.has(word)) {
    return (OFTEN_LAST.has(word) && /\p{Lu}/u.test(after)) || after === '';
  }
  return true;
}
