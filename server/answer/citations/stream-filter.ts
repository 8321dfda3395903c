import type { Found } from '../../knowledge/search/found.ts';
import type { Span } from '../../knowledge/text/sentences.ts';
import type { Citation, Citations } from '../../types.ts';
import { claimOf, hasWords } from './claim.ts';
import { codeStateAfter, NO_CODE } from './code-state.ts';
import { groupAt, mayContinue, numbersOf, openingAt, tokensOf } from './syntax.ts';
import { createVerifier } from './verify.ts';

/** Markers, the `[1]` that stands for a citation in a text. */

// It does not begin within white space: a long stretch of it would be read again from each of its places.
const MARKER = /(?<![ \t])[ \t]*\[(\d{1,3}(?:\.\d{1,2})?)\]/g;
/** A source's own `[3]`, a footnote perhaps, must not pass for a marker of ours. */
export const withoutMarkers = (text: string): string => text.replace(MARKER, '');

export const citation = ({ source }: Found, text: string): Citation => ({
  data_source_uuid: source.uuid,
  title: source.title,
  text,
  file_name: source.file_name,
  type: source.type,
});

/** The most white space before a marker that goes with it when it is taken out. */
const MAX_SPACE_BEFORE = 8;
/** So much of the text before a marker is looked at (UTF-16 units). */
const LOOK_BACK_LENGTH = 1000;

/** The answer so far; `Run` is one. */
export interface AnswerText {
  /** UTF-16 units. */
  readonly appended: number;
  /** The text from an offset on. */
  textFrom(from: number): string;
}

export interface MarkerFilter {
  /** What of the text may be shown now; to be appended to the answer before the next piece comes. */
  pass(piece: string): string;
  /** What was held back until the end. */
  rest(): string;
  /** What the markers in the answer stand for. */
  citations(): Citations;
}

/**
 * Markers of a model's streamed text, each decided when it has arrived: it passes where its passage was given and bears the
 * sentence before it. All others are taken out before anybody sees them; with no passages (a chatbot that shows no
 * citations) all are. What stands in code is none.
 */
export function createMarkerFilter(given: Found[], query: string, answer: AnswerText): MarkerFilter {
  // An open stream keeps what a citation needs, and not what the search found out beside it.
  const possible = given.map((one) => citation(one, one.text));
  const verifier = createVerifier(
    given.map(({ source, headings, text, entry }) => ({ head: [source.title, ...headings].join('\n'), text, entry })),
  );
  const cited = new Map<number, Span>();
  let held = '';
  /** What this piece adds to an answer of `base` units. */
  let out = '';
  let base = 0;
  let code = NO_CODE;
  /** How far the answer has been read for code; where the last markers ended, and what they stood for. */
  let read = 0;
  let clause = 0;
  let claim = '';

  const since = (from: number): string => (from < base ? answer.textFrom(from) + out : out.slice(from - base));
  // An answer does not begin with white space: offsets are the reader's own.
  const say = (text: string): void => void (out += base + out.length === 0 ? text.trimStart() : text);

  function take(text: string, isLast: boolean): string {
    base = answer.appended;
    out = '';
    let from = 0;
    let at = openingAt(text, 0);
    const isWhole = (opening: number): boolean => isLast || !mayContinue(text, opening);
    while (at >= 0 && isWhole(at)) {
      const group = groupAt(text, at);
      if (group) {
        const lead = leadBefore(text, at, from);
        say(text.slice(from, lead));
        from = at + group.length;
        say(decided(text.slice(lead, at), group, text[from]));
      }
      at = openingAt(text, group ? from : at + 1);
    }
    const end = isLast ? text.length : leadBefore(text, at < 0 ? text.length : at, from);
    say(text.slice(from, end));
    held = text.slice(end);
    return out;
  }

  /** What is shown of markers that stand together, `lead` before them and `next` behind. */
  function decided(lead: string, group: string, next: string | undefined): string {
    const here = base + out.length;
    code = codeStateAfter(code, since(read));
    read = here;
    const tokens = tokensOf(group);
    if (code.fence !== '' || code.ticks > 0) return lead + group;
    const before = since(Math.max(clause, here - LOOK_BACK_LENGTH));
    if (hasWords(before)) claim = claimOf(before);
    // `[1](` and, at the beginning of a line, `[1]:` would be links of the text's own making.
    const isLink = next === '(' || (next === ':' && code.fresh);
    const supported = isLink ? new Map<number, Span>() : verified(tokens, here);
    let shown = '';
    for (const { between, token } of tokens) {
      const kept = isInterval(token) ? [] : numbersOf(token).filter((n) => supported.has(n));
      const marks = isInterval(token) ? token : kept.map((n) => `[${n}]`).join('');
      if (marks !== '') shown += (shown === '' ? lead : between) + marks;
      for (const n of kept) cite(n, supported.get(n)!);
    }
    clause = here + shown.length;
    return shown;
  }

  function verified(tokens: { token: string }[], here: number): Map<number, Span> {
    const numbers = new Set(tokens.flatMap(({ token }) => (isInterval(token) ? [] : numbersOf(token))));
    const places = [...numbers].filter((n) => Number.isInteger(n) && n >= 1 && n <= possible.length).map((n) => n - 1);
    if (places.length === 0) return new Map();
    const borne = verifier.check(
      claim,
      `${query.slice(0, LOOK_BACK_LENGTH)}\n${since(Math.max(0, here - LOOK_BACK_LENGTH))}`,
      places,
    );
    return new Map(Array.from(borne, ([place, span]) => [place + 1, span]));
  }

  /** A passage cited for several sentences is quoted from the first of them to the last. */
  function cite(n: number, { start, end }: Span): void {
    const known = cited.get(n) ?? { start, end };
    cited.set(n, { start: Math.min(known.start, start), end: Math.max(known.end, end) });
  }

  return {
    pass: (piece) => (held === '' && isPlain(piece) ? piece : take(held + piece, false)),
    rest: () => (held === '' ? '' : take(held, true)),
    citations() {
      const text = cited.size > 0 ? answer.textFrom(0) : '';
      // An answer that was stopped or cut has not all that was passed.
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

/** Nothing in it is or becomes a marker, nor white space before one. */
const isPlain = (piece: string): boolean => openingAt(piece, 0) < 0 && !isBlank(piece, piece.length - 1);

const isBlank = (text: string, at: number): boolean => text[at] === ' ' || text[at] === '\t';

/** `[0, 255]` counts nothing that was given. */
const isInterval = (token: string): boolean => /[,;–-]/.test(token) && numbersOf(token).includes(0);

function leadBefore(text: string, at: number, from: number): number {
  let lead = at;
  while (lead > from && at - lead < MAX_SPACE_BEFORE && isBlank(text, lead - 1)) lead--;
  return lead;
}

/** A part of one of the passages found. */
interface QuotedSpan extends Span {
  found: number;
}

/**
 * Numbers the quotes in the order in which they are made. Parts of one paragraph share a number, and a citation that is
 * the span from the first to the last of them, word for word as the passage has it; another paragraph is another place.
 */
export function createCitationList(found: Found[]): {
  mark(part: QuotedSpan): string;
  citations(): Citations;
} {
  const spans: QuotedSpan[] = [];

  return {
    mark({ found: place, start, end }) {
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
