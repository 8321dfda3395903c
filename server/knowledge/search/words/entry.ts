import { languageOf, type Language } from '../../text/language.ts';
import { eachWord, STOP_WORD, type Vocabulary } from '../../text/tokenizer.ts';
import { readSentences } from '../coverage.ts';
import type { Sentence } from '../found.ts';
import { firstRank } from '../section.ts';
import type { Entry, IndexedDocument } from '../types.ts';

/** What the passages of one source have in common. `rank`: of its first passage. */
export type Common<S> = Pick<Entry<S>, 'source' | 'page' | 'language' | 'rank'> & { title: string };

export const ofDocument = (document: IndexedDocument): Pick<Common<unknown>, 'language' | 'rank' | 'title'> => ({
  language: languageOf(document.text),
  rank: firstRank(document),
  title: document.title,
});

/** `at`: which of the source's passages it is, from 0. */
export function entryOf<S>(
  words: Vocabulary,
  { title, ...common }: Common<S>,
  { at, ...passage }: Pick<Entry<S>, 'headings' | 'text' | 'leadsAway'> & { at: number },
): Entry<S> {
  const { headings, text } = passage;
  const head = new Set(rootsOf(words, [title, ...headings].join('\n'), common.language));
  const forms = formsOf(words, text, common.language);
  return { ...common, ...passage, rank: common.rank + at, forms, head: Uint32Array.from(head), pair: undefined };
}

/** Split at first use. */
export function sentencesIn<S>(words: Vocabulary, entry: Entry<S>): Sentence[] {
  entry.sentences ??= readSentences(entry.text, (text) => rootsOf(words, text, entry.language));
  return entry.sentences;
}

export const rootsOf = (words: Vocabulary, text: string, language: Language): number[] =>
  Array.from(formsOf(words, text, language), (form) => words.root(form));

function formsOf(words: Vocabulary, text: string, language: Language): Uint32Array {
  const forms: number[] = [];
  eachWord(text, (word) => {
    const form = words.add(word, language);
    if (form !== STOP_WORD) forms.push(form);
  });
  return Uint32Array.from(forms);
}
