import type { LanguageCode } from '../../../knowledge/text/languages.ts';
import { detectLanguage } from '../../../knowledge/text/detect-language.ts';
import { isLinked } from './connectives.ts';

/** The end of a complete sentence. */
export const SENTENCE_END = /[.!?…。！？｡؟।][)\]"'”’»」』]*$/;

/** First words of a sentence that names what the one before it names. */
const REFERRING_WORDS: Partial<Record<LanguageCode, string>> = {
  en: 'he she it they this that these those its their his her such otherwise both neither',
  de: 'er sie es dies diese dieser dieses das dabei dafür dazu beide',
  es: 'ellos ellas él ella esto este esta estos estas eso',
  fr: 'il elle ils elles cela ceci celui celle ceux',
  it: 'esso essa essi questo questa questi queste ciò',
  pt: 'ele ela eles elas isto isso este esta',
  nl: 'hij zij ze het dit dat deze',
  pl: 'on ona ono oni to ten ta',
  sv: 'han hon den det de detta dessa',
  da: 'han hun den det de dette disse',
  ru: 'он она оно они это этот эта эти',
  ro: 'el ea ei ele acesta aceasta acestea',
  tr: 'o onlar bu bunlar',
  el: 'αυτός αυτή αυτό αυτοί αυτά',
};
const UNSPACED_ANAPHORA = /^(?:[他她它这該该此]|これ|それ|彼|この|その)/;
const OPENING = /^["'“‘«(¿¡]+/;

const wordsByLanguage = new Map(
  Object.entries(REFERRING_WORDS).map(([language, list]) => [language, new Set(list.split(' '))]),
);

/** Whether a sentence of the text cannot be understood without the one before it. */
export function refersBack(sentence: string, text: string): boolean {
  const start = sentence.slice(0, 40).replace(OPENING, '');
  const first = /^\p{L}+/u.exec(start)?.[0].toLowerCase() ?? '';
  const languages = [...wordsByLanguage].filter(([, words]) => words.has(first)).map(([language]) => language);
  return (
    isLinked(start, text) ||
    UNSPACED_ANAPHORA.test(start) ||
    (languages.length > 0 && languages.includes(detectLanguage(text) ?? 'en'))
  );
}
