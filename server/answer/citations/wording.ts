import { synonymsOf } from '../../knowledge/text/synonyms.ts';
import { isStopWord, rootOf } from '../../knowledge/text/tokenizer.ts';

/** Reads a sentence as its words in order, with what is said of them: whether they begin with a capital, and are negated. */

export type StopWordLanguage = NonNullable<Parameters<typeof isStopWord>[1]>;

export interface Word {
  /** Lower case. */
  text: string;
  /** In its language, where the stemmer of that is loaded. */
  root: string;
  /** Neither a stop word nor a negation. */
  isContent: boolean;
  isCapital: boolean;
  /** Its capitals: `MD` of “MoD”, empty of a word without any. */
  initials: string;
  /** The first of a sentence, a quotation or a list item, where every word has a capital. */
  isFirst: boolean;
  /** After a comma or a conjunction, as an item of a list is. */
  isJoined: boolean;
  /** Which clause of the text it belongs to, from 0. */
  clause: number;
  isNegation: boolean;
  /** One of the `SCOPE` content words that a negation before it denies. */
  isNegated: boolean;
}

/** Content words after a negation that it denies. */
const SCOPE = 3;

const NEGATIONS = new Set(
  `not no never none nor neither nobody nothing cannot without
  nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne
  nunca jamás ningún ninguna ninguno nadie nada tampoco sin pas jamais aucun aucune rien sans non nessun nessuno nessuna senza
  não nenhum nenhuma ninguém sem niet geen nooit niemand niets zonder inte aldrig ingen inget inga ikke aldri
  nigdy żaden не нет никогда ничего никто без немає няма δεν không chưa değil नहीं nem nincs`.split(/\s+/),
);
/** Behind a negation they compare: “no later than”, “not only”. */
const COMPARING =
  /^(?:more|less|fewer|later|earlier|longer|older|only|other|matter|doubt|nur|mehr|weniger|später|solo|sólo|más|seulement|plus|alleen|meer)$/;
/** Words that deny without being negations: beside them nothing is concluded. */
const DENYING =
  /^(?:refus|reject|fail|unabl|except|unless|lack|prevent|forbid|forbidden|prohibit|avoid|instead|hard|rare|stop|exclud|verboten|untersagt|interdit|défendu|prohibid|vietat|proibid|verboden|nur|statt|außer|sondern|solo|sólo|salvo|excepto|sauf|tranne|alleen|behalve)/;

const WORD = /\p{L}[\p{L}\p{M}\p{N}]*(?:[&’'][\p{L}\p{M}]+)*|\p{N}+(?:[.,]\p{N}+)*[\p{L}\p{M}]*/gu;
/** Before a full stop that ends nothing. */
const ABBREVIATED = /^(?:dr|prof|mr|mrs|ms|st|sr|sra|hr|fr|no|nr)$/;
const ENDS_CLAUSE = /[,;:.!?()–—\n]/;
/** Between sentences, or before a quotation or a list item. */
const BEFORE_FIRST = /(?:^|[.!?:;|(\n“"„«*_#>•¿¡])[\s*_“"„«(¿¡]*$/;
/** UTF-16 units before a word that tell whether it is a first one. */
const MAX_GAP = 20;
/** By language: the Polish “a” is an English article, and the Dutch “of” an English preposition. */
const JOINS: Partial<Record<StopWordLanguage, string[]>> = Object.fromEntries(
  Object.entries({
    en: 'and or but while',
    de: 'und oder aber sondern',
    es: 'y e o u pero',
    fr: 'et ou mais',
    it: 'e ed o ma',
    pt: 'e ou mas',
    nl: 'en of maar',
    sv: 'och eller men',
    da: 'og eller men',
    nb: 'og eller men',
    pl: 'i a oraz lub ale',
    cs: 'a i nebo ale',
    ru: 'и а или но',
    uk: 'і й та або але',
  }).map(([language, words]) => [language, words.split(' ')]),
);

/** A sentence, or several in order. */
export function wordsInOrder(text: string, language: StopWordLanguage): Word[] {
  const words: Word[] = [];
  let last = 0;
  let left = 0;
  let isJoined = false;
  let clause = 0;
  const joins = JOINS[language] ?? [];
  for (const { 0: found, index } of text.matchAll(WORD)) {
    const gap = text.slice(last, index);
    const isAbbreviated = gap === '. ' && ABBREVIATED.test(words.at(-1)?.text ?? '');
    const isFirst = !isAbbreviated && BEFORE_FIRST.test(last === 0 ? gap : `x${gap.slice(-MAX_GAP)}`);
    last = index + found.length;
    if (ENDS_CLAUSE.test(gap) && !isAbbreviated) {
      left = 0;
      isJoined = true;
      clause += 1;
    }
    for (const part of partsOf(found)) {
      const word = part.toLowerCase();
      if (joins.includes(word)) {
        if (left < SCOPE) left = 0;
        isJoined = true;
        clause += 1;
      }
      // “non-profit” is one word.
      const isNegation = NEGATIONS.has(word) && text[last] !== '-';
      const isContent = !isNegation && !isStopWord(word, language);
      words.push({
        text: word,
        root: rootOf(word, language),
        isContent,
        isCapital: /^\p{Lu}/u.test(part),
        initials: part === word ? '' : part.replace(/\P{Lu}/gu, ''),
        isFirst,
        isJoined,
        clause,
        isNegation,
        isNegated: isContent && left > 0,
      });
      isJoined &&= !isContent;
      // “Schecks nehmen wir nicht an”: the nouns before it are denied too.
      if (word === 'nicht')
        for (const before of words)
          before.isNegated ||= before.clause === clause && before.isCapital && before.isContent;
      if (isNegation) left = SCOPE;
      else if (left === SCOPE && words.at(-2)?.isNegation && COMPARING.test(word)) left = 0;
      else if (isContent && left > 0) left -= 1;
    }
  }
  return words;
}

/** “don’t” is two words, “lamp’s” and “l’eau” are one. */
function partsOf(found: string): string[] {
  if (!/[’']/.test(found)) return [found];
  const [, verb, negation] = /^(\p{L}+?)(n[’']t)$/iu.exec(found) ?? [];
  if (verb && negation) return [verb, 'not'];
  const bare = found.replace(/[’']s?$/iu, '');
  return [/^\p{L}{1,2}[’'](.+)$/u.exec(bare)?.[1] ?? bare];
}

export const isDenied = (words: readonly Word[]): boolean =>
  words.some(({ isNegation }) => isNegation) || deniesByWord(words);

export const deniesByWord = (words: readonly Word[]): boolean => words.some(({ text }) => DENYING.test(text));

export const contentOf = (words: readonly Word[]): Word[] => words.filter(({ isContent }) => isContent);

export function has(words: readonly Word[], { root }: Word): boolean {
  const synonyms = synonymsOf(root);
  return words.some((one) => one.root === root || synonyms.includes(one.root));
}

/** The share of the claim's words that others have, 0 to 1. */
export const shareOf = (claim: readonly Word[], words: readonly Word[]): number =>
  claim.filter((word) => has(words, word)).length / (claim.length || 1);

/** The clauses of a text; one of names alone, as a list has them, belongs to the next. */
export function clausesOf(words: Word[]): Word[][] {
  const clauses: Word[][] = [];
  for (const [at, word] of words.entries()) {
    const last = clauses.at(-1);
    const isNew = word.clause !== words[at - 1]?.clause;
    if (last && (!isNew || contentOf(last).every(({ isCapital }) => isCapital))) last.push(word);
    else clauses.push([word]);
  }
  return clauses;
}
