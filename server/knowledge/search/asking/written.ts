import { isStopWord } from '../../text/language.ts';
import { isCommon } from '../../text/synonyms.ts';
import { eachWord, rootOf, type Vocabulary } from '../../text/tokenizer.ts';
import { kindsAskedFor } from '../answer-type.ts';
import type { Query } from '../query.ts';
import type { Term } from '../query-terms.ts';
import { kindOf, MIN_PAIR_WORDS, SAME_WORD } from '../question-pairs.ts';
import type { Entry } from '../types.ts';

/** The least share of a root that says the same as a word of the question. */
const SYNONYM = 0.5;
/** The least weight of a word that is left unanswered, as a share of that of the rarest word which both questions have. */
const MIN_LEFT = 0.5;
/** What an elision leaves: “Y a-t-il …” */
const LETTER = /^\p{L}$/u;

/**
 * Whether an answer that the owner wrote is for another question than this one. On 146 questions that ask what the owner had
 * answered and 111 that do not, in six languages, 20 of the latter are answered surely without it and 4 with it; of the former
 * 125 and 122.
 */
export function answersOther<S>(entry: Entry<S>, query: Query, words: Vocabulary): boolean {
  if (!entry.pair?.isOwners) return false;
  const compared = compare(entry.pair.question, entry, query, words);
  // What the answer mentions beside, such as an address, is what other questions are about.
  if (compared.shared.size === 0) return true;
  return leavesWord(compared, query) || asksForOtherKind(entry.pair.question, entry.text, compared, query);
}

/** What the written question and its answer have of the one that is asked. */
interface Compared {
  /** Terms that both questions have. */
  shared: Set<number>;
  /** Terms of the question asked that neither the written question nor its answer has. */
  left: LeftTerm[];
  /** The written question has a word that the one asked lacks, and that is not common in any text. */
  asksMore: boolean;
}

type LeftTerm = Term & {
  /** A page has the word, or another for the same. */
  isKnown: boolean;
};

function compare<S>(written: string, { forms, language }: Entry<S>, query: Query, words: Vocabulary): Compared {
  const { terms, termByRoot, relatedTerms, implied } = query;
  const termOf = (root: number): number => {
    const { term, share } = termByRoot.get(root) ?? { term: -1, share: 0 };
    return share >= SYNONYM ? term : (relatedTerms.get(root) ?? -1);
  };
  const shared = new Set<number>();
  let asksMore = false;
  eachWord(written, (word) => {
    if (isStopWord(word, language) || LETTER.test(word)) return;
    const root = rootOf(word, language);
    const term = termOf(words.rootNumber(root));
    if (term >= 0) shared.add(term);
    else asksMore ||= !isCommon(root, language);
  });
  const told = new Set([...shared, ...Array.from(forms, (form) => termOf(words.root(form)))]);
  const known = new Set<number>();
  // A likely spelling of the word may be another word.
  for (const { term, share } of termByRoot.values())
    if (share === 1 || (share >= SYNONYM && share < SAME_WORD)) known.add(term);
  const left = terms
    .map((term, at) => ({ ...term, isKnown: known.has(at) }))
    .filter(({ word }, at) => at < implied && !told.has(at) && !LETTER.test(word));
  return { shared, left, asksMore };
}

/**
 * Whether a word is left that other pages have: “Is the tarn waterproof?” is not answered by what the tarn costs. A common one
 * tells little beside two words that both questions have, unless the written question asks for something else itself: “Do schools
 * get a discount?” for “Do you have a student discount?”
 */
function leavesWord({ shared, left, asksMore }: Compared, { terms }: Query): boolean {
  const rarest = Math.max(0, ...Array.from(shared, (term) => terms[term]!.weight));
  return left.some(
    ({ isKnown, isCommon: common, weight }) =>
      isKnown && (asksMore || (weight >= MIN_LEFT * rarest && (!common || shared.size < MIN_PAIR_WORDS))),
  );
}

/**
 * Whether another kind of thing is asked for: the written question asks something more, and its answer has none of that kind, or no
 * page has the word for it. “Where is the study room?” is not answered by what may be eaten there, nor “What colour is the tarn?” by
 * its price.
 */
function asksForOtherKind(written: string, answer: string, { left, asksMore }: Compared, query: Query): boolean {
  const { question, hasAnswerType } = query;
  if (kindOf(written) === kindOf(question)) return false;
  if (asksMore && hasAnswerType?.(answer) === false) return true;
  const kinds = kindsAskedFor(question);
  return left.some(
    ({ isKnown, isCommon: common, word }) => !isKnown && !common && (hasAnswerType !== undefined || kinds.has(word)),
  );
}
