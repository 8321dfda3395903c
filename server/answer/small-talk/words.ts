import { withoutAccents } from '../../knowledge/text/accents.ts';

/** Letters of scripts that put no space between words, or where visitors leave it out: each is a word here. */
const UNSPACED = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}ー';
const WORD = new RegExp(`[${UNSPACED}]|[^${UNSPACED}\\P{L}](?:[^${UNSPACED}\\P{L}]|\\p{M})*|\\p{N}+`, 'gu');
const ASCII = /^[\0-\x7f]*$/;
const INVISIBLE = /['’‘`´ʼ׳״"\p{Cf}\u0640]/gu;
const EMOTICONS = /(?<![\p{L}\p{N}])(?:[:;=x][-^]?[)(dpo*3]+|<3)(?![\p{L}\p{N}])/gu;
/** Letters that visitors write for one another, or plain ones for, and which Unicode does not decompose. */
const SAME = new Map(['łl', 'øo', 'ßs', 'ςσ', 'ىي', 'ةه', '\u0901\u0902'].map(([letter, same]) => [letter, same!]));
const SAME_LETTERS = /[łøßςىة]|\u0901/gu;
const REPEATED = /(\p{L})\1+/gu;
const REPEATED_ASCII = /([a-z])\1+/g;

/**
 * The words of a text, so that spellings of one sound come out the same: lower case, without accents, apostrophes and
 * emoticons, a letter that is repeated once only (`heyyy`, `helo`).
 */
export function wordsIn(text: string): string[] {
  if (ASCII.test(text)) {
    const plain = text.toLowerCase().replace(INVISIBLE, '').replace(EMOTICONS, ' ').replace(REPEATED_ASCII, '$1');
    return plain.match(/[a-z]+|\d+/g) ?? [];
  }
  const plain = text.normalize('NFKC').toLowerCase().replace(INVISIBLE, '').replace(EMOTICONS, ' ');
  return (plain.match(WORD) ?? []).map((word) => (word.length === 1 ? word : folded(word)));
}

const folded = (word: string): string =>
  withoutAccents(word)
    .replace(SAME_LETTERS, (letter) => SAME.get(letter) ?? letter)
    .replace(REPEATED, '$1');
