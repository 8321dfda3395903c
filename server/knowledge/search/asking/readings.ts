import { asks, contentWords, isAside, isStory, valueOf, type Site, type SplitMessage } from './clause.ts';
import { MARK, OPEN_END, sentencesIn } from './message-sentences.ts';
import { pointsBack } from './follow-up.ts';
import { isPoliteQuestion } from './politeness.ts';

/** A part of a message that may be what it asks. */
export interface Reading {
  question: string;
  /** Whether all that it leaves out is known to ask nothing: a greeting, a story, another language than the site's. */
  isSafe: boolean;
}

/** What is tried at most: each costs a search. */
const MAX_READINGS = 6;
/** UTF-16 units of a sentence that is cut, and its cuts. */
const [MAX_LENGTH, MAX_CUTS] = [600, 12];
/** Words that say something in a part whose neighbour may belong to it. */
const MIN_CONTENT = 2;
/** Where a clause begins, which may need the one before it. */
const CLAUSES =
  /(?<=[,،，;])\s+|\s+(?=(?:but|so|because|cause|since|as|aber|weil|denn|mais|car|pero|porque|ma|perché|maar|want|mas)\s)/giu;
/** What stands on its own: behind a colon, a dash or dots, in brackets, or with a capital in mid-sentence. */
const BREAKS =
  /(?<=[:：…])\s*|(?<=\.{2,})\s*|\s+(?=[–—-]{1,2}\s)|\s*(?=[(（])|(?<=[)）])\s*|(?<=[\p{Ll}\p{N}][^\p{L}\s]?)\s+(?=\p{Lu})/gu;
/** What leads to a clause, and what is left at the end of one. */
const EDGES = /^[^\p{L}\p{N}]*(?:(?:but|so|and|aber|und|mais|et|pero|y|ma|e|maar|en|mas)\s+)?|[\s,:;–—(（-]+$/giu;

/**
 * The parts of a message by which to search where no page answers all of it, likeliest first; none of a message that is one
 * plain sentence.
 */
export function readingsOf(message: string, { question, asking }: SplitMessage, site: Site): Reading[] {
  const isLeftOut = (part: string): boolean =>
    site.isForeign(part) || isAside(part) || isStory(part) || contentWords(part) === 0;
  const asksItself = asking.some((one) => MARK.test(one) || asks(one));
  const sentences = sentencesIn(message, site.isForeign).filter((one) => !isPoliteQuestion(one));
  const others = sentences.filter((one) => !asksItself && !asking.includes(one) && !isLeftOut(one));
  const bases = asking.length + others.length > 0 ? [...asking, ...others] : sentences;
  const isSafe = asksItself || bases.length === 1;
  const readings = new Map<string, Reading>();
  for (const base of bases) {
    const whole = { question: base, isSafe: true };
    for (const reading of [whole, ...partsOf(base.slice(0, MAX_LENGTH), isLeftOut)])
      if (reading.question !== question)
        readings.set(reading.question, { ...reading, isSafe: reading.isSafe && isSafe });
  }
  const byLikelihood = (a: Reading, b: Reading): number =>
    Number(b.isSafe) - Number(a.isSafe) || valueOf(b.question, site) - valueOf(a.question, site);
  return [...readings.values()].toSorted(byLikelihood).slice(0, MAX_READINGS);
}

function partsOf(sentence: string, isLeftOut: (part: string) => boolean): Reading[] {
  const breaks = placesOf(sentence, BREAKS);
  const places = [0, ...new Set([...breaks, ...placesOf(sentence, CLAUSES)]), sentence.length].toSorted(
    (a, b) => a - b,
  );
  const parts: Reading[] = [];
  for (const from of places.slice(0, MAX_CUTS))
    for (const to of places.slice(0, MAX_CUTS + 1)) {
      if (to <= from || to - from === sentence.length) continue;
      const [before, part, after] = [sentence.slice(0, from), sentence.slice(from, to), sentence.slice(to)];
      const isSafe = [before, after].every((one) => one === '' || isLeftOut(one.replace(EDGES, '')));
      // What is left out of a clause may restrict it: “With a dog, may I come in?”
      const isApart = [from, to].every((place) => place === 0 || place === sentence.length || breaks.includes(place));
      const question = part.replace(EDGES, '');
      if ((isSafe || isApart) && mayAsk(question, sentence, isSafe)) parts.push({ question, isSafe });
    }
  return parts;
}

const placesOf = (sentence: string, cut: RegExp): number[] =>
  Array.from(sentence.matchAll(cut), ({ index, 0: space }) => index + space.length);

const mayAsk = (part: string, sentence: string, isSafe: boolean): boolean =>
  (!MARK.test(sentence) || MARK.test(part)) &&
  !isStory(part) &&
  !OPEN_END.test(part) &&
  !pointsBack(part) &&
  /\S\s+\S/.test(part) &&
  contentWords(part) >= (isSafe ? 1 : MIN_CONTENT);
