/** Numbers with their units, and ranges of them, as rows of tables and questions write them in any language. */

/** A number with what its unit measures, '' for none, and the size of that unit. */
interface Quantity {
  value: number;
  kind: string;
  size: number;
}

/** Its ends are numbers of its own unit. */
interface Range extends Omit<Quantity, 'value'> {
  low: number;
  high: number;
}

/** Units by what they measure, each with its size. */
const UNITS: Record<string, Record<string, number>> = {
  mass: {
    mg: 0.001,
    g: 1,
    gr: 1,
    gram: 1,
    grams: 1,
    gramm: 1,
    kg: 1000,
    kilo: 1000,
    kilos: 1000,
    lb: 453.6,
    lbs: 453.6,
  },
  length: { mm: 0.1, cm: 1, m: 100, km: 100_000, metre: 100, metres: 100, meter: 100, meters: 100 },
  volume: { ml: 1, cl: 10, l: 1000, litre: 1000, litres: 1000, liter: 1000, liters: 1000, litros: 1000, litri: 1000 },
  age: Object.fromEntries(
    'year years yrs jahr jahre jahren an ans año años anni ano anos jaar'.split(' ').map((one) => [one, 1]),
  ),
  euro: { '€': 1, eur: 1, euro: 1, euros: 1 },
  pound: { '£': 1, gbp: 1, pound: 1, pounds: 1 },
  dollar: { $: 1, usd: 1, dollar: 1, dollars: 1 },
};
const KINDS = new Map(
  Object.entries(UNITS).flatMap(([kind, units]) => Object.entries(units).map(([unit, size]) => [unit, { kind, size }])),
);

const NUMBER = '(?<![\\p{L}\\d.,:])([€£$] ?)?(\\d{1,6}(?:[.,]\\d{1,2})?)(?![\\d:]|[.,]\\d)(?:[ -]?([€£$]|\\p{L}+))?';
const TO = '\\s*(?:[-–—]|to|and|bis|und|à|et|a|y|al|e|tot|en)\\s*';
const BELOW = '<|under|below|less than|unter|weniger als|moins de|menos de|meno di|minder dan';
const UP_TO = "≤|up to|at most|max\\.?|bis(?: zu)?|jusqu[’']à|hasta|fino a|até|tot";
const ABOVE = '>|over|above|more than|über|mehr als|plus de|más de|oltre|più di|mais de|meer dan';
const FROM = '≥|from|at least|ab|dès|à partir de|desde|a partir de|da|vanaf';
const AND_MORE = '\\s*(?:\\+|(?:and|und|et|y|e|en) (?:over|older|more|up|above|mehr|älter|plus|más|più|mais|meer))';

const start = (words: string): RegExp => new RegExp(`(?<!\\p{L})(?:${words})\\s*${NUMBER}`, 'iu');
const BETWEEN = new RegExp(`${NUMBER}${TO}${NUMBER.replace('(?<![\\p{L}\\d.,:])', '')}`, 'iu');
const OPEN_END = new RegExp(`${NUMBER}${AND_MORE}`, 'iu');
const OPEN: [pattern: RegExp, sign: number, margin: number][] = [
  [start(BELOW), -1, -1],
  [start(UP_TO), -1, 0],
  [start(ABOVE), 1, 1],
  [start(FROM), 1, 0],
  [OPEN_END, 1, 0],
];
/** UTF-16 units of a question that are read. */
const MAX_READ = 400;
/** What “over” and “under” leave out. */
const EPSILON = 1e-6;

/** The range that a cell of a table is; undefined where it is none. */
export function rangeIn(cell: string, column = ''): Range | undefined {
  const ofColumn = /\((\p{L}+|[€£$])\)/u.exec(column)?.[1];
  const between = BETWEEN.exec(cell);
  if (between) {
    const [, sign, low = '', unit, sign2, high = '', unit2] = between;
    const known = [unit2, sign2, unit, sign, ofColumn].find(isUnit);
    const from = quantityOf(low, isUnit(unit) ? unit : known);
    const { value, kind, size } = quantityOf(high, isUnit(unit2) ? unit2 : known);
    const least = (from.value * from.size) / size;
    return least < value ? { low: least, high: value, kind, size } : undefined;
  }
  for (const [pattern, side, margin] of OPEN) {
    const found = pattern.exec(cell);
    if (!found) continue;
    const [, sign, number = '', unit] = found;
    const { value, kind, size } = quantityOf(number, [unit, sign, ofColumn].find(isUnit));
    const end = value + margin * EPSILON;
    return { low: side < 0 ? -Infinity : end, high: side < 0 ? end : Infinity, kind, size };
  }
  return undefined;
}

/** The numbers of a question; “over 65” is a little more than 65. */
export function quantitiesIn(question: string): Quantity[] {
  return Array.from(question.slice(0, MAX_READ).matchAll(new RegExp(NUMBER, 'giu')), (found) => {
    const [, sign, number = '', unit] = found;
    const { value, ...of } = quantityOf(number, [unit, sign].find(isUnit));
    const before = question.slice(0, found.index);
    const margin = endsWith(before, ABOVE) ? EPSILON : endsWith(before, BELOW) ? -EPSILON : 0;
    return { value: value + 2 * margin, ...of };
  });
}

/** Whether a number is in a range: of the same kind, or one of them of none. */
export function isIn({ value, kind, size }: Quantity, range: Range): boolean {
  const own = kind === range.kind ? (value * size) / range.size : value;
  return isOfKind(kind, range) && own >= range.low && own <= range.high;
}

export const isOfKind = (kind: string, range: Range): boolean =>
  kind === range.kind || kind === '' || range.kind === '';

function quantityOf(number: string, unit?: string): Quantity {
  const { kind, size } = KINDS.get(unit?.trim().toLowerCase() ?? '') ?? { kind: '', size: 1 };
  return { value: Number(number.replace(',', '.')), kind, size };
}

const isUnit = (unit?: string): boolean => unit !== undefined && KINDS.has(unit.trim().toLowerCase());
const endsWith = (text: string, words: string): boolean => new RegExp(`(?<!\\p{L})(?:${words})\\s*$`, 'iu').test(text);
