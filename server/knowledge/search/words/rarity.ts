import { withoutAccents } from '../../text/accents.ts';
import { rootOf, UNSEEN, type Vocabulary } from '../../text/tokenizer.ts';

/** How rare a word is, whatever its ending, from 0 to 1: 1 for a word that no passage has. */
export function rarityOf(word: string, words: Vocabulary, idf: (root: number) => number): number {
  const roots = words.languages.map((language) => words.rootNumber(rootOf(word, language)));
  const known = roots.some((root) => root !== UNSEEN) ? roots : words.rootsIgnoringAccents(withoutAccents(word));
  return Math.min(idf(UNSEEN), ...known.map(idf)) / idf(UNSEEN);
}
