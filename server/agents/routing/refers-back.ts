import { hasVerb, isFragment } from '../../knowledge/search/asking/fragments.ts';
import { wordsOf } from './features.ts';

/** Words that stand for what was said before, in ten languages. Those that are articles or "there is" as well are left out. */
const PRONOUNS = new Set(
  `it its that those these them they one ones this
  das es dafür davon damit dabei daran dazu sie ihn ihm ihnen dieser dieses diesen
  ça cela ceci celui celle ceux celles
  eso esto ello hacerlo hacerla esa ese esas esos
  questo questa quello quella ciò farlo farla
  isso isto aquilo disso nisso fazê-lo
  dat ervoor ervan daarvoor ermee hem
  tego temu tym
  bunu bunun buna onu onun bu
  это этого этому этим его её их`.split(/\s+/),
);
/** Turns of phrase in which such a word stands for nothing, and where it is an article. */
const EXPLETIVE =
  /\b(?:gibt['’]?\s*e?s|es gibt|ist es (?=möglich|erlaubt)|(?:is it|it is) (?=possible|allowed|ok\b|okay))\b/giu;
const ARTICLE = /\b[Dd]as\s+(?=\p{Lu})/gu;
/** A message that names more is about what it names. */
const MAX_NAMED = 3;
/** Words with a meaning of their own that make a message of its own without a verb: "opening hours". */
const MIN_NAMED = 2;

/** Whether a message goes on with what was said before: it has a word that stands for that, and names little of its own. */
export function refersBack(message: string): boolean {
  const words = wordsOf(message.replace(EXPLETIVE, ' ').replace(ARTICLE, ' '));
  return words.some(({ word }) => PRONOUNS.has(word)) && words.filter(({ stop }) => !stop).length <= MAX_NAMED;
}

/** Whether a message can be understood without those before it: it names something that is known here, in a sentence or by a keyword. */
export function standsAlone(message: string, isKnown: (word: string) => boolean): boolean {
  const named = wordsOf(message).filter(({ stop }) => !stop);
  if (!named.some(({ word }) => isKnown(word)) || refersBack(message) || isFragment(message)) return false;
  return named.length >= MIN_NAMED || hasVerb(message);
}
