import type { Found } from '../../knowledge/search/found.ts';
import type { Span } from '../../knowledge/text/sentences.ts';
import type { Citation, Citations } from '../../types.ts';
import { claimOf, hasWords } from './claim.ts';
import { codeStateAfter, NO_CODE } from './code-state.ts';
import { groupAt, mayContinue, numbersOf, openingAt, tokensOf } from './syntax.ts';
import { createVerifier } from './verify.ts';

/** Filters markers, the `[1]` of a citation, in answers. */

// Does not match from within white space: on a long stretch of it the search would take quadratic time.
const MARKER = /(?<![ \t])[ \t]*\[(\d{1,3}(?:\.\d{1,2})?)\]/g;
/** A `[3]` in a source, such as a footnote, would look like one of our markers. */
export const withoutMarkers = (text: string): string => text.replace(MARKER, '');

const citation = ({ source }: Found, text: string): Citation => ({
  data_source_uuid: source.uuid,
  title: source.title,
  text,
  file_name: source.file_name,
  type: source.type,
});

/** White space before a marker (UTF-16 units) that is removed with it: longer stretches would have to be held back. */
const MAX_SPACE_BEFORE = 8;
/** UTF-16 units before a marker that are checked. */
export const LOOK_BACK_LENGTH = 1000;

/** The answer so far; implemented by `Run`. */
export interface AnswerText {
  /** UTF-16 units. */
  readonly appended: number;
  /** The text from an offset on. */
  textFrom(from: number): string;
}

export interface MarkerFilter {
  /** Returns the text that may be shown now; to be appended to the answer before the next call. */
  pass(piece: string): string;
  /** Returns the text that is still held back, at the end. */
  rest(): string;
  /** The citations of the markers in the answer. */
  citations(): Citations;
  /** Adjacent markers that passed, in order. */
  readonly groups: readonly MarkerGroup[];
}

/** A marker that readers do not get. */
export interface RemovedMarker {
  /** As the model wrote it, without brackets: `3`. */
  marker: string;
  /** What it stood behind. */
  claim: string;
  /**
   * `unknown`: no passage has that number; `unsupported`: the words of its passage do not say it; `link`: Markdown would read it as
   * one; `judge`: the model, asked whether the passage says it, said no.
   */
  why: 'unknown' | 'unsupported' | 'link' | 'judge';
}

export type OnRemoved = (removed: RemovedMarker) => void;

/** Adjacent markers that support one claim. */
export interface MarkerGroup {
  /** In the answer, white space before the markers included. */
  start: number;
  end: number;
  /** What stays of it without the citations: intervals of numbers. */
  others: string;
  claim: string;
  /** What each number cites, of its passage. */
  spans: Map<number, Span>;
  /** The markers were taken out of the answer again. */
  isRemoved?: true;
}

/**
 * Filters the markers of a model's streamed text, each as soon as it is complete. One whose passage was given and supports
 * the sentence before it passes; all others are removed, so that no reader sees an unverified citation. Without passages (a
 * chatbot that shows no citations) all are removed. Brackets in code are no markers.
 */
