import type { Found, Sentence } from '../../../knowledge/search/found.ts';
import type { Query } from '../../../knowledge/search/query.ts';
import { eachWord, rootOf } from '../../../knowledge/text/tokenizer.ts';
import { Layout } from '../layout.ts';
import { isIn, isOfKind, quantitiesIn, rangeIn } from './numbers.ts';
import { minHeld, SYNONYM } from '../threshold.ts';

interface Place {
  found: number;
  at: number;
}

/** A row or an item, and the sentence by which it is the one that is asked for, as indexes of passages and sentences. */
export interface NamedRow {
  row: Place;
  by: Place;
  /** Both have words for most of the question. */
  isSure: boolean;
}

/** What a row or an item begins with: `Zone: Europe; …`, `Europe — …`, `Europe: …`. */
const LABELS = /^([^:;—]{1,60})(?:: | — )(?:([^:;—]{1,60})(?:;|$))?/;
/** Passages that are looked at, and UTF-16 units of the sentence. */
const [MAX_PASSAGES, MAX_SENTENCE] = [6, 500];
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * The row for a thing that no row names, where a sentence of the page says what it belongs to: “Europe includes Norway”. Undefined
 * where a row names it, where the row tells nothing that is asked, and where `picks`, the sentences that would be quoted, have
 * neither the sentence nor a row of the same passage.
 */
export function namedRow(query: Query, found: Found[], picks: readonly Place[]): NamedRow | undefined {
  const { terms, implied, hasAnswerType } = query;
  const places = found.slice(0, MAX_PASSAGES).map((passage, at) => ({ at, passage, ...rowsIn(passage) }));
  const rows = places.flatMap(({ rows: some }) => some);
  if (rows.length === 0) return undefined;
  for (let term = 0; term < implied; term++) {
    if (terms[term]!.worth === 0 || rows.some((row) => row.roots.some((root) => says(query, root, term)))) continue;
    for (const by of places)
      for (const { at, sentence } of by.sentences) {
        if (!sentence.roots.some((root) => says(query, root, term))) continue;
        const named = places
          .filter(({ passage }) => passage.source.uuid === by.passage.source.uuid)
          .flatMap((place) =>
            place.rows.filter((row) => isNamedIn(row.text, sentence.text)).map((row) => ({ place, row })),
          );
        const [only] = named;
        if (named.length !== 1 || !only) continue;
        const isPicked = picks.some(
          (pick) =>
            (pick.found === by.at && pick.at === at) || (pick.found === only.place.at && only.place.isRow(pick.at)),
        );
        if (!isPicked) continue;
        const around = [...only.row.roots, ...only.place.passage.match.head];
        const told = new Set([...around, ...sentence.roots]);
        const isAsked = around.some((root) => query.termByRoot.has(root)) || hasAnswerType?.(only.row.text);
        if (!isAsked) continue;
        const held = terms.reduce((sum, { worth }, one) => sum + (hasAny(query, told, one) ? worth : 0), 0);
        return {
          row: { found: only.place.at, at: only.row.at },
          by: { found: by.at, at },
          isSure: held >= minHeld(query, found) * query.totalWorth,
        };
      }
  }
  return undefined;
}

/**
 * The one row of a quoted table whose label, or whose column that the question names, is a range with a number of the question:
 * “7 kg” is in “5 to 10 kg”. `isOutside`: the label's ranges are of that kind, and none has it.
 */
