import type { Found, Sentence } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import { hasTypeAskedFor, isOnlyPrice, judge } from './certainty.ts';
import { composeQuotes, type QuotePiece } from './compose.ts';
import { refersBack } from './sentences/anaphora.ts';
import { regionalRows } from './regions/regional-rows.ts';
import { namedRow, rowByNumber } from './rows/named-row.ts';
import { isPickedByPrice } from './rows/price-sets.ts';
import { rank, type Ranking } from './rank.ts';
import { asPrefix, wholeAround, withPrefix, type Range } from './section.ts';
import { minConfidence, SYNONYM } from './threshold.ts';

/** A sentence of a passage, selected to answer without a model. */
interface QuotedSentence {
  /** One whole sentence, list item or table row as it stands in the passage. */
  text: string;
  /** The index of its passage in `found`. */
  found: number;
  /** The index of the sentence in its passage. */
  at: number;
}

/** A sentence, by the indexes of its passage and of itself. */
type Place = Pick<QuotedSentence, 'found' | 'at'>;

interface QuoteOptions {
  /** 3 by default. */
  maxSentences?: number;
  /** Below this confidence nothing is quoted; `minConfidence` by default. */
  threshold?: number;
  /** The least share of the best score; `MIN_SCORE_SHARE` by default. */
  minShare?: number;
  /** Passages with headings; no bound of their own by default. */
  maxSections?: number;
  /** Whether another passage than the best has to tell a word of the question that is not told yet; false by default. */
  needsNew?: boolean;
}

const MAX_SENTENCES = 3;
/** Of a sure answer. */
const MAX_SECTIONS = 2;
/** The least share of the best score with which a sentence is shown beside the best one. */
const MIN_SCORE_SHARE = 0.6;
/**
 * The same in a sure answer, and in one that is not sure or from a section with a heading. Less is shown for what it adds. On
 * half of SQuAD's articles what is told has 60 words, and the fact of 87 questions in 100 (`npm run bench -- retrieval`).
 */
const MIN_SURE_SHARE = 0.9;
const MIN_SECTION_SHARE = 0.75;
/** The least share of the question's worth that a sentence adds which is shown all the same. */
const MIN_ADDED = 0.2;
/**
 * What another passage has to add to an answer that is not sure: a share of the question's worth, or the kind of thing asked for;
 * else it scores nearly as much as the best. On half of SQuAD's articles .873 are told right so, and .848 with no such exception.
 */
const MIN_NEW = 0.05;
const NEARLY_EQUAL = 0.87;

/** Yields the best sentences, best first; none below the threshold. Of a passage that is quoted whole it yields one. */
export function* selectQuotes(query: Query, found: Found[], options: QuoteOptions = {}): Generator<QuotedSentence> {
  yield* selectSentences(rank(query, found), query, found, { threshold: minConfidence(query, found), ...options });
}

function* selectSentences(
  { candidates, confidence }: Ranking,
  query: Query,
  passages: Found[],
  {
    maxSentences = MAX_SENTENCES,
    minShare = MIN_SCORE_SHARE,
    maxSections = Infinity,
    needsNew = false,
    threshold,
  }: QuoteOptions & { threshold: number },
): Generator<QuotedSentence> {
  if (confidence < threshold) return;
  const selected: Sentence[] = [];
  const wholes = new Set<string>();
  const sections = new Set<number>();
  const told = new Set<number>();
  const headed: string[] = [];
  // “He speaks Polish” is another thing under another name.
  const isRepeated = (sentence: Sentence, { headings, text }: Found): boolean =>
    selected.some(
      (other, at) =>
        areAlike(sentence, other) && (headed[at] === headings.join('\n') || !refersBack(sentence.text, text)),
    );
  const isHere = candidates[0] && passages[candidates[0].found]!.match.isHere;
  for (const { sentence, found, at, score } of candidates) {
    const share = score / candidates[0]!.score;
    if (share < MIN_SCORE_SHARE) return;
    const passage = passages[found]!;
    const whole = wholeAround(passage, sentence.start);
    const place = whole && `${found}:${whole.start}`;
    if ((place && wholes.has(place)) || isRepeated(sentence, passage)) continue;
    const terms = termsIn(whole ? rootsOf(passage, whole) : sentence.roots, query);
    const hasHeading = passage.headings.length > 0;
    const least = hasHeading ? Math.min(minShare, MIN_SECTION_SHARE) : minShare;
    const added = worthOf(terms, told, query);
    // Who stands on one of two pages that say the same is told what that one says.
    const isElsewhere = isHere && passage.match.isHere !== true;
    if ((share < least || isElsewhere) && added < MIN_ADDED) continue;
    const isOther = selected.length > 0 && found !== candidates[0]!.found;
    const isTyped = query.hasAnswerType?.(sentence.text) && !hasTypeAskedFor(query, selected);
    if (needsNew && isOther && added < MIN_NEW && share < NEARLY_EQUAL && !isTyped) continue;
    if (hasHeading && !sections.has(found) && sections.size >= maxSections) continue;
    // Another paragraph of a section that has been quoted.
    const isSame = selected.length > 0 && found === candidates[0]!.found;
    if (whole && isSame && minShare > MIN_SCORE_SHARE && added === 0) continue;
    for (const term of terms) told.add(term);
    if (hasHeading) sections.add(found);
    selected.push(sentence);
    headed.push(passage.headings.join('\n'));
    if (place) wholes.add(place);
    yield { text: sentence.text, found, at };
    if (selected.length >= maxSentences) return;
  }
}

const rootsOf = ({ match }: Found, { start, end }: Range): number[] => [
  ...match.head,
  ...match.sentences().flatMap((sentence) => (sentence.start >= start && sentence.start < end ? sentence.roots : [])),
];

