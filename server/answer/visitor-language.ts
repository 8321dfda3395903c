import { detectAll } from 'tinyld';
import { cyrillicOf, languageOf, LATIN as LATIN_LANGUAGES, scriptOf } from '../knowledge/language.ts';
import { LANGUAGES, type Spoken } from '../knowledge/languages.ts';
import { PHRASES, type Phrases } from './phrases.ts';

/** So much of a question tells its language, and so much of each passage the site's (UTF-16 units). */
const TELLING = 400;
const TELLING_PASSAGE = 120;
/** So much is shown to the detector, which takes milliseconds for more, most of all where the words are of no language. */
const TELLING_DETECTOR = 100;

const SCRIPTS: [RegExp, Spoken][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Thai}/u, 'th'],
];
const OTHER = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Hebrew}]+/gu;
const LATIN = /\p{Script=Latin}/gu;

/** A language's name for the detector, which knows Norwegian by its common name, and back. */
const nameOf = (language: string): string => (language === 'nb' ? 'no' : language);
const languageNamed = (name: string): Spoken => (name === 'no' ? 'nb' : name) as Spoken;
const NAMES = Object.keys(LANGUAGES).map(nameOf);
/** Where two languages share the words of a question, the order in which they are looked at must not decide. */
const NEAREST_LAST = LATIN_LANGUAGES.toReversed();
/** Letters, and with a site that tells its language words, from which on the detector is asked: fewer may be a name. */
const LEAST_LETTERS = 8;
const LEAST_WORDS = 3;
/** A language of the site is believed where the detector finds it this much as likely as the likeliest. */
const AS_LIKELY = 0.4;

/** What the server says by itself, in the language of the question; where that cannot be told, of what was found. */
export const phrasesFor = (query: string, found: { text: string }[]): Phrases => PHRASES[languageFor(query, found)];

function languageFor(query: string, found: { text: string }[]): Spoken {
  const start = query.slice(0, TELLING);
  const script = byScript(start);
  const told = script === 'ru' ? cyrillicOf(start) : spokenIn(query);
  if (told && (script || languageOf(start, 'en', NEAREST_LAST) === told)) return told;
  const site = spokenIn(found.map(({ text }) => text.slice(0, TELLING_PASSAGE)).join('\n'), 2000);
  const words = start.match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  if (words.join('').length < LEAST_LETTERS && !script) return site ?? 'en';
  if (words.length < LEAST_WORDS && site && !script) return site;
  const only = script === 'ru' ? ['ru', 'uk', 'bg'] : NAMES;
  const guesses = detectAll(start.slice(0, TELLING_DETECTOR), { only });
  const [first] = guesses;
  if (!first) return script ?? site ?? 'en';
  const own = guesses.find(({ lang }) => languageNamed(lang) === site);
  return site && own && own.accuracy >= AS_LIKELY * first.accuracy ? site : languageNamed(first.lang);
}

/** By its letters and commonest words; undefined where they do not tell. Costs little: passages are asked as well. */
export function spokenIn(text: string, telling = TELLING): Spoken | undefined {
  const start = text.slice(0, telling);
  const own = byScript(start);
  if (own) return own === 'ru' ? (cyrillicOf(start) ?? own) : own;
  const first = languageOf(start, 'en');
  // English is told from “none” by whether it stands out against another.
  if (first === 'en' && languageOf(start, 'fi') !== 'en') return undefined;
  return first;
}

/** The script that most of it is in, `ru` for Cyrillic; a Latin name within Chinese does not make it English. */
function byScript(text: string): Spoken | undefined {
  const own = SCRIPTS.find(([letters]) => letters.test(text))?.[1];
  const words = text.match(OTHER) ?? [];
  const spoken = own ?? scriptOf(words[0] ?? '');
  if (!spoken) return undefined;
  const latin = text.match(LATIN)?.length ?? 0;
  const other = text.match(/[^\p{Script=Latin}\p{P}\p{S}\p{Z}\p{N}]/gu)?.length ?? 0;
  return other * 3 >= latin ? spoken : undefined;
}
