import type { LanguageCode } from '../../knowledge/text/languages.ts';
import { detectLanguage } from '../../knowledge/text/detect-language.ts';

/** The end of a complete sentence. */
export const SENTENCE_END = /[.!?…。！？｡؟।][)\]"'”’»」』]*$/;

/** First words of a sentence that refers to the one before it. */
const REFERRING_WORDS: Partial<Record<LanguageCode, string>> = {
  en: 'he she it they this that these those its their his her such otherwise instead then however but also both neither',
  de: 'er sie es dies diese dieser dieses das dabei dafür dazu dann aber sonst beide außerdem',
  es: 'ellos ellas él ella esto este esta estos estas eso pero además',
  fr: 'il elle ils elles cela ceci celui celle ceux mais sinon',
  it: 'esso essa essi questo questa questi queste ciò ma altrimenti',
  pt: 'ele ela eles elas isto isso este esta mas',
  nl: 'hij zij ze het dit dat deze maar anders',
  pl: 'on ona ono oni to ten ta ale jednak',
  sv: 'han hon den det de detta dessa men annars',
  da: 'han hun den det de dette disse men ellers',
  ru: 'он она оно они это этот эта эти но иначе',
  ro: 'el ea ei ele acesta aceasta acestea dar altfel',
  tr: 'o onlar bu bunlar ancak fakat',
  el: 'αυτός αυτή αυτό αυτοί αυτά όμως αλλά',
};
/** Beginnings of a sentence that illustrates or limits the one before it. */
const ILLUSTRATION =
  /^(?:for (?:example|instance)|note that|zum beispiel|beachten sie|por ejemplo|par exemple|per esempio|por exemplo|bijvoorbeeld|till exempel|for eksempel|na przykład|например|de exemplu|örneğin|για παράδειγμα)(?!\p{L})|^(?:例えば|例如|比如)/iu;
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
    ILLUSTRATION.test(start) ||
    UNSPACED_ANAPHORA.test(start) ||
    (languages.length > 0 && languages.includes(detectLanguage(text) ?? 'en'))
  );
}
