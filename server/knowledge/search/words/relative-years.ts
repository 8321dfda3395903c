import type { Language } from '../../text/language.ts';
import { calendarOf } from '../../text/locale/locale.ts';

/** How a language says last, this and next year. */
const phrases = new Map<Language, [phrase: RegExp, by: number][]>();

function phrasesOf(language: Language): [phrase: RegExp, by: number][] {
  return calendarOf(language).relativeYears.flatMap((said, at): [RegExp, number][] => {
    // Without a word of its own, a language counts: “in 1 year”.
    if (/\p{N}/u.test(said)) return [];
    const pattern = said.replace(/['’]/g, "['’]").replace(/\s+/g, String.raw`\s+`);
    return [[new RegExp(String.raw`(?<![\p{L}\p{N}])${pattern}(?![\p{L}\p{N}])`, 'giu'), at - 1]];
  });
}

/**
 * `text` with last and next year as pages write them, where they have that year. The present year is given apart, '' where it is not
 * meant: a page that says “this year” need not write it. `now`: milliseconds; years are those of the server's time zone.
 */
export function withYears(
  text: string,
  language: Language,
  now: number,
  isKnown: (year: string) => boolean,
): { text: string; present: string } {
  let known = phrases.get(language);
  if (!known) phrases.set(language, (known = phrasesOf(language)));
  let [dated, present] = [text, ''];
  for (const [phrase, by] of known) {
    const year = String(new Date(now).getFullYear() + by);
    if (dated.search(phrase) < 0 || !isKnown(year)) continue;
    if (by === 0) present = year;
    else dated = dated.replace(phrase, year);
  }
  return { text: dated, present };
}
