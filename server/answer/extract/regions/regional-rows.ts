import type { Found } from '../../../knowledge/search/found.ts';
import type { Query } from '../../../knowledge/search/query.ts';
import type { LanguageCode } from '../../../knowledge/text/languages.ts';
import { eachWord, rootOf } from '../../../knowledge/text/tokenizer.ts';
import { minHeld, SYNONYM, UNSURE_HELD } from '../threshold.ts';
import { membersOf } from './containment.ts';
import { EXCLUDED, hasLabels, isNaming, linesOf, type Line } from './lines.ts';
import { placesIn } from './names.ts';

interface Place {
  found: number;
  at: number;
}

/** Lines of a table or list, as indexes of passages and sentences. */
interface RegionalRows {
  rows: Place[];
  /** The page itself names the country there. */
  isNamed: boolean;
  /** So it does, and has words for most of the question. */
  isSure: boolean;
}

interface FoundLine extends Line, Place {
  page: string;
  /** 0 to 1: the share of the rest of the question that its passage has words for. */
  held: number;
}

/** UTF-16 units of a question, languages of a site, and lines for one country: standard, express. */
const [MAX_QUESTION, MAX_LANGUAGES, MAX_ROWS] = [1000, 4, 4];
/** From here on to below 1 a root is a likely spelling of the word: not “post” for “kost”. */
const LIKELY_SPELLING = 0.9;
/** The share of what is needed for a sure answer from which on lines with the kind of thing asked for are told. */
const TYPED_HELD = 0.3;

/**
 * The lines for a country that the question names, where a page tells of places line by line: those that name it, or a sentence of the
 * page that does; else those for the smallest region that it is in, “Rest of the world” among them. Undefined where none is about
 * the rest of the question, and where `picks`, the sentences that would be quoted, are better.
 */
export function regionalRows(query: Query, found: Found[], picks: readonly Place[]): RegionalRows | undefined {
  if (!found.some(hasLabels)) return undefined;
  const { text, language, siteLanguages } = query;
  const languages = [
    ...new Set<LanguageCode>([...siteLanguages.slice(0, MAX_LANGUAGES), language.detected ?? 'en', 'en']),
  ];
  const places = placesIn(text.slice(0, MAX_QUESTION), languages);
  const asked = places.filter(({ code }) => membersOf(code).length === 1);
  if (asked.length === 0) return undefined;
  const named = new Set(places.flatMap(({ start, end }) => rootsIn(text.slice(start, end))));
  const heldIn = found.map((passage) => shareOf(query, passage, named));
  const needed = minHeld(query, found);
  const lines = found.flatMap((passage, at): FoundLine[] => {
    const held = heldIn[at]!;
    const least = query.hasAnswerType?.(passage.text) ? TYPED_HELD : UNSURE_HELD;
    if (held < least * needed) return [];
    return linesOf(passage, languages).map((line) => ({ ...line, found: at, page: passage.source.uuid, held }));
  });
  const inTables = lines.filter(({ page }) => lines.filter((line) => line.isRow && line.page === page).length > 1);
  const rows = [...new Set(asked.flatMap(({ code }) => closestTo(code, inTables)))].slice(0, MAX_ROWS);
  const isPicked = (row: Place): boolean => picks.some((pick) => pick.found === row.found && pick.at === row.at);
  const isNamed = asked.every(({ code, isCity }) => !isCity && rows.some(({ sizeFor }) => isNaming(sizeFor(code))));
  const [pick] = picks;
  const isElsewhere =
    pick &&
    heldIn[pick.found]! > Math.max(...rows.map(({ held }) => held)) &&
    query.hasAnswerType?.(found[pick.found]!.text) !== false;
  if (rows.length === 0 || isElsewhere || (isNamed && rows.every((row) => !row.isRow && isPicked(row))))
    return undefined;
  return { rows, isNamed, isSure: isNamed && rows.some(({ held }) => held >= needed) };
}

/** Those of one passage, the one that is most about the question. */
function closestTo(country: string, lines: FoundLine[]): FoundLine[] {
  const sizeOf = (line: Line): number => (line.sizeFor(country) === EXCLUDED ? Infinity : line.sizeFor(country));
  const least = Math.min(...lines.map(sizeOf));
  const isClosest = (line: Line): boolean =>
    least === Infinity ? line.sizeFor(country) === EXCLUDED : sizeOf(line) === least;
  const closest = lines.filter(isClosest);
  const [first] = closest.toSorted((a, b) => b.held - a.held);
  return closest.filter((line) => line.found === first?.found);
}

/** 0 to 1: the share of the question's worth, without its places, that a passage has words for. */
function shareOf({ terms, termByRoot }: Query, { match }: Found, places: ReadonlySet<string>): number {
  const told = new Set<number>();
  for (const root of [...match.head, ...match.sentences().flatMap(({ roots }) => roots)]) {
    const term = termByRoot.get(root);
    if (term && term.share >= SYNONYM && !isCorrection(term.share)) told.add(term.term);
  }
  let [held, all] = [0, 0];
  for (const [at, { word, worth, loss, isGuess }] of terms.entries()) {
    if (places.has(rootOf(word))) continue;
    held += told.has(at) && !isGuess ? worth : 0;
    all += told.has(at) ? worth : loss;
  }
  return held / (all || 1);
}

const isCorrection = (share: number): boolean => share >= LIKELY_SPELLING && share < 1;

function rootsIn(text: string): string[] {
  const roots: string[] = [];
  eachWord(text, (word) => roots.push(rootOf(word)));
  return roots;
}
