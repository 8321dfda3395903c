import type { Found } from '../../../knowledge/search/found.ts';
import type { LanguageCode } from '../../../knowledge/text/languages.ts';
import { Layout } from '../layout.ts';
import { membersOf } from './containment.ts';
import { placesIn } from './names.ts';
import { territoryOf } from './territory.ts';

/** A row of a table or a line with a label that is for some countries, or a sentence that names some. */
export interface Line {
  /** The index of the sentence in its passage. */
  at: number;
  isRow: boolean;
  /**
   * How many countries it is for, if a country is one of them: less than 1 where it names the country itself. Infinity if not, and
   * `EXCLUDED` where it says so.
   */
  sizeFor(country: string): number;
}

export const EXCLUDED = -1;
export const isNaming = (size: number): boolean => size >= 0 && size < 1;

/** What of a line may name a place: `Zone: Europe; …`, `Europe — …`, `Europe: …`. */
const LABEL = /^([^:;—–]{1,160}?)\s*(?:[:—–]|(?<= )-)\s+(?:([^:;—]{1,160})(?:;|$))?/u;
/** UTF-16 units of a label that is not of a list or table. */
const MAX_LABEL = 60;
/** UTF-16 units of a sentence without a label. */
const MAX_UNLABELLED = 400;
/** Of two that are for as many countries the row is closer than the sentence. */
const SENTENCE = 0.5;

/** Whether two sentences at least have labels: else no line is for a place. */
export const hasLabels = ({ match }: Found): boolean =>
  match.sentences().filter(({ text }) => LABEL.test(text)).length > 1;

export function linesOf({ text, match }: Found, languages: readonly LanguageCode[]): Line[] {
  const layout = new Layout(text, match.sentences());
  const starts = layout.sentences.map((_, at) => at).filter((at) => layout.items[at]! < 0 || layout.items[at] === at);
  const rows = starts.flatMap((at) => rowAt(layout, at, languages) ?? []);
  const others = starts.filter((at) => layout.items[at]! < 0 && !rows.some((row) => row.at === at));
  return [...rows, ...others.map((at) => sentenceAt(layout, at, languages, rows.length > 0))];
}

function rowAt(layout: Layout, at: number, languages: readonly LanguageCode[]): Line | undefined {
  const isItem = layout.items[at] === at;
  // Within a paragraph, and behind many words, a colon or dash ends no label.
  if (!isItem && layout.isInParagraph(at) && at > 0) return undefined;
  const line = isItem ? layout.itemText(at) : layout.sentences[at]!.text;
  const found = (LABEL.exec(line) ?? []).slice(1).filter((label) => label !== undefined);
  const labels = found.filter((label) => isItem || label.length <= MAX_LABEL);
  const territory = labels.map((label) => territoryOf(label, languages)).findLast((one) => one !== undefined);
  if (!territory) return undefined;
  const { members, named, excluded } = territory;
  // “Europe 1 (France, Germany)” is for less of Europe than “Rest of Europe” is.
  const size = members.size + (named.size > 0 && named.size < members.size ? SENTENCE / 2 : 0);
  const sizeFor = (country: string): number => {
    if (excluded.has(country)) return EXCLUDED;
    return named.has(country) ? 0 : members.has(country) ? size : Infinity;
  };
  return { at, isRow: true, sizeFor };
}

/** `isBesideRows`: in another section “in the European Union” is about another thing. */
function sentenceAt(
  { sentences }: Layout,
  at: number,
  languages: readonly LanguageCode[],
  isBesideRows: boolean,
): Line {
  const { text } = sentences[at]!;
  // Most pages tell nothing line by line: then no sentence is read.
  let told: (readonly string[])[] | undefined;
  const read = (): (readonly string[])[] => {
    const places = text.length > MAX_UNLABELLED ? [] : placesIn(text, languages).map(({ code }) => membersOf(code));
    return isBesideRows ? places : places.filter(({ length }) => length === 1);
  };
  const sizeFor = (country: string): number => {
    told ??= read();
    const around = told.filter((members) => members.includes(country));
    return Math.min(Infinity, ...around.map(({ length }) => (length === 1 ? 0 : length))) + SENTENCE;
  };
  return { at, isRow: false, sizeFor };
}
