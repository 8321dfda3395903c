import type { Found } from '../../knowledge/search/found.ts';
import { kindsAskedFor } from '../../knowledge/search/answer-type.ts';
import { MIN_TOPIC, topicIn } from '../../knowledge/search/asking/topic.ts';
import type { Query } from '../../knowledge/search/query.ts';
import { confidenceByMeaning } from './meaning.ts';
import { isPriceOfNamed } from './rows/prices.ts';
import { namesRows } from './rows/named-row.ts';
import type { Ranking } from './rank.ts';
import { minConfidence, minHeld, SYNONYM, UNSURE_CONFIDENCE, UNSURE_HELD } from './threshold.ts';

/** Whether quotes answer: surely, perhaps, or not at all. */
type Certainty = 'sure' | 'unsure' | 'none';

/** From here on to below 1 a root is a likely spelling of the word, and what it counts: “parking” may not be “packing”. */
const CORRECTION = 0.9;
const CORRECTED = 0.5;
/** The least share of a question without the names that no page has, where it is about a table of such names. */
const MIN_KNOWN = 0.8;
/** The least share of what stands beside a question that points back to it, where the answer is sure. */
const MIN_BESIDE = 0.25;
/** The least confidence of a language from which on its words have few forms. */
const FEW_FORMS = 0.18;
/** How much more than the word that a passage has those weigh that no page has: a word of one passage alone names its subject. */
const STRANGER = 1.2;
/** A passage far ahead of the others still has to have words for some of the question. */
const MAX_LEAD = 1.5;
/** What a follow-up counts as ahead by: the answer before tells what it is about. */
const FOLLOW_UP_LEAD = 0.13;
/** How sure the best sentence answers, and what says so. */
export interface Judgement {
  certainty: Certainty;
  /** 0 to 1: the share of the question's worth that the best passage, its title or its headings have words for. */
  held: number;
  /** What `held` has to be for `sure`: 1 at most. */
  needed: number;
}

/**
 * `sure` where the best passage has words for most of the question, the less of it the farther it is ahead of the others.
 * `unsure` where it may answer all the same.
 */
export function judge({ candidates, confidence }: Ranking, query: Query, found: Found[]): Judgement {
  const [best] = candidates;
  const passage = best && found[best.found];
  const usual = minHeld(query, found);
  if (!passage) return { certainty: 'none', held: 0, needed: usual };
  if (passage.match.exact || passage.match.asked) return { certainty: 'sure', held: 1, needed: usual };
  if (isOnlyPrice({ candidates }, query, found)) return { certainty: 'sure', held: 1, needed: usual };
  const shares = sharesIn(passage, query);
  const held = heldOf(shares, query);
  const needed = Math.min(1, minHeld(query, found, leadOf(passage, found, query)));
  const least = minConfidence(query, found);
  const meant = confidenceByMeaning(passage, query, found);
  const own = goesOnOwnPage(query, passage)
    ? heldOf(shares, { ...query, terms: query.terms.slice(0, query.earlier) })
    : 0;
  if (own >= usual) return { certainty: 'sure', held: own, needed: usual };
  const goesOn = query.goesOn && passage.match.quoted !== undefined;
  const isAstray = leavesTopic(query, passage);
  if (
    isAstray &&
    query.pointsBack &&
    !found.some(({ match }) => match.quoted !== undefined) &&
    topicOf(query, passage) === 0
  )
    return { certainty: 'none', held, needed };
  const isKept = goesOn || meant > 0 || lacksItsRow(shares, query, passage);
  const mayGoOn = found.some(({ match }) => match.quoted !== undefined);
  const isOther = !isKept && !mayGoOn && isAboutOther(shares, query, least);
  if (confidence < least) {
    const isNear = heldOf(shares, query, true) >= UNSURE_HELD * usual && query.unknownNames === 0;
    const isClose = isKept || (confidence >= UNSURE_CONFIDENCE * least && isNear && !isOther);
    return { certainty: isClose ? 'unsure' : 'none', held, needed };
  }
  const isRowLacking = query.unknownNames > 0 && namesRows(passage);
  // Who asks for a long text asks for what there is.
  const isSure =
    query.isLongForm ||
    ((meant >= least ||
      (held >= needed && !passage.match.answersOther && hasWhatItPointsTo(shares, query) && !isRowLacking)) &&
      !isAstray &&
      !asksNothingNew(query) &&
      !leavesPage(query, passage, found));
  return { certainty: isSure ? 'sure' : isOther ? 'none' : 'unsure', held, needed };
}

/** Whether the best is the price of what the question names, and no other page has one. */
export function isOnlyPrice({ candidates }: Pick<Ranking, 'candidates'>, query: Query, found: Found[]): boolean {
  const prices = candidates.filter(({ found: of, at }) => isPriceOfNamed(query, found[of]!, at));
  return (
    prices[0] !== undefined &&
    prices[0] === candidates[0] &&
    new Set(prices.map(({ found: of }) => found[of]!.source.uuid)).size === 1
  );
}

/** Whether a follow-up’s own words may say enough: the answer before quoted that page, and no word is a guess. */
const goesOnOwnPage = ({ isFollowUp, terms, earlier }: Query, { match }: Found): boolean =>
  isFollowUp && earlier > 0 && match.quoted !== undefined && terms.slice(0, earlier).every(({ isGuess }) => !isGuess);

