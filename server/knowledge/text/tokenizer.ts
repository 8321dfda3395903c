import { baseOf } from './irregular-forms.ts';
import { withoutAccents } from './accents.ts';
import { isStopWord, scriptOf, type Language } from './language.ts';
import { WordFamilies } from './word-families.ts';
import { isStemmerLoaded, stem } from './stems.ts';
import { SpellingIndex } from './spelling.ts';
import { UnaccentedIndex } from './unaccented.ts';

export { isStopWord };

/** Format characters within a word (soft hyphen, joiners), and the combining dot that lower-casing \u0130 leaves. */
const INVISIBLE_CHARACTERS = /[\p{Cf}\u0307]/gu;
const WORD = /\p{L}[\p{L}\p{M}\p{N}\p{Cf}]*|\p{N}+(?:[.,]\p{N}+)*[\p{L}\p{M}]*/gu;
/** Not within the plural of an abbreviation: DVDs. */
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s$)/u;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const IDEOGRAPHIC = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** UTF-16 units; longer runs of letters are no words and are not stemmed. */
const MAX_WORD_LENGTH = 40;

/** Calls `visit` with each word of the text in order: lower case, unstemmed, stop words among them. */
export function eachWord(text: string, visit: (word: string) => void): void {
  for (const [found] of text.matchAll(WORD)) {
    if (/^[a-z]+$/.test(found)) visit(found);
    else split(found, visit);
  }
}

function split(found: string, visit: (word: string) => void): void {
  if (UNSPACED.test(found)) return grams(found, visit);
  visit(fold(found));
  if (!/\p{Ll}/u.test(found) || !CAMEL.test(found)) return;
  for (const part of found.split(CAMEL)) if (part.length > 1) visit(fold(part));
}

/** Lower case, NFKC, Western digits, without thousands separators. */
function fold(word: string): string {
  const lower = word.toLowerCase().replace(INVISIBLE_CHARACTERS, '');
  if (/^[ -~]*$/.test(lower)) return lower.includes(',') ? lower.replaceAll(',', '') : lower;
  return lower.normalize('NFKC').replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/g, digit);
}

const digit = (sign: string): string => {
  const code = sign.charCodeAt(0);
  return String(code < 0x966 ? code & 15 : code - 0x966);
};

/** Scripts that put no space between words: pairs of characters for Han and kana, triples for the others. */
function grams(run: string, visit: (word: string) => void): void {
  const size = IDEOGRAPHIC.test(run) ? 2 : 3;
  const characters = Array.from(run.normalize('NFKC'));
  if (characters.length <= size) return visit(characters.join(''));
  for (let at = 0; at + size <= characters.length; at++) visit(characters.slice(at, at + size).join(''));
}

/** The number of a stop word, and of a word that was never added. */
export const STOP_WORD = -1;
export const UNSEEN = -2;

/** A vocabulary whose lookup tables are up to date. */
export interface SavedVocabulary {
  /** For each language its words, and the number of each or `STOP_WORD`. */
  languages: { language: Language; words: string[]; forms: number[] }[];
  /** By form. */
  rootOf: number[];
  stems: string[];
  typos: readonly Float64Array[];
  stemTypos: readonly Float64Array[];
}

/**
 * Numbers the words of one index: each form of a word has a number of its own, and `root` gives the number that all
 * its forms share (return, returns, returned). Words keep their numbers when their passages are removed, but look-ups find only
 * those whose root some passage has.
 */
export class Vocabulary {
  /** By language, since the same letters may be a stop word or have another stem there. */
  readonly #forms = new Map<Language, Map<string, number>>();
  readonly #roots = new Map<string, number>();
  readonly #rootOf: number[] = [];
  /** By form. */
  readonly #words: string[] = [];
  readonly #typos = new SpellingIndex(this.#words);
  /** By number of the root. */
  readonly #stems: string[] = [];
  readonly #stemTypos = new SpellingIndex(this.#stems);
  readonly #relatives = new WordFamilies(this.#stems);
  readonly #unaccented = new UnaccentedIndex(this.#words);
  /** By root: how many passages have it. */
  readonly #passagesWith: number[] = [];
  /** By language: how many passages are in it, and how many words they have. */
  readonly #spoken = new Map<Language, { passages: number; words: number }>();

