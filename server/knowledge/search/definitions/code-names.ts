/**
 * Options (`--dry-run`, `-n`), settings (`work_mem`, `core.editor`) and functions (`to_char()`). Parts of a letter are none: “9 a.m.”
 * is no setting.
 */
const CODE_NAME =
  /(?<![\p{L}\p{N}_.:/@-])(?:--?\p{L}[\p{L}\p{N}_-]*|[$@%]?\p{L}[\p{L}\p{N}]+(?:(?:_+|\.|::|->)[\p{L}\p{N}]{2,})+|\p{L}[\p{L}\p{N}_]*(?=\(\)))/gu;
/** An option that has a form with and one without it: `--[no-]color`. */
const NEGATABLE = /--\[no-\]([\p{L}\p{N}_-]+)/gu;
/** In a heading or the term of a definition, beside the name: `--depth=<n>`, `work_mem (integer)`, `-o | --output FILE`. */
const BESIDE_NAME = /<[^>]*>|\([^)]*\)|\[[^\]]*\]|=\S+|(?<!\p{L})\p{Lu}{2,}(?!\p{L})|[^\p{L}\p{N}]+/gu;
/** Words that such a heading may have too: “The --prune option”. */
const MAX_OTHER_WORDS = 2;
const ITEM = /^- .+/gm;
/** `- options: -n, --dry-run; do not change anything`: what may stand before the term in an item, and the term. */
const TERM = /^(?:- )?(?:[\p{L} ]{1,30}[:;] )?([^;|:\n]{2,80})[;|:]/u;

/** The names in a text that are written as in code; in lower case, but for options: `-s` is not `-S`. */
export function codeNamesIn(text: string): string[] {
  const names = text.replace(NEGATABLE, '--$1 --no-$1').matchAll(CODE_NAME);
  return [...new Set(Array.from(names, ([name]) => (name.startsWith('-') ? name : name.toLowerCase())))];
}

/** The names that a heading or the term of a definition has, where it has little else. */
export function codeNamesAlone(term: string): string[] {
  const names = codeNamesIn(term);
  if (names.length === 0) return names;
  const others = term.replace(CODE_NAME, ' ').replace(BESIDE_NAME, ' ').trim();
  return others === '' || others.split(' ').length <= MAX_OTHER_WORDS ? names : [];
}

/** The names that a list item defines. */
export const codeNamesOfItem = (item: string): string[] => codeNamesAlone(TERM.exec(item)?.[1] ?? '');

/** The names that the items of a text define. */
export const codeNamesOfItems = (text: string): string[] =>
  Array.from(text.matchAll(ITEM), ([item]) => codeNamesOfItem(item)).flat();
