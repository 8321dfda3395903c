import { areOpposites } from './antonyms.ts';
import { contentOf, has, isDenied, shareOf, type Word } from './wording.ts';

/** Whether a claim says something else than the passage it cites, with the passage's own words. */

/** Words on each side of another that tell what it is said of, and how many two places have in common. */
const [AROUND, MIN_ALIKE] = [3, 2];
/** The share of the claim's content words that a part of the passage must contain to be compared with it. */
const MIN_OVERLAP = 0.5;
/** The share of the words which one side denies that the other must affirm. */
const MIN_AFFIRMED = 0.6;
/** What exchanging two parts of a claim must gain: runs of words that the passage has too. */
const MIN_EXCHANGE_GAIN = 2;
/** Parts of a claim that are exchanged with each other. */
const MAX_PARTS = 12;

/** Beside a negation: “no other city is larger” says that one is the largest. */
const COMPARES = /^(?:more|less|than|other|mehr|als|más|que|plus|più|mais|meer|dan)$/;

/** Beside a negation in a passage, what tells that something is affirmed too: “not before”, “not … but”, “unlike …”. */
const CONTRASTS = /^(?:until|but|unlike|contrast|whereas|rather|other|bis|sondern|sino|hasta|jusque|bensì|até)$/;

/** `sentences`: of the passage, in the claim's language. */
export function contradicts(claim: Word[], sentences: Word[][]): boolean {
  const near = nearest(claim, sentences);
  if (near.length === 0) return false;
  return deniesOther(claim, near, sentences) || saysOpposite(claim, near, sentences) || exchangesParts(claim, near);
}

/** The sentences with most of the claim: of two that follow each other, both together where neither has enough. */
function nearest(claim: Word[], sentences: Word[][]): Word[][] {
  const content = contentOf(claim);
  const shares = sentences.map((sentence) => shareOf(content, sentence));
  const most = Math.max(0, ...shares);
  if (most >= MIN_OVERLAP) return sentences.filter((_, at) => shares[at] === most);
  const pairs = sentences.slice(1).map((sentence, at) => [...sentences[at]!, ...sentence]);
  const joint = pairs.map((pair) => shareOf(content, pair));
  const best = Math.max(0, ...joint);
  return best >= MIN_OVERLAP ? pairs.filter((_, at) => joint[at] === best) : [];
}

/** The words that each negation of a text denies. */
function denials(words: Word[]): Word[][] {
  const groups: Word[][] = [];
  let group: Word[] = [];
  for (const [at, word] of words.entries()) {
    if (word.isNegation) groups.push((group = negatedBefore(words, at)));
    else if (word.isNegated && !groups.flat().includes(word)) group.push(word);
  }
  return groups.filter(({ length }) => length > 0);
}

/** Those that stand before a negation, behind the one before. */
function negatedBefore(words: Word[], at: number): Word[] {
  const from = words.findLastIndex(
    ({ isNegation, clause }, place) => place < at && (isNegation || clause !== words[at]!.clause),
  );
  return words.slice(from + 1, at).filter(({ isNegated }) => isNegated);
}

const affirms = (words: readonly Word[], denied: Word[]): boolean =>
  shareOf(
    denied,
    words.filter(({ isContent, isNegated }) => isContent && !isNegated),
  ) >= MIN_AFFIRMED;

/** One side denies what the other affirms, and nothing else in the passage agrees with the claim. */
function deniesOther(claim: Word[], near: Word[][], sentences: Word[][]): boolean {
  const said = denials(claim);
  if (said.length > 0)
    return (
      !claim.some(({ text }) => COMPARES.test(text)) &&
      said.some(
        (denied) =>
          near.some((sentence) => affirms(sentence, denied) && !isDenied(sentence)) &&
          !sentences.some((sentence) => denials(sentence).some((group) => shareOf(denied, group) > 0)),
      )
    );
  if (isDenied(claim)) return false;
  const lacks = (sentence: Word[]): boolean =>
    !sentence.some(({ text }) => CONTRASTS.test(text)) &&
    denials(sentence).some((denied) => has(claim, denied[0]!) && affirms(claim, denied) && !affirms(sentence, denied));
  return near.every(lacks);
}