export function createMarkerFilter(
  given: Found[],
  query: string,
  answer: AnswerText,
  onRemoved?: OnRemoved,
): MarkerFilter {
  // Only what a citation needs: search results would stay in memory as long as the stream is open.
  const possible = given.map((one) => citation(one, one.text));
  const verifier = createVerifier(
    given.map(({ pageTitle, headings, text, entry }) => ({ head: [pageTitle, ...headings].join('\n'), text, entry })),
    query,
  );
  const groups: MarkerGroup[] = [];
  let heldBack = '';
  /** The output for this piece, after an answer of `base` units. */
  let out = '';
  let base = 0;
  let code = NO_CODE;
  /** Offsets in the answer: up to where `code` holds, and where the last markers ended; `claim` is what those support. */
  let codeEnd = 0;
  let markersEnd = 0;
  let claim = '';
  /** Of this claim, by the places cited: a model may repeat its markers a thousand times. */
  const checked = new Map<string, Map<number, Span>>();

  const since = (from: number): string => (from < base ? answer.textFrom(from) + out : out.slice(from - base));
  // As `Run` trims the start of the answer: offsets count what readers get.
  const emit = (text: string): void => void (out += base + out.length === 0 ? text.trimStart() : text);

  function process(text: string, isLast: boolean): string {
    base = answer.appended;
    out = '';
    let from = 0;
    let at = openingAt(text, 0);
    const isWhole = (opening: number): boolean => isLast || !mayContinue(text, opening);
    while (at >= 0 && isWhole(at)) {
      const group = groupAt(text, at);
      if (group) {
        const lead = leadBefore(text, at, from);
        emit(text.slice(from, lead));
        from = at + group.length;
        emit(filterGroup(text.slice(lead, at), group, text[from]));
      }
      at = openingAt(text, group ? from : at + 1);
    }
    const end = isLast ? text.length : leadBefore(text, at < 0 ? text.length : at, from);
    emit(text.slice(from, end));
    heldBack = text.slice(end);
    return out;
  }

  /** The verified ones of a group of markers; `lead` is the white space before it, `next` the character after it. */
  function filterGroup(lead: string, group: string, next: string | undefined): string {
    const here = base + out.length;
    code = codeStateAfter(code, since(codeEnd));
    codeEnd = here;
    const tokens = tokensOf(group);
    if (code.fence !== '' || code.ticks > 0) return lead + group;
    const before = since(Math.max(markersEnd, here - LOOK_BACK_LENGTH));
    if (hasWords(before)) {
      claim = claimOf(before);
      checked.clear();
    }
    // Markdown reads `[1](`, and `[1]:` at the beginning of a line, as a link.
    const isLink = next === '(' || (next === ':' && code.fresh);
    const supported = isLink ? new Map<number, Span>() : verify(tokens, here);
    let shown = '';
    let others = '';
    const spans = new Map<number, Span>();
    for (const { between, token } of tokens) {
      const verified = isInterval(token) ? [] : numbersOf(token).filter((n) => supported.has(n));
      const marks = isInterval(token) ? token : verified.map((n) => `[${n}]`).join('');
      if (marks !== '') shown += (shown === '' ? lead : between) + marks;
      if (isInterval(token)) others += (others === '' ? lead : between) + token;
      else if (onRemoved) tellRemoved(numbersOf(token), verified, isLink);
      for (const n of verified) spans.set(n, supported.get(n)!);
    }
    if (spans.size > 0) groups.push({ start: here, end: here + shown.length, others, claim, spans });
    if (shown === '' && makesAddress(since(Math.max(0, here - LOOK_BACK_LENGTH)), next)) shown = ' ';
    markersEnd = here + shown.length;
    return shown;
  }

  function tellRemoved(numbers: number[], verified: number[], isLink: boolean): void {
    for (const n of numbers) {
      const isKnown = possible[n - 1] !== undefined;
      const why = isLink ? 'link' : isKnown ? 'unsupported' : 'unknown';
      if (!verified.includes(n)) onRemoved?.({ marker: String(n), claim, why });
    }
  }

  /** The supported spans by marker number. */
  function verify(tokens: { token: string }[], here: number): Map<number, Span> {
    const numbers = new Set(tokens.flatMap(({ token }) => (isInterval(token) ? [] : numbersOf(token))));
    const places = [...numbers].filter((n) => Number.isInteger(n) && n >= 1 && n <= possible.length).map((n) => n - 1);
    if (places.length === 0) return new Map();
    const key = places.join();
    const known = checked.get(key);
    if (known) return known;
    const context = `${query.slice(0, LOOK_BACK_LENGTH)}\n${since(Math.max(0, here - LOOK_BACK_LENGTH))}`;
    const spans = new Map(Array.from(verifier.check(claim, context, places), ([place, span]) => [place + 1, span]));
    checked.set(key, spans);
    return spans;
  }

  /** What each number cites, from the first supporting sentence to the last. */
  function citedSpans(): Map<number, Span> {
    const cited = new Map<number, Span>();
    for (const { spans, isRemoved } of groups)
      for (const [n, { start, end }] of isRemoved ? [] : spans) {
        const known = cited.get(n) ?? { start, end };
        cited.set(n, { start: Math.min(known.start, start), end: Math.max(known.end, end) });
      }
    return cited;
  }

  return {
    groups,
    pass: (piece) => (heldBack === '' && isPlain(piece) ? piece : process(heldBack + piece, false)),
    rest: () => (heldBack === '' ? '' : process(heldBack, true)),
    citations() {
      const cited = citedSpans();
      const text = cited.size > 0 ? answer.textFrom(0) : '';
      // An answer that was stopped or cut at the maximum length lacks markers that passed.
      const shown = [...cited].filter(([n]) => text.includes(`[${n}]`)).sort(([a], [b]) => a - b);
      return Object.fromEntries(
        shown.map(([n, { start, end }]) => {
          const whole = possible[n - 1]!;
          return [String(n), { ...whole, text: whole.text.slice(start, end) }];
        }),
      );
    },
  };
}

/** Whether the piece contains no marker, no beginning of one and no white space that may come before one. */
const isPlain = (piece: string): boolean => openingAt(piece, 0) < 0 && !isBlank(piece, piece.length - 1);

const isBlank = (text: string, at: number): boolean => text[at] === ' ' || text[at] === '\t';

/**
 * Whether a text, and what follows a removed marker from its first character on, may become an address or a tag that the
 * filter of addresses has not seen, or another one than it has seen.
 */
export const makesAddress = (text: string, next: string | undefined): boolean =>
  next === '/' ||
  ((next === '(' || next === ':') && text.endsWith(']')) ||
  /(?:(?<![a-z\d])w{1,3}|(?:\/\/|(?<![a-z\d])www\.)\S*)$/i.test(text) ||
  /<(?:[a-z/!][^>]*)?$/i.test(text);

/** Passages count from 1: `[0, 255]` is an interval of numbers. */
const isInterval = (token: string): boolean => /[,;–-]/.test(token) && numbersOf(token).includes(0);

function leadBefore(text: string, at: number, from: number): number {
  let lead = at;
  while (lead > from && at - lead < MAX_SPACE_BEFORE && isBlank(text, lead - 1)) lead--;
  return lead;
}

/** A part of passage `found`. */
interface QuotedSpan extends Span {
  found: number;
}

/**
 * Numbers quotes in order. Quotes from one paragraph of a passage share a number, and a citation that spans from the first
 * to the last of them.
 */
export function createCitationList(found: Found[]): {
  /** Returns the marker. */
  cite(part: QuotedSpan): string;
  citations(): Citations;
} {
  const spans: QuotedSpan[] = [];

  return {
    cite({ found: place, start, end }) {
      const between = (one: QuotedSpan): string =>
        found[place]!.text.slice(Math.min(one.end, end), Math.max(one.start, start));
      const known = spans.findIndex((one) => one.found === place && !between(one).includes('\n'));
      const span = spans[known];
      if (!span) return `[${spans.push({ found: place, start, end })}]`;
      span.start = Math.min(span.start, start);
      span.end = Math.max(span.end, end);
      return `[${known + 1}]`;
    },
    citations: () =>
      Object.fromEntries(
        spans.map(({ found: place, start, end }, i) => [
          String(i + 1),
          citation(found[place]!, found[place]!.text.slice(start, end)),
        ]),
      ),
  };
}
