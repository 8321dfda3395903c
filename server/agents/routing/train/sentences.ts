import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutAccents } from '../../../knowledge/text/accents.ts';

/** The sentences of a file of this folder. */
export interface Sentences {
  yes: string[];
  no: string[];
  /** The words of its lists, by letter and with `|` between them; those of `q` stand under `p`. */
  phrases: Record<string, string>;
}

/** What stands before a noun and may be left out. */
const BEFORE =
  /^(?:an?|the|your|all|any|my|eine?[nmr]?|de[mnr]|die|ihre[nm]|deine[n]?|une?|votre|ton|tes|les|le|el|las|tus|il|lo|una|le tue|tuo|tutte le|um|uma|o|as|een|je|de|z|ze|bir|с|со|ein)\s+|^l'/u;

/**
 * Reads lines of `+` and `-`. `p` and `q` before a line give lists of words for the same thing; a sentence that names a list
 * stands for itself with the first word alone, as all of them count as one.
 */
export function examplesOf(file: string, keeps: (line: string) => boolean = () => true): Sentences {
  const sentences: Sentences = { yes: [], no: [], phrases: {} };
  const lists = new Map<string, string[]>();
  for (const line of readFileSync(join(import.meta.dirname, file), 'utf8').split('\n')) {
    if (line.startsWith('# ')) lists.clear();
    const [, list, words] = /^([pqvnbow]) (.*)$/.exec(line) ?? [];
    if (list && words) lists.set(list, words.split('|'));
    const [, sign, text] = /^([+-]) (.*)$/.exec(line) ?? [];
    if (list && words) addPhrases(sentences.phrases, list === 'q' ? 'p' : list, words.split('|'));
    if (!sign || !text || !keeps(line)) continue;
    const filled = text.replace(/\{([pq])\}/, (_, name: string) => lists.get(name)![0]!);
    (sign === '+' ? sentences.yes : sentences.no).push(filled);
  }
  return sentences;
}

function addPhrases(phrases: Record<string, string>, letter: string, words: string[]): void {
  const all = letter === 'p' ? words.flatMap((one) => [one, one.replace(BEFORE, '')]) : words;
  const plain = all.map((one) => withoutAccents(one.toLowerCase()).replaceAll('’', "'"));
  phrases[letter] = [...new Set([...(phrases[letter]?.split('|') ?? []), ...plain])].join('|');
}
