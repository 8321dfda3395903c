import type { Found, SearchResult } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import { isCommon } from '../../knowledge/text/synonyms.ts';
import { rootOf } from '../../knowledge/text/tokenizer.ts';
import type { Outcome } from '../../types.ts';
import type { QuotePiece } from './compose.ts';
import { selectAnswer, type QuotedAnswer } from './select.ts';

/**
 * Searches for one question of a message; `before`: those before it, which it may go on from; `wordsAlone`: without a request
 * for its meaning.
 */
export type SearchQuestion = (question: string, before: string[], wordsAlone?: boolean) => Promise<SearchResult>;

/** A question with the quotes that answer it. */
interface AnsweredQuestion {
  question: string;
  query: Query;
  found: Found[];
  answer: QuotedAnswer;
}

/** The answers to the questions of one message. */
export interface SeveralAnswers {
  /** In the order of the questions; one at least. */
  told: AnsweredQuestion[];
  /** The questions that nothing answers. */
  unknown: string[];
  /** Those that were not searched for, since the message asks too many. */
  leftOut: string[];
  /** All that were searched for. */
  queries: string[];
}

/** Of each question; one alone may get more. */
const SHOWN = { maxSentences: 1, maxSections: 1 };
const RANKS: Outcome[] = ['unknown', 'unsure', 'answered'];

export const outcomeOf = ({ pieces, isUnsure }: QuotedAnswer): Outcome =>
  pieces.length === 0 ? 'unknown' : isUnsure ? 'unsure' : 'answered';

/**
 * Answers each question of a message by itself. Undefined where the message asks one thing, where `whole`, the quotes for all
 * of it together, are surer than any of these answers, and where there are none and no answer is sure.
 */
export async function answerEach(
  { several: { questions: several, leftOut } }: Query,
  whole: QuotedAnswer,
  search: SearchQuestion,
): Promise<SeveralAnswers | undefined> {
  if (several.length < 2) return undefined;
  const questions = several.map(({ question }) => question);
  const results = await Promise.all(several.map(({ message }, at) => search(message, questions.slice(0, at))));
  const answered = results
    .map(({ query, found }, at) => ({
      question: questions[at]!,
      query,
      found,
      answer: selectAnswer(query, found, SHOWN),
    }))
    .reduce<AnsweredQuestion[]>(withAnswer, [])
    .filter(({ query, answer }) => outcomeOf(answer) === 'answered' || asksForSomething(query));
  const isTold = ({ answer }: AnsweredQuestion): boolean => answer.pieces.length > 0;
  const told = withoutRepeats(answered.filter(isTold));
  // Where the whole is unknown, several quotes that may not answer help nobody.
  const least = whole.pieces.length === 0 ? RANKS.indexOf('answered') : rankOf(whole);
  if (!told.some(({ answer }) => rankOf(answer) >= least)) return undefined;
  if (told.length === 1) told[0] = inFull(told[0]!);
  const unknown = answered.filter((one) => !isTold(one)).map(({ question }) => question);
  return { told, unknown, leftOut, queries: questions };
}

/**
 * The part of a message that is answered surer than `whole`, the quotes for all of it: what stands beside a question lowers
 * what is held of it. Undefined where there is none. An answer to a part is unsure where the rest may belong to it.
 */
export async function answerPart(
  query: Query,
  whole: QuotedAnswer,
  search: SearchQuestion,
): Promise<AnsweredQuestion | undefined> {
  const surest = 2 * RANKS.indexOf('answered');
  let [best, most]: [AnsweredQuestion | undefined, number] = [undefined, 2 * rankOf(whole)];
  if (most === surest) return undefined;
  for (const { question, isSafe } of query.readings()) {
    const { query: asked, found } = await search(question, [], true);
    const answer = selectAnswer(asked, found);
    const rank = 2 * rankOf(answer) + (isSafe && answer.pieces.length > 0 ? 1 : 0);
    if (rank <= most) continue;
    best = { question, query: asked, found, answer: { ...answer, isUnsure: answer.isUnsure || !isSafe } };
    most = rank;
    if (rank > surest) break;
  }
  return best;
}

const rankOf = (answer: QuotedAnswer): number => RANKS.indexOf(outcomeOf(answer));

const inFull = (one: AnsweredQuestion): AnsweredQuestion => ({
  ...one,
  answer: { ...selectAnswer(one.query, one.found), isUnsure: one.answer.isUnsure },
});

/** A question that goes on from one without an answer has none: “How much is it?” */
function withAnswer(before: AnsweredQuestion[], one: AnsweredQuestion): AnsweredQuestion[] {
  const last = before.at(-1)?.answer;
  const isLess = one.query.isFollowUp && last !== undefined && rankOf(last) < rankOf(one.answer);
  const pieces = isLess && last.pieces.length === 0 ? [] : one.answer.pieces;
  return [...before, isLess ? { ...one, answer: { ...one.answer, pieces, isUnsure: true } } : one];
}

/** Not “Isn’t it?”, nor a question in a language that no page is in, which may be one of politeness. */
function asksForSomething({ terms, implied, language, siteLanguages }: Query): boolean {
  const { detected } = language;
  if (detected && !(siteLanguages as readonly string[]).includes(detected)) return false;
  return terms.slice(0, implied).some(({ word }) => !isCommon(rootOf(word)));
}

/** Leaves out what an answer before has quoted, and a whole answer whose first quote it has: it was asked twice. */
function withoutRepeats(answered: AnsweredQuestion[]): AnsweredQuestion[] {
  const told: AnsweredQuestion[] = [];
  for (const one of answered) {
    const quoting = ({ found, text }: QuotePiece): AnsweredQuestion | undefined =>
      told.find((other) => quotes(other, one.found[found]!.entry, text));
    const [first] = one.answer.pieces;
    const same = quoting(first!);
    if (same) same.answer.isUnsure &&= one.answer.isUnsure;
    else told.push({ ...one, answer: { ...one.answer, pieces: one.answer.pieces.filter((piece) => !quoting(piece)) } });
  }
  return told;
}

const quotes = ({ answer, found }: AnsweredQuestion, entry: object, text: string): boolean =>
  answer.pieces.some((piece) => found[piece.found]!.entry === entry && piece.text.includes(text));
