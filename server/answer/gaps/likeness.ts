import { createHmac } from 'node:crypto';
import { languageOf } from '../../knowledge/text/language.ts';
import { stemsFor } from '../../knowledge/text/stems.ts';
import { synonymsOf } from '../../knowledge/text/synonyms.ts';
import { eachWord, isStopWord, rootOf } from '../../knowledge/text/tokenizer.ts';

/** Share of their terms that two questions for the same thing have in common. */
const MIN_SHARE = 0.5;

/** What a question is about, in any words: the roots of its words, one for all words of the same meaning. */
export async function termsOf(question: string): Promise<Set<string>> {
  await stemsFor(question);
  const language = languageOf(question);
  const terms = new Set<string>();
  eachWord(question, (word) => {
    if (isStopWord(word, language)) return;
    const root = rootOf(word, language);
    terms.add([root, ...synonymsOf(root, language)].toSorted()[0]!);
  });
  return terms.size > 0 ? terms : new Set([question.trim().toLowerCase()]);
}

export function areAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const shared = [...a].filter((term) => b.has(term)).length;
  return shared >= MIN_SHARE * (a.size + b.size - shared);
}

/** Terms that can be compared, and say nothing of a visitor's words to whoever has not the secret. */
export const disguised = (terms: Iterable<string>, secret: string): Set<string> =>
  new Set(Array.from(terms, (term) => createHmac('sha256', secret).update(term).digest('hex').slice(0, 16)));
