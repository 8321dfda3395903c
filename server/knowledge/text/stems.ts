import stemEnglish from 'wink-porter2-stemmer';
import { withoutMarks } from './accents.ts';
import { baseOf } from './irregular-forms.ts';
import { languageOf, type Language } from './language.ts';
import { LANGUAGES, type LanguageTraits } from './languages.ts';

/** Stems: what the forms of a word share. Snowball's where it has the language, light ones of ours elsewhere. */
function algorithmOf(language: Language): string | undefined {
  const traits: LanguageTraits = LANGUAGES[language];
  return traits.stemmer === 'own' ? undefined : traits.stemmer;
}

type Stem = (word: string) => string;
type Snowball = { newStemmer(algorithm: string): { stem: Stem } };

let snowball: Snowball | undefined;
const stemmers = new Map<Language, Stem>();

/**
 * Loads the Snowball stemmers where a text needs them. They are 870 kB of code, which sites in English do not load. Until
 * they are loaded, words are not stemmed. `languages`: those of the text, where they are known.
 */
export async function stemsFor(text: string, languages?: readonly Language[]): Promise<void> {
  if (snowball) return;
  if (!/\p{Script=Cyrillic}/u.test(text) && !(languages ?? [languageOf(text)]).some(algorithmOf)) return;
  snowball = (await import('snowball-stemmers')).default;
}

/** Whether `stem` is final for this language: its stemmer is loaded, or it has none. */
export const isStemmerLoaded = (language: Language): boolean => snowball !== undefined || !algorithmOf(language);

/** The stem of a lower-case word, without accents. */
export function stem(word: string, language: Language): string {
  if (language === 'en') return stemEnglishWord(withoutMarks(word));
  if (language === 'vi') return word;
  if (language === 'hi') return stemHindi(word);
  if (language === 'ar') return stemArabic(withoutMarks(word));
  if (language === 'el') return stemGreek(withoutMarks(word));
  const spelling = language === 'ro' ? withCedillas(word) : word;
  return withoutMarks(stemmer(language)?.(spelling) ?? spelling).replaceAll('\u0131', 'i');
}

const stemEnglishWord = (word: string): string =>
  /^[a-z]+$/.test(word) ? stemEnglish(baseOf(word.replace(PLURAL_OF_ABBREVIATION, ''))) : word;
/** DVDs, PDFs: Porter's stemmer keeps the s behind letters without a vowel. */
const PLURAL_OF_ABBREVIATION = /(?<=^[b-df-hj-np-tv-xz]{1,4}[b-df-hj-np-rtv-xz])s$/;

function stemmer(language: Language): Stem | undefined {
  const known = stemmers.get(language);
  const algorithm = algorithmOf(language);
  if (known || !snowball || !algorithm) return known;
  const snowballStemmer = snowball.newStemmer(algorithm);
  const stem = (word: string) => snowballStemmer.stem(word);
  stemmers.set(language, stem);
  return stem;
}

/** Snowball's Romanian stemmer knows only cedillas, not the letters with a comma below. */
const withCedillas = (word: string): string => word.replaceAll('\u0219', '\u015f').replaceAll('\u021b', '\u0163');

/** What stands before an Arabic word in one piece with it, and the endings of number, gender and owner. */
const ARABIC_BEFORE =
  /^(?:[\u0648\u0641]?(?:\u0627\u0644|\u0628\u0627\u0644|\u0643\u0627\u0644|\u0644\u0644)|\u0648)(?=.{3})/;
const ARABIC_AFTER =
  /(?<=.{2})(?:\u0647\u0627|\u0627\u0646|\u0627\u062a|\u0648\u0646|\u064a\u0646|\u064a\u0647|\u064a\u0629|\u0647|\u0629|\u064a|\u0649)$/;

function stemArabic(word: string): string {
  const letters = word.replaceAll('\u0640', '').replace(/[\u0671\u0672\u0673]/g, '\u0627');
  return letters.replace(ARABIC_BEFORE, '').replace(ARABIC_AFTER, '').replaceAll('\u0649', '\u064a');
}

/** The commonest endings of nouns, adjectives and verbs, accents off. */
const GREEK =
  /(?<=.{3})(?:ματων|ματοσ|ματα|ηθηκαν|ηθηκε|ουσαν|ονται|εται|ησαν|ησε|ουν|ουμε|εων|εωσ|εισ|ιων|ιου|ια|ιο|ουσ|ων|ου|οσ|ησ|ασ|εσ|οι|ει|αν|ον|[αηοιευω])$/;

const stemGreek = (word: string): string => word.replaceAll('\u03c2', '\u03c3').replace(GREEK, '');

/** Vowel signs at the end tell number, gender and case. */
const HINDI = /(?<=.{2})(?:ियाँ|ियों|ियां|ाओं|ाएं|ुओं|ुएं|ों|ें|ां|ीं|ा|ी|े|ो|ु|ू|ि|ै|ौ)$/;

const stemHindi = (word: string): string =>
  word.normalize('NFKD').replaceAll('\u093c', '').replaceAll('\u0901', '\u0902').replace(HINDI, '');
