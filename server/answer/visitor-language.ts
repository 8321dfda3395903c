import { languageOf, scriptOf } from '../knowledge/language.ts';
import { PHRASES, type Phrases, type Spoken } from './phrases.ts';

/** So much of a question tells its language. */
const TELLING = 400;

const SCRIPTS: [RegExp, Spoken][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Thai}/u, 'th'],
];
const OTHER = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Devanagari}]+/gu;
const LATIN = /\p{Script=Latin}/gu;

const POLISH_LETTERS = /[łąęśźżćń]/i;
const POLISH = new Set(
  `ile jak jaki jaka jakie gdzie kiedy kto co czy czym dlaczego jest są się nie od dla mogę można macie państwo mam mi ta
    tej tego przez przy lub albo który która które`.split(/\s+/),
);

/** What the server says by itself, in the language of the question; where that cannot be told, of what was found. */
export const phrasesFor = (query: string, found: { text: string }[]): Phrases =>
  PHRASES[spokenIn(query) ?? spokenIn(found.map(({ text }) => text.slice(0, TELLING)).join('\n'), 2000) ?? 'en'];

export function spokenIn(text: string, telling = TELLING): Spoken | undefined {
  const start = text.slice(0, telling);
  const own = byScript(start);
  if (own) return own;
  if (isPolish(start)) return 'pl';
  const first = languageOf(start, 'en');
  // English is told from “none” by whether it stands out against another.
  if (first === 'en' && languageOf(start, 'fi') !== 'en') return undefined;
  return first;
}

/** The script that most of it is in; a Latin name within Chinese does not make it English. */
function byScript(text: string): Spoken | undefined {
  const own = SCRIPTS.find(([letters]) => letters.test(text))?.[1];
  const words = text.match(OTHER) ?? [];
  const spoken = own ?? scriptOf(words[0] ?? '');
  if (!spoken) return undefined;
  const latin = text.match(LATIN)?.length ?? 0;
  const other = text.match(/[^\p{Script=Latin}\p{P}\p{S}\p{Z}\p{N}]/gu)?.length ?? 0;
  return other * 3 >= latin ? spoken : undefined;
}

function isPolish(text: string): boolean {
  const words = text.toLowerCase().match(/\p{Script=Latin}+/gu) ?? [];
  const known = words.filter((word) => POLISH.has(word)).length;
  return (
    (POLISH_LETTERS.test(text) && known > 0) || (known > 2 && known * 3 >= words.length) || /ł|ż[eóay]/i.test(text)
  );
}
