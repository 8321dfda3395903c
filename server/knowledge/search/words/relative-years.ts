import type { Language } from '../../text/language.ts';

/** How a language says last, this and next year. */
const phrases = new Map<Language, [phrase: RegExp, by: number][]>();

function phrasesOf(language: Language): [phrase: RegExp, by: number][] {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  return [-1, 0, 1].flatMap((by): [RegExp, number][] => {
    const said = format.format(by, 'year');
    // Without a word of its own, a language counts: “in 1 year”.
    if (/\p{N}/u.test(said)) return [];
    const pattern = said.replace(/['’]/g, "['’]").replace(/\s+/g, String.raw`\s+`);
    return [[new RegExp(String.raw`(?<![\p{L}\p{N}])${pattern}(?![\p{L}\p{N}])`, 'giu'), by]];
  });
}

/** Replaces “next year” by the year where pages have it. `now`: milliseconds; years are those of the server's time zone. */
export function withYears(text: string, language: Language, now: number, isKnown: (year: string) => boolean): string {
  let of = phrases.get(language);
  if (!of) phrases.set(language, (of = phrasesOf(language)));
  return of.reduce((replaced, [phrase, by]) => {
    const year = String(new Date(now).getFullYear() + by);
    return replaced.search(phrase) >= 0 && isKnown(year) ? replaced.replace(phrase, year) : replaced;
  }, text);
}
