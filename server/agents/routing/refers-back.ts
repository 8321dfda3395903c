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
/** A message that names more is about what it names. */
const MAX_NAMED = 3;

/** Whether a message goes on with what was said before: it has a word that stands for that, and names little of its own. */
export function refersBack(message: string): boolean {
  const words = wordsOf(message);
  return words.some(({ word }) => PRONOUNS.has(word)) && words.filter(({ stop }) => !stop).length <= MAX_NAMED;
}
