import { detectLanguage } from '../../knowledge/text/detect-language.ts';
import { isCommon } from '../../knowledge/text/synonyms.ts';
import { featuresOf, wordsOf, type Features, type Weigh, type Word } from './features.ts';

/** How rare a word is on a site, from 0 to 1: 1 for one that no page has. */
export type Rarity = (word: string) => number;

/** What a word that is everywhere counts, and a stop word: "where" and "when" ask for two things. */
const [LEAST, STOP] = [0.1, 0.3];
/** The most of what a message of the texts names that is on the site alone; .34 to .5 do the same on the teams of the tests. */
const ELSEWHERE = 0.4;
/** Words with a meaning of their own in a message that goes on with the one before it. */
const MAX_CONTINUING = 2;

/** What is left of a likeness by one word that another, of none of the texts, narrows; .65 to .75 do nearly the same on the teams of the tests. */
const NARROWED = 0.7;

/** The rest of a message does not take back what one clause asks. */
const CLAUSES = /[,;:.!?…、。，！？]+\s*/u;
const MAX_CLAUSES = 8;

/**
 * From 0 to 1: how like a message is to the nearest of some texts, where a word counts by how rare it is on the site. To
 * share what every page says ("the shop") is no likeness, and neither is it to ask in the same way for what only the site has:
 * "How do I change my bank account?" is not "How do I change my password?". A word that is in no text and narrows the only one that
 * is ("student discount") makes it less like. A message without words of its own is read after `turn`. `reply`: what the agent answers, or nothing.
 */
export function belonging(
  message: string,
  turn: string | undefined,
  texts: readonly string[],
  reply: string,
  rarity: Rarity,
): number {
  const weigh: Weigh = ({ word, stop }) => (stop ? STOP : Math.max(LEAST, rarity(word)));
  // Most texts have none of a message's words, and need no features.
  let features: Features[] | undefined;
  const known = [...texts, reply].flatMap(wordsOf);
  const likeness = (text: string): number => {
    if (elsewhere(text, known, rarity) > ELSEWHERE) return 0;
    const share = isNarrowed(text, known) ? NARROWED : 1;
    const own = featuresOf(text, weigh);
    features ??= texts.map((one) => featuresOf(one, weigh));
    return share * Math.max(0, ...features.map((other) => product(own, other)));
  };
  const clauses = message.split(CLAUSES).slice(0, MAX_CLAUSES);
  const said = Math.max(likeness(message), ...(clauses.length > 1 ? clauses.map(likeness) : []));
  return turn !== undefined && continues(message, texts) ? Math.max(said, likeness(`${turn} ${message}`)) : said;
}

/** From 0 to 1, which share of what a message names is on the site and neither in the texts nor in the reply. */
function elsewhere(message: string, known: readonly Word[], rarity: Rarity): number {
  const named = wordsOf(message).filter(({ stop }) => !stop);
  const others = named.filter((word) => rarity(word.word) < 1 && !known.some((one) => isSameWord(word, one)));
  return others.length / (named.length || 1);
}

const FOR = /^(?:for|of|to|für|von|pour|de|des|d|para|per|di|voor|van|för|til|till|dla|для)$/;
const ARTICLE = /^(?:the|an?|my|our|die|der|das|den|le|la|les|el|los|las|i|gli|de|het)$/;

/**
 * Whether of what a message names one thing alone is known, and a rare word says which one: right beside it in English, which
 * writes compounds in two words, or after "for" and the like. Days and what is as common narrow nothing.
 */
function isNarrowed(message: string, known: readonly Word[]): boolean {
  const words = wordsOf(message);
  const isKnown = (word: Word): boolean => known.some((one) => isSameWord(word, one));
  const named = words.flatMap((word, at) => (word.stop ? [] : [{ at, word }]));
  const [shared, another] = named.filter(({ word }) => isKnown(word));
  if (!shared || another || named.length === 1) return false;
  const isRare = (word: Word | undefined): boolean =>
    word !== undefined && !word.stop && !isKnown(word) && !isCommon(word.root) && !/^\d|day$|night$/.test(word.plain);
  const after = words.slice(shared.at + 1);
  if ((detectLanguage(message) ?? 'en') === 'en' && (isRare(words[shared.at - 1]) || isRare(after[0]))) return true;
  return FOR.test(after[0]?.word ?? '') && isRare(ARTICLE.test(after[1]?.word ?? '') ? after[2] : after[1]);
}

/** Words of one root, or of a common beginning: other languages have no stemmer here. */
function isSameWord(one: Word, other: Word): boolean {
  const length = Math.max(4, Math.ceil(one.plain.length * 0.6));
  return one.root === other.root || (one.plain.length > 4 && other.plain.startsWith(one.plain.slice(0, length)));
}

/** Whether all that a short message names is in the texts. */
function continues(message: string, texts: readonly string[]): boolean {
  const named = wordsOf(message).filter(({ stop }) => !stop);
  if (named.length > MAX_CONTINUING) return false;
  const known = new Set(texts.flatMap((text) => wordsOf(text).map(({ root }) => root)));
  return named.every(({ root }) => known.has(root));
}

function product(one: Features, other: Features): number {
  let sum = 0;
  for (const [name, { weight }] of one) sum += weight * (other.get(name)?.weight ?? 0);
  return sum;
}