  /** The languages that passages are in, that of the most words first, those in scripts of their own left out. */
  get languages(): Language[] {
    const spoken = [...this.#spoken].filter(([, { passages }]) => passages > 0);
    return spoken
      .sort(([a, one], [b, other]) => other.words - one.words || (a < b ? -1 : 1))
      .map(([language]) => language);
  }

  /** How many passages have a root. */
  passagesWith(root: number): number {
    return this.#passagesWith[root] ?? 0;
  }

  /** So many passages more, or less, have a root. */
  countRoot(root: number, more: number): void {
    this.#passagesWith[root] = this.passagesWith(root) + more;
  }

  /** So many passages more, or less, are in a language, with so many words. */
  countLanguage(language: Language, more: number, words: number): void {
    const { passages, words: before } = this.#spoken.get(language) ?? { passages: 0, words: 0 };
    this.#spoken.set(language, { passages: passages + more, words: before + words });
  }

  /** All words that were added, stop words left out. */
  get letters(): string {
    return this.#words.join(' ');
  }

  /** The form's number, given now where it had none; `STOP_WORD` for a stop word. */
  add(word: string, language: Language): number {
    const own = this.#formsIn(language);
    const known = own.get(word);
    if (known !== undefined) return known;
    const spoken = scriptOf(word) ?? language;
    const form = isStopWord(word, spoken) ? STOP_WORD : this.#rootOf.length;
    own.set(word, form);
    if (form === STOP_WORD) return form;
    this.#rootOf.push(this.#numberOf(rootOf(word, spoken)));
    this.#words.push(word);
    return form;
  }

  save(): SavedVocabulary {
    const languages = Array.from(this.#forms, ([language, forms]) => {
      return { language, words: [...forms.keys()], forms: [...forms.values()] };
    });
    const [typos, stemTypos] = [this.#typos.pieces, this.#stemTypos.pieces];
    return { languages, rootOf: this.#rootOf, stems: this.#stems, typos, stemTypos };
  }

  /** To be called before any word is added. */
  restore({ languages, rootOf, stems, typos, stemTypos }: SavedVocabulary): void {
    this.#words.length = rootOf.length;
    for (const { language, words, forms } of languages) {
      const own = this.#formsIn(language);
      for (const [at, word] of words.entries()) {
        own.set(word, forms[at]!);
        if (forms[at] !== STOP_WORD) this.#words[forms[at]!] = word;
      }
    }
    for (const root of rootOf) this.#rootOf.push(root);
    for (const stem of stems) this.#roots.set(stem, this.#stems.push(stem) - 1);
    this.#typos.restore([...typos]);
    this.#stemTypos.restore([...stemTypos]);
  }

  #formsIn(language: Language): Map<string, number> {
    const known = this.#forms.get(language);
    if (known) return known;
    const forms = new Map<string, number>();
    this.#forms.set(language, forms);
    return forms;
  }

  /** How many roots there are. */
  get size(): number {
    return this.#stems.length;
  }

  word(form: number): string {
    return this.#words[form]!;
  }

  root(form: number): number {
    return this.#rootOf[form]!;
  }

  /** The form's number; `UNSEEN` where no passage has its root. */
  form(word: string, language: Language): number {
    const form = this.#forms.get(language)?.get(word) ?? UNSEEN;
    return form < 0 || this.#isFound(this.root(form)) ? form : UNSEEN;
  }

  /** The words of these roots, shortest first. Reads all words. */
  formsOf(roots: ReadonlySet<number>): Map<number, string[]> {
    const forms = new Map<number, string[]>();
    for (const [form, root] of this.#rootOf.entries()) {
      if (roots.has(root)) forms.set(root, [...(forms.get(root) ?? []), this.#words[form]!]);
    }
    for (const words of forms.values()) words.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    return forms;
  }

  /** Adds new words to the lookup tables that questions need, in steps of a few milliseconds. */
  *updateInSteps(): Generator<void> {
    yield* this.#typos.updateInSteps();
    yield* this.#stemTypos.updateInSteps();
    yield* this.#relatives.updateInSteps();
    yield* this.#unaccented.updateInSteps();
  }

  /** The roots of accented words that have these letters without accents; by their letters. */
  rootsIgnoringAccents(letters: string): number[] {
    return this.#inOrder(this.#unaccented.of(letters).map((form) => this.root(form)));
  }

  /** The numbers of other roots of the word family of `root`, which need not be in the vocabulary. */
  relatives(root: string): number[] {
    return this.#relatives.of(root).filter(this.#isFound);
  }

  /** The number of a root as `rootOf` gives it; `UNSEEN` where no passage has a word with it. */
  rootNumber(root: string): number {
    const number = this.#roots.get(root) ?? UNSEEN;
    return this.#isFound(number) ? number : UNSEEN;
  }

  /**
   * Roots one edit away from a mistyped word or from its root `rootText`, by their letters; for Latin words those with the
   * same first letter, where there are any.
   */
  correctionsOf(word: string, rootText: string): number[] {
    const all = [...this.#typos.near(word).map((form) => this.root(form)), ...this.#stemTypos.near(rootText)];
    const near = all.filter(this.#isFound);
    const likely = /^[a-z]/.test(word) ? near.filter((root) => this.#stems[root]![0] === rootText[0]) : near;
    return this.#inOrder(likely.length > 0 ? likely : near);
  }

  /** Whether one of these roots is a prefix of `rootText` or the other way round, accents aside: another ending of the same word. */
  areForms(rootText: string, roots: number[]): boolean {
    const bare = withoutAccents(rootText);
    return roots.some((root) => {
      const other = withoutAccents(this.#stems[root]!);
      return other.startsWith(bare) || bare.startsWith(other);
    });
  }

  readonly #isFound = (root: number): boolean => this.passagesWith(root) > 0;

  /** Those that are found, without repeats, in an order that does not depend on the order in which words were added. */
  #inOrder(roots: number[]): number[] {
    return [...new Set(roots.filter(this.#isFound))].sort((a, b) => (this.#stems[a]! < this.#stems[b]! ? -1 : 1));
  }

  #numberOf(root: string): number {
    const known = this.#roots.get(root);
    if (known !== undefined) return known;
    this.#roots.set(root, this.#roots.size);
    this.#stems.push(root);
    return this.#roots.size - 1;
  }
}

/**
 * Cache of stems: stemming takes more time than all other work on a word. Cleared when full. Not lru-cache: a hit would
 * take 125 to 135 ns of CPU for 80 to 100 ns.
 */
const stemCache = new Map<string, string>();
const MAX_STEMS = 20_000;

/** The stem of a word, the same for all its forms. */
export function rootOf(word: string, language: Language = 'en'): string {
  if (word.length >= MAX_WORD_LENGTH) return word;
  const spoken = scriptOf(word) ?? language;
  const key = spoken === 'en' ? word : `${spoken} ${word}`;
  const known = stemCache.get(key);
  if (known !== undefined) return known;
  const root = stem(word, spoken);
  if (!isStemmerLoaded(spoken)) return root;
  if (stemCache.size >= MAX_STEMS) stemCache.clear();
  stemCache.set(key, root);
  return root;
}

/** Whether this form of an English word has the root of another one, as “built” has that of “build”. */
export const isIrregular = (word: string): boolean => baseOf(word) !== word;
