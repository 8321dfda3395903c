import { withoutAccents } from '../../knowledge/text/accents.ts';

export interface LetterModel {
  /** Whose texts it was counted in, and their licence. */
  credit: string;
  /** Ten times the logarithm of how likely a letter follows another; 27 rows of 27, the first of each for a word's end. */
  pairs: readonly number[];
}

/** Words shorter than this are shaped as they like. */
const SHORTEST = 5;
/** The mean likelihood of a word's letters below which it is no word: Polish goes down to -39. Short mashes such as asdasd (-33) pass. */
const UNLIKELY = -42;
/** How many letters, and which share of all, have to be of no words. */
const [LEAST_LETTERS, LEAST_SHARE] = [6, 0.6];
/**
 * The mean likelihood of all letters of a message below which it is gibberish, where it has so many letters: what somebody
 * types by hitting keys is below -40, the least likely of 8,000 real messages at -34.
 */
const [UNLIKELY_MESSAGE, LEAST_MESSAGE_LETTERS] = [-38, 10];

/** The words of a to z, accents off, in lower case; parts of codes and addresses are none. */
export const lettersOf = (text: string): string[] =>
  withoutAccents(text.toLowerCase()).match(/(?<![\p{L}\p{N}@./_-])[a-z]+(?![\p{L}\p{N}@/_-]|\.\w)/gu) ?? [];

/** The pairs of letters of a word, as places in the model. */
export function shapeOf(word: string): number[] {
  const codes = [0, ...Array.from(word, (letter) => letter.charCodeAt(0) - 96), 0];
  return codes.slice(1).map((code, at) => codes[at]! * 27 + code);
}

/** Whether most of the text is letters in an order that no language has. */
export function isGibberish(model: LetterModel, text: string): boolean {
  const all = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const words = lettersOf(text);
  let letters = 0;
  for (const word of words) {
    if (word.length >= SHORTEST && likelihoodOf(model, shapeOf(word)) < UNLIKELY) letters += word.length;
  }
  if (letters >= LEAST_LETTERS && letters >= LEAST_SHARE * all) return true;
  const shaped = words.filter(({ length }) => length > 2);
  const count = shaped.reduce((sum, { length }) => sum + length, 0);
  if (count < LEAST_MESSAGE_LETTERS || count < LEAST_SHARE * all) return false;
  return likelihoodOf(model, shaped.flatMap(shapeOf)) < UNLIKELY_MESSAGE;
}

/** The mean over pairs of letters. */
const likelihoodOf = (model: LetterModel, pairs: readonly number[]): number =>
  pairs.reduce((sum, pair) => sum + model.pairs[pair]!, 0) / pairs.length;
