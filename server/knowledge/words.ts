import stem from 'wink-porter2-stemmer';

/** Words that say how a thing is asked, or hold a sentence together, and not what it is about. */
const EMPTY = new Set(
  `a about again all also am an and any anybody anyone anything are aren as at be because been being both but by can
  cannot could couldn d did didn do does doesn doing don done each either else etc ever for from get gets getting give
  gives got had hadn has hasn have haven having he her hers herself hey hello hi him himself his how however i if in
  into is isn it its itself just kindly know let like ll m many may me might mine more most much must mustn my myself not of on or other
  our ours ourselves out per please quite re regard regards s same shall shan she should shouldn so some somebody
  someone something such t tell than thank thanks that the their theirs them themselves then there these they thing
  things this those though to too under up upon us use used using ve very via want was wasn we were weren what whatever
  when whenever where wherever whether which whichever who whoever whom whose why will with within won would wouldn yes
  yet you your yours yourself yourselves`.split(/\s+/),
);

const WORD = /\p{L}[\p{L}\p{M}\p{N}]*|\p{N}+(?:[.,]\p{N}+)*[\p{L}\p{M}]*/gu;
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const IDEOGRAPHIC = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** A run of letters longer than this is no word of a language. */
const LONGEST = 40;

export const isEmpty = (word: string): boolean => EMPTY.has(word);

/** Calls `visit` with each word of the text in order: lower case, unstemmed, empty words among them. */
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

/** Lower case; accents off, so that both ways of typing a name meet; digits without thousands' commas. */
function fold(word: string): string {
  const lower = word.toLowerCase();
  if (/^[ -~]*$/.test(lower)) return lower.includes(',') ? lower.replaceAll(',', '') : lower;
  return lower
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC');
}

/** Scripts that put no space between words: pairs of characters for Han and kana, triples for the others. */
function grams(run: string, visit: (word: string) => void): void {
  const size = IDEOGRAPHIC.test(run) ? 2 : 3;
  const characters = Array.from(run.normalize('NFKC'));
  if (characters.length <= size) return visit(characters.join(''));
  for (let at = 0; at + size <= characters.length; at++) visit(characters.slice(at, at + size).join(''));
}

/** The number of a word that means nothing by itself, and of one that was never added. */
export const NOTHING = -1;
export const UNSEEN = -2;

/**
 * Numbers the words of one index: each form of a word has a number of its own, and `root` gives the number that all
 * its forms share (return, returns, returned).
 */
export class Vocabulary {
  readonly #forms = new Map<string, number>();
  readonly #roots = new Map<string, number>();
  readonly #rootOf: number[] = [];

  /** The form's number, given now where it had none; `NOTHING` for an empty word. */
  add(word: string): number {
    const known = this.#forms.get(word);
    if (known !== undefined) return known;
    const form = EMPTY.has(word) ? NOTHING : this.#rootOf.length;
    this.#forms.set(word, form);
    if (form !== NOTHING) this.#rootOf.push(this.#numberOf(rootOf(word)));
    return form;
  }

  root(form: number): number {
    return this.#rootOf[form]!;
  }

  /** The form's number; `UNSEEN` where it was never added. */
  form(word: string): number {
    return this.#forms.get(word) ?? UNSEEN;
  }

  /** The number of a root as `rootOf` gives it; `UNSEEN` where no word with it was added. */
  rootNumber(root: string): number {
    return this.#roots.get(root) ?? UNSEEN;
  }

  #numberOf(root: string): number {
    const known = this.#roots.get(root);
    if (known !== undefined) return known;
    this.#roots.set(root, this.#roots.size);
    return this.#roots.size - 1;
  }
}

/** Stems worked out lately: stemming costs more than all else that is done to a word. */
const stems = new Map<string, string>();
const STEMS = 20_000;

/** What all forms of a word share: its Snowball stem, for words of Latin letters. */
export function rootOf(word: string): string {
  if (word.length >= LONGEST || !/^[a-z]+$/.test(word)) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size >= STEMS) stems.clear();
  const root = stem(word);
  stems.set(word, root);
  return root;
}
