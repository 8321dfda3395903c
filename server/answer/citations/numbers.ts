/** Reads numbers as values, so that `1,500`, `1.500` and `١٥٠٠` are equal, and `17:00` and `5 pm`. */

const NUMBER = /(?<![A-Za-z\p{Nd}])\p{Nd}+(?:[.,’'\u00a0\u202f]\p{Nd}+)*/gu;
/** Thousands with one separator between all groups, and another before the decimals. */
const GROUPED = /^(\d{1,3}(?:([.,’'\u00a0\u202f])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;
/** The code points of zero in Arabic, Persian, Devanagari, Bengali, Thai and full-width digits. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];
const AFTERNOON = /(?<![\d:.])(\d{1,2})(?:[:.]\d\d)?\s?p\.?\s?m\b/gi;
const EVENING = /(?<![\d:])(1[3-9]|2[0-3])[:.h]\s?\d\d/g;
const WORDS = new Map(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
  eighteen nineteen twenty`
    .split(/\s+/)
    .map((word, value) => [word, value] as const),
);
for (const [at, word] of 'thirty forty fifty sixty seventy eighty ninety hundred'.split(' ').entries())
  WORDS.set(word, 30 + 10 * at);
const WORD = new RegExp(`\\b(?:${[...WORDS.keys()].join('|')})\\b`, 'gi');

const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0)!;
  const zero = ZEROS.find((first) => code >= first && code < first + 10);
  return zero === undefined ? digit : String(code - zero);
};

function valueOf(written: string): number {
  const digits = written.replace(/[^\0-\x7f’\u00a0\u202f]/gu, asciiDigit);
  const [, whole, , decimals = '0'] = GROUPED.exec(digits) ?? [];
  return whole ? Number(`${whole.replace(/\D/g, '')}.${decimals}`) : Number(digits.replaceAll(',', '.'));
}

/** The distinct numbers written in digits; the parts of `1.2.3`, which is no number. */
export function numbersIn(text: string): Set<number> {
  const values = new Set<number>();
  for (const [written] of text.matchAll(NUMBER)) {
    const value = valueOf(written);
    if (Number.isNaN(value)) for (const part of written.match(/\p{Nd}+/gu)!) values.add(valueOf(part));
    else values.add(value);
  }
  return values;
}

/** Also those written in other ways: `thirty`, `5 pm` for 17, `17:00` for 5. */
export function allNumbersIn(text: string): Set<number> {
  const values = numbersIn(text);
  for (const [word] of text.matchAll(WORD)) values.add(WORDS.get(word.toLowerCase())!);
  for (const [, hour] of text.matchAll(AFTERNOON)) values.add(Number(hour) + 12);
  for (const [, hour] of text.matchAll(EVENING)) values.add(Number(hour) - 12);
  return values;
}