export function rowByNumber(
  { question }: Query,
  found: Found[],
  picks: readonly Place[],
): { row?: Place; isOutside: boolean } {
  const numbers = quantitiesIn(question);
  let isOutside = false;
  for (const at of numbers.length > 0 ? new Set(picks.map((pick) => pick.found)) : []) {
    const { rows, isRow } = rowsIn(found[at]!);
    const asked = wordsIn(question);
    const ranged = rows
      .map((row) => ({ row, ranges: rangesOf(row.text, asked) }))
      .filter((one) => one.ranges.length > 0);
    if (ranged.length < 2) continue;
    const fitting = ranged.filter(({ ranges }) =>
      numbers.some((number) => ranges.some((range) => isIn(number, range))),
    );
    if (fitting.length === 1) return { row: { found: at, at: fitting[0]!.row.at }, isOutside: false };
    const isMeant = numbers.some(
      ({ kind }) => kind !== '' && ranged.every(({ ranges }) => ranges.some((one) => isOfKind(kind, one))),
    );
    isOutside ||= fitting.length === 0 && isMeant && picks.some((pick) => pick.found === at && isRow(pick.at));
  }
  return { isOutside };
}

/** Of the first cell of a row, and of those whose columns the question names. */
const rangesOf = (row: string, asked: ReadonlySet<string>) =>
  row.split(/; | — /).flatMap((cell, at) => {
    const [, column = '', value = cell] = /^([^:]+): (.*)$/s.exec(cell) ?? [];
    const isNamed = column !== '' && [...wordsIn(column)].some((word) => asked.has(word));
    const range = at === 0 || isNamed ? rangeIn(value, column) : undefined;
    // “4 to 7 days” beside the first cell is what a row tells, not what it is for.
    return range && (at === 0 || range.kind !== '') ? range : [];
  });

const MIN_ROWS = 3;
const NAME = /^\p{Lu}[^\d]*$/u;

/** Whether most rows of a table, three at least, begin with a name. */
export function namesRows(found: Found): boolean {
  const { rows } = rowsIn(found);
  const named = rows.filter(({ text }) => {
    const [, first = '', second] = LABELS.exec(text) ?? [];
    return NAME.test(second ?? first);
  });
  return named.length >= MIN_ROWS && named.length > rows.length / 2;
}

interface Row {
  at: number;
  text: string;
  roots: number[];
}

interface RowsOfPassage {
  rows: Row[];
  sentences: { at: number; sentence: Sentence }[];
  isRow(at: number): boolean;
}

function rowsIn({ text, match }: Found): RowsOfPassage {
  const layout = new Layout(text, match.sentences());
  const rows = layout.items.flatMap((item, at) =>
    item === at ? [{ at, text: layout.itemText(at), roots: rootsOf(layout, at) }] : [],
  );
  const sentences = layout.sentences.flatMap((sentence, at) =>
    layout.items[at]! < 0 && sentence.text.length <= MAX_SENTENCE ? [{ at, sentence }] : [],
  );
  return { rows, sentences, isRow: (at) => layout.items[at]! >= 0 };
}

const rootsOf = ({ items, sentences }: Layout, item: number): number[] =>
  sentences.flatMap(({ roots }, at) => (items[at] === item ? roots : []));

const says = ({ termByRoot }: Query, root: number, term: number): boolean => {
  const found = termByRoot.get(root);
  return found?.term === term && found.share >= SYNONYM;
};

const hasAny = (query: Query, roots: Iterable<number>, term: number): boolean =>
  [...roots].some((root) => says(query, root, term));

/** Whether a row is called by its label, in so many letters: a word such as `M` alone is none that is searched for. */
export function labelIsIn(row: string, question: string): boolean {
  const asked: string[] = question.match(WORD) ?? [];
  return (LABELS.exec(row) ?? []).slice(1).some((label = '') => {
    const words = label.match(WORD) ?? [];
    return words.length > 0 && words.every((word) => asked.includes(word)) && /^\P{Ll}+$/u.test(label);
  });
}

/** Whether a sentence has all words of a row's label. */
function isNamedIn(row: string, sentence: string): boolean {
  const words = wordsIn(sentence);
  return (LABELS.exec(row) ?? []).slice(1).some((label = '') => {
    const own = wordsIn(label);
    return own.size > 0 && [...own].every((word) => words.has(word));
  });
}

function wordsIn(text: string): Set<string> {
  const words = new Set<string>();
  eachWord(text, (word) => words.add(rootOf(word)));
  return words;
}