/** The claim has the opposite of a word of the passage, said of the same. */
function saysOpposite(claim: Word[], near: Word[][], sentences: Word[][]): boolean {
  for (const [at, word] of claim.entries()) {
    if (word.isNegation || sentences.some((sentence) => sentence.some(({ root }) => root === word.root))) continue;
    const around = aroundOf(claim, at);
    for (const sentence of near)
      for (const [place, other] of sentence.entries())
        if (
          areOpposites(word, other) &&
          !claim.some(({ root }) => root === other.root) &&
          word.isNegated === other.isNegated &&
          areAlike(around, aroundOf(sentence, place))
        )
          return true;
  }
  return false;
}

/** The content words nearest to a place, on both sides, nearest first. */
const aroundOf = (words: Word[], at: number): Word[][] => [
  contentOf(words.slice(0, at)).slice(-AROUND).toReversed(),
  contentOf(words.slice(at + 1)).slice(0, AROUND),
];

/** Whether two places have the next word in common, or two further ones. */
const areAlike = (one: Word[][], other: Word[][]): boolean =>
  one.some((side, at) => side[0] && other[at]![0]?.root === side[0].root) ||
  other.flat().filter((word) => has(one.flat(), word)).length >= MIN_ALIKE;

/** Words of a claim from `start` to before `end`: a name, or one content word. */
interface Part {
  start: number;
  end: number;
}

/** Whether two parts of the claim, each in the place of the other, both stand as in the passage, and more clearly than before. */
function exchangesParts(said: Word[], near: Word[][]): boolean {
  const claim = said.filter(isNoArticle);
  return near.some((whole) => {
    // “by” turns who does a thing and to whom around.
    if (hasBy(claim) !== hasBy(whole)) return false;
    const sentence = whole.filter(isNoArticle);
    const runs = new Runs(sentence);
    const parts = partsOf(claim);
    const shared = parts.filter(({ start }) => has(sentence, claim[start]!)).slice(0, MAX_PARTS);
    const roots = claim.map(({ root }) => root);
    return shared.some((one, at) =>
      shared.slice(at + 1).some((other) => {
        // “John and Charles” are “Charles and John”.
        const isList = parts
          .slice(parts.indexOf(one) + 1, parts.indexOf(other) + 1)
          .every(({ start }) => claim[start]!.isJoined);
        const areNames = claim[one.start]!.isCapital && claim[other.start]!.isCapital;
        return !isList && gainOf(runs, roots, one, other) >= (areNames ? MIN_EXCHANGE_GAIN : MIN_EXCHANGE_GAIN + 1);
      }),
    );
  });
}

/** 0 also where one of the two stands worse in the place of the other. */
function gainOf(runs: Runs, roots: string[], one: Part, other: Part): number {
  const put = (into: Part, from: Part): number =>
    runs.around([
      ...roots.slice(Math.max(0, into.start - 2), into.start),
      ...roots.slice(from.start, from.end),
      ...roots.slice(into.end, into.end + 2),
    ]);
  const [first, second] = [put(one, other) - put(one, one), put(other, one) - put(other, other)];
  return Math.min(first, second) < 0 ? 0 : first + second;
}

/** Articles stand before names that have one, wherever they are. */
const isNoArticle = ({ text }: Word): boolean => !/^(?:an?|the)$/.test(text);
const hasBy = (words: Word[]): boolean => words.some(({ text }) => text === 'by');

function partsOf(claim: Word[]): Part[] {
  const parts: Part[] = [];
  for (const [at, { text, isContent, isCapital }] of claim.entries()) {
    const before = parts.at(-1);
    if (!isContent || /^\p{N}/u.test(text)) continue;
    if (isCapital && before?.end === at && claim[before.start]!.isCapital) before.end = at + 1;
    else parts.push({ start: at, end: at + 1 });
  }
  return parts;
}

/** The runs of two and of three words of a text. */
class Runs {
  readonly #known = new Set<string>();

  constructor(words: Word[]) {
    const roots = words.map(({ root }) => root);
    for (const at of roots.keys()) {
      this.#known.add(roots.slice(at, at + 2).join(' '));
      this.#known.add(roots.slice(at, at + 3).join(' '));
    }
  }

  /** How many of the runs of these words are known. */
  around(roots: string[]): number {
    let count = 0;
    for (let at = 1; at < roots.length; at++) {
      if (this.#known.has(`${roots[at - 1]} ${roots[at]}`)) count++;
      if (at > 1 && this.#known.has(`${roots[at - 2]} ${roots[at - 1]} ${roots[at]}`)) count++;
    }
    return count;
  }
}