/** Whether any piece holds the kind of thing asked for: what does not may tell of the subject alone. */
export const hasTypeAskedFor = ({ hasAnswerType, isLongForm }: Query, pieces: { text: string }[]): boolean =>
  hasAnswerType === undefined || isLongForm || pieces.some(({ text }) => hasAnswerType(text));

/** Whether a message that goes on from the answer before has words of it found on another page than was quoted. */
const leavesPage = ({ goesOn, terms, earlier }: Query, { match }: Found, found: Found[]): boolean =>
  goesOn && earlier < terms.length && !match.quoted && found.some((one) => one.match.quoted !== undefined);

/**
 * Whether a follow-up that names nothing is answered by a passage which is not about what was named before. One whose words are all
 * in a heading has a section of its own: “What time do you open?”.
 */
function leavesTopic(query: Query, passage: Found): boolean {
  const { isFollowUp, names, pointsBack, terms, implied, earlier, beside, termByRoot } = query;
  if (!isFollowUp || earlier === beside || passage.match.quoted || (names && !pointsBack)) return false;
  const headed = new Set(Array.from(passage.match.head, (root) => termByRoot.get(root)?.term ?? -1));
  if (!pointsBack && implied > 0 && terms.slice(0, implied).every((_, term) => headed.has(term))) return false;
  return topicOf(query, passage) < MIN_TOPIC;
}

const topicOf = (query: Query, { match }: Found): number =>
  topicIn([...match.head, ...match.sentences().flatMap(({ roots }) => roots)], query);

/** Whether a follow-up has no word of its own to be answered by, and asks for no kind of thing: “And what about that?”. */
const asksNothingNew = ({ isFollowUp, implied, earlier, beside, hasAnswerType }: Query): boolean =>
  isFollowUp && implied === 0 && earlier < beside && hasAnswerType === undefined;

/** How far the score of a passage is above the best of the others; undefined where there are none. */
function leadOf(passage: Found, found: Found[], { isFollowUp }: Query): number | undefined {
  const other = found.find((one) => one !== passage && !one.match.answersOther);
  return other && Math.min(MAX_LEAD, passage.score - other.score) + (isFollowUp ? FOLLOW_UP_LEAD : 0);
}

/** By term, 0 to 1: how well a passage has it. */
function sharesIn({ match }: Found, { terms, termByRoot }: Query): Float64Array {
  const shares = new Float64Array(terms.length);
  const read = (root: number): void => {
    const found = termByRoot.get(root);
    if (!found || found.share < SYNONYM) return;
    const share = found.share >= CORRECTION && found.share < 1 ? CORRECTED : 1;
    if (shares[found.term]! < share) shares[found.term] = share;
  };
  match.head.forEach(read);
  for (const { roots } of match.sentences()) roots.forEach(read);
  return shares;
}

/**
 * The word that names the kind of thing asked for is left out: “which colour” is answered by “green”. `isStrict`: a
 * missing word counts in full, however common it is in any text.
 */
function heldOf(shares: Float64Array, { terms, question }: Query, isStrict = false): number {
  const kinds = kindsAskedFor(question);
  let [held, all] = [0, 0];
  for (const [term, { word, worth, loss, isGuess }] of terms.entries()) {
    if (shares[term] === 0 && kinds.has(word)) continue;
    held += isGuess ? 0 : worth * shares[term]!;
    all += shares[term] === 0 && !isStrict ? loss : worth;
  }
  return held / (all || 1);
}

/**
 * Whether the passage has one word of the question alone, and words that no page has outweigh it: “How much does a passport
 * cost?” is not answered by any cost. Where words have many forms, such a word tells too little.
 */
function isAboutOther(shares: Float64Array, query: Query, least: number): boolean {
  const own = query.terms.slice(0, query.implied);
  const known = new Set(Array.from(query.termByRoot.values(), ({ term }) => term));
  // A story, or what stands before or beside the question, tells what it is about.
  if (!query.isQuestion || query.isFollowUp || !own.some((_, term) => known.has(term))) return false;
  let [strange, held, words] = [0, 0, 0];
  for (const [term, { worth, loss, isGuess }] of own.entries()) {
    if (isGuess || !known.has(term)) strange += loss;
    else held += loss * shares[term]!;
    // A word that is common in any text loses less than it is worth.
    if (shares[term]! > 0 && loss === worth) words++;
  }
  return least >= FEW_FORMS && words <= 1 && strange > STRANGER * held;
}

/** Whether all but a name is in a table of names: of what the table says, its reader can tell what is closest. */
function lacksItsRow(shares: Float64Array, query: Query, passage: Found): boolean {
  const known = 1 - query.unknownNames;
  return known < 1 && known > 0 && heldOf(shares, query, true) >= MIN_KNOWN * known && namesRows(passage);
}

/** “I cannot come tomorrow. Will that cost me anything?” is not answered by any cost. */
function hasWhatItPointsTo(shares: Float64Array, { terms, beside, isFollowUp }: Query): boolean {
  if (!isFollowUp || terms.length === beside) return true;
  let [held, all] = [0, 0];
  for (let term = beside; term < terms.length; term++) {
    held += terms[term]!.weight * shares[term]!;
    all += terms[term]!.weight;
  }
  return held >= MIN_BESIDE * all;
}
