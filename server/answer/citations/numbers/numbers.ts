import { calendarOf } from '../../../knowledge/text/locale/locale.ts';

/** Reads numbers as values, so that `1,500`, `1.500` and `١٥٠٠` are equal, and `17:00` and `5 pm`. */

const NUMBER = /(?<![A-Za-z\p{Nd}])\p{Nd}+(?:[.,’'\u00a0\u202f]\p{Nd}+)*/gu;
/** Thousands with one separator between all groups, and another before the decimals. */
const GROUPED = /^(\d{1,3}(?:([.,’'\u00a0\u202f])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;
/** The code points of zero in Arabic, Persian, Devanagari, Bengali, Thai and full-width digits. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];
const AFTERNOON = /(?<![\d:.])(\d{1,2})(?:[:.]\d\d)?\s?p\.?\s?m\b/gi;
const EVENING = /(?<![\d:])(1[3-9]|2[0-3])[:.h]\s?\d\d/g;
const SCALES = new Map([
  ['hundred', 100],
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
]);
const oneOf = (words: Iterable<string>): string => `(?:${[...words].join('|')})`;
const SCALED = new RegExp(
  `(?<![\\w.,])(\\d[\\d.,]*) ?(${oneOf(SCALES.keys()).slice(0, -1)}|bn|m)s?)(?![\\p{L}\\p{N}])`,
  'giu',
);
/** As a page writes them, and as the number of a date has them. */
const MONTHS = new Map(calendarOf('en').months.long.map((name, at) => [name, at + 1]));
const MONTH = new RegExp(`\\b${oneOf(MONTHS.keys())}\\b`, 'g');
/** The 1700s are the 18th century. */
const CENTURY = /(?<!\d)(\d\d?)th[ -]century\b/gi;

const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0)!;
  const zero = ZEROS.find((first) => code >= first && code < first + 10);
  return zero === undefined ? digit : String(code - zero);
};

export function valueOf(written: string): number {
  const digits = written.replace(/[^\0-\x7f’\u00a0\u202f]/gu, asciiDigit);
  const [, whole, , decimals = '0'] = GROUPED.exec(digits) ?? [];
  return whole ? Number(`${whole.replace(/\D/g, '')}.${decimals}`) : Number(digits.replaceAll(',', '.'));
}

/** The distinct numbers written in digits, `3 million` among them; the parts of `1.2.3`, which is no number. */
export function numbersIn(text: string): Set<number> {
  const values = new Set<number>();
  for (const [written] of withScales(text).matchAll(NUMBER)) {
    const value = valueOf(written);
    if (Number.isNaN(value)) for (const part of written.match(/\p{Nd}+/gu)!) values.add(valueOf(part));
    else values.add(value);
  }
  return values;
}

/** `3000000` for “3 million”. */
export const withScales = (text: string): string => (/\d ?[a-z]/i.test(text) ? text.replace(SCALED, scaled) : text);

const scaleOf = (name: string): number => SCALES.get(name) ?? (name === 'bn' ? 1e9 : 1e6);

function scaled(whole: string, digits: string, scale: string): string {
  const value = valueOf(digits) * scaleOf(scale.toLowerCase());
  return Number.isNaN(value) ? whole : String(Math.round(value));
}

/** Also those written in other ways, but for words of numbers: `March` for 3, `5 pm` for 17, `17:00` for 5, `3` of `3 million`. */
export function allNumbersIn(text: string): Set<number> {
  const values = numbersIn(text);
  for (const [written] of text.matchAll(NUMBER)) values.add(valueOf(written));
  for (const [, century] of text.matchAll(CENTURY)) values.add((Number(century) - 1) * 100);
  for (const [name] of text.matchAll(MONTH)) values.add(MONTHS.get(name)!);
  for (const [, hour] of text.matchAll(AFTERNOON)) values.add(Number(hour) + 12);
  for (const [, hour] of text.matchAll(EVENING)) values.add(Number(hour) - 12);
  return values;
}