/** The terms of the question that some roots say, themselves or by a synonym. */
function termsIn(roots: number[], { termByRoot }: Query): number[] {
  const terms = roots.map((root) => termByRoot.get(root)).filter((term) => term !== undefined);
  return terms.filter(({ share }) => share >= SYNONYM).map(({ term }) => term);
}

/** 0 to 1: the share of the question's worth that the terms have which are not yet told. */
function worthOf(terms: number[], told: ReadonlySet<number>, { terms: all, totalWorth }: Query): number {
  const added = new Set(terms.filter((term) => !told.has(term)));
  return [...added].reduce((sum, term) => sum + all[term]!.worth, 0) / (totalWorth || 1);
}

/** 0 to about 1: how likely it is that the passages answer the question. */
export const confidence = (query: Query, found: Found[]): number => rank(query, found).confidence;

/** An answer made of quotations. */
export interface QuotedAnswer {
  /** Empty where no sentence reaches the threshold. */
  pieces: QuotePiece[];
  isFromSeveralPages: boolean;
  /** 0 to 1: the share of the question’s weight that the best sentence covers itself. */
  restated: number;
  /** The owner wrote it as a question and answer. */
  isOwnersAnswer: boolean;
  /** The closest that was found, which may not answer. */
  isUnsure: boolean;
}

/** The best sentences, composed in reading order. */
export function selectAnswer(query: Query, found: Found[], options: QuoteOptions = {}): QuotedAnswer {
  const ranking = rank(query, found);
  const certainty = options.threshold === undefined ? judge(ranking, query, found).certainty : 'sure';
  const shown = query.isLongForm
    ? {}
    : certainty === 'sure'
      ? { minShare: MIN_SURE_SHARE, maxSections: MAX_SECTIONS }
      : { minShare: MIN_SECTION_SHARE, needsNew: true };
  const picks =
    certainty === 'none' ? [] : [...selectSentences(ranking, query, found, { threshold: 0, ...shown, ...options })];
  // An answer that the owner wrote is complete.
  const isOwnersAnswer = picks[0] !== undefined && found[picks[0].found]!.source.type === 'qa';
  const isAsked = picks[0] !== undefined && found[picks[0].found]!.match.asked === true;
  const isExact = picks[0] !== undefined && found[picks[0].found]!.match.exact;
  const isPrice = isOnlyPrice(ranking, query, found);
  const own = isOwnersAnswer || isPrice ? picks.slice(0, 1) : picks;
  const row = isOwnersAnswer || isAsked || isPrice ? undefined : rowFor(query, found, own);
  const selected = row?.quoted ?? own;
  const pieces = composeQuotes(selected, found, query, row?.rows);
  const pages = new Set(selected.map((pick) => found[pick.found]!.source.uuid));
  const isUnsure =
    row?.isUnsure === true ||
    (pieces.length > 0 && !isAsked && !isExact && isPickedByPrice(query, found, pieces)) ||
    (certainty !== 'sure' && pieces.length > 0 && row?.isSure !== true) ||
    ((certainty === 'sure' || row?.isSure === true) &&
      !isOwnersAnswer &&
      !isAsked &&
      !isPrice &&
      !hasTypeAskedFor(query, pieces));
  return {
    pieces: isUnsure ? pieces.map((piece, at) => underItsQuestion(piece, found, pieces[at - 1])) : pieces,
    isFromSeveralPages: pages.size > 1,
    restated: ranking.candidates[0]?.restated ?? 0,
    isOwnersAnswer,
    isUnsure,
  };
}

/** “No, sorry.”, written to one question, would be read as the answer to another. `before`: what is quoted before it. */
function underItsQuestion(piece: QuotePiece, found: Found[], before: QuotePiece | undefined): QuotePiece {
  const { source, headings } = found[piece.found]!;
  if (source.type !== 'qa' || before?.found === piece.found) return piece;
  return { ...piece, text: withPrefix(asPrefix(headings[0] ?? ''), piece.text) };
}

/** What is quoted where a row of a table is asked for by what it stands for. */
interface RowAskedFor {
  quoted: Place[];
  /** Those of `quoted` beside which nothing of their tables is told. */
  rows: Place[];
  isSure: boolean;
  isUnsure: boolean;
}

function rowFor(query: Query, found: Found[], picks: Place[]): RowAskedFor | undefined {
  const named = picks.length > 0 ? namedRow(query, found, picks) : undefined;
  const regional = regionalRows(query, found, picks);
  const isMeant = (by: Place): boolean =>
    !regional || regional.rows.some((row) => row.found === by.found && row.at === by.at);
  if (named && isMeant(named.by))
    return { quoted: [named.row, named.by], rows: [named.row], isSure: named.isSure, isUnsure: false };
  if (regional)
    return { quoted: regional.rows, rows: regional.rows, isSure: regional.isSure, isUnsure: !regional.isNamed };
  const { row, isOutside } = rowByNumber(query, found, picks);
  const rows = row ? [row] : undefined;
  return rows || isOutside
    ? { quoted: rows ?? picks, rows: rows ?? [], isSure: false, isUnsure: isOutside }
    : undefined;
}

/** Above 0.7 of their different words shared, two sentences count as repetitions. */
function areAlike(a: Sentence, b: Sentence): boolean {
  const rootsOfA = new Set(a.roots);
  const rootsOfB = new Set(b.roots);
  let shared = 0;
  for (const root of rootsOfA) if (rootsOfB.has(root)) shared++;
  return a.text === b.text || shared > 0.7 * (rootsOfA.size + rootsOfB.size - shared);
}
