import {
  contentOf,
  deniesByWord,
  isDenied,
  shareOf,
  wordsInOrder,
  type StopWordLanguage,
  type Word,
} from './wording.ts';

/** Reads questions that a page answers with yes or no, and compares claims with them. */

/** A question with its answer: “Do you treat cats? No, only dogs.” */
export interface Answered {
  isYes: boolean;
  question: Word[];
  /** The answer without its first word. */
  rest: Word[];
}

const YES = 'yes ja oui sí sì sim tak да так igen kyllä evet ναι ano'.split(' ');
const NO = 'no nein non não nee nej nei nie нет ні не nem ei hayır όχι ne nu'.split(' ');
const WORDS = new Set([...YES, ...NO]);
/** What may stand before it, and has to stand behind it: “A: Yes, on weekdays.” */
const FIRST_WORD = /^(?:\p{L}{1,9}\s?[:.]\s*)?[*_"“„«(¡]*(\p{L}+)\s*(?:[,.;:!–—*_-]|$)/u;
const QUESTION = /[?？؟;]["”»)*_]*$/u;

/** The share of a claim that a question must have to be about the same: less where the claim begins with yes or no. */
const [MIN_SHARE, MIN_SHARE_OPENED] = [0.7, 0.4];
/** The share of the question that the claim must have then. */
const MIN_ASKED = 0.5;

/** A passage word by word. */
export interface Ordered {
  /** Without the questions that are answered by yes or no, and the answers of such a word alone. */
  sentences: Word[][];
  answered: Answered[];
}

/** Reads the sentences of a passage; `heading`: the last one above it, which may ask what the first sentence answers. */
export function readAnswers(texts: string[], heading: string, language: StopWordLanguage): Ordered {
  const read: Ordered = { sentences: [], answered: [] };
  let question = isQuestion(heading) ? heading : undefined;
  for (const [at, text] of texts.entries()) {
    const opening = openingOf(text);
    const words = wordsInOrder(text, language);
    if (question !== undefined && opening !== undefined) {
      const rest = words.slice(words.findIndex((word) => WORDS.has(word.text)) + 1);
      read.answered.push({ isYes: opening, question: wordsInOrder(question, language), rest });
      if (rest.length > 0) read.sentences.push(rest);
    } else if (!isQuestion(text) || openingOf(texts[at + 1] ?? '') === undefined) read.sentences.push(words);
    question = isQuestion(text) ? text : undefined;
  }
  return read;
}

/** What a text says first: yes or no; undefined where it says neither. */
export function openingOf(text: string): boolean | undefined {
  const word = FIRST_WORD.exec(text.trim())?.[1]?.toLowerCase() ?? '';
  if (YES.includes(word)) return true;
  return NO.includes(word) ? false : undefined;
}

const isQuestion = (text: string): boolean => QUESTION.test(text.trim());

/**
 * Whether a claim denies what the page answers with yes, or says what it answers with no. `opening`: what the claim begins
 * with.
 */
export function answersOtherwise(
  claim: Word[],
  opening: boolean | undefined,
  { sentences, answered }: Ordered,
): boolean {
  const content = contentOf(claim);
  const rival = Math.max(0, ...sentences.map((words) => shareOf(content, words)));
  const shares = answered.map(({ question }) => shareOf(content, question));
  const best = Math.max(0, ...shares);
  if (best < (opening === undefined ? MIN_SHARE : MIN_SHARE_OPENED) || rival >= best) return false;
  return answered.some(({ isYes, question, rest }, at) => {
    if (shares[at] !== best || shareOf(contentOf(question), claim) < MIN_ASKED) return false;
    // A page's “Yes, but not on Mondays” may be told of Mondays.
    if (deniesByWord(claim) || (isYes && isDenied(rest))) return false;
    const negations = negationsOf(claim) - (opening === false ? 1 : 0);
    const denies = opening === false || negations > negationsOf(question);
    return denies === isYes;
  });
}

const negationsOf = (words: Word[]): number => words.filter(({ isNegation }) => isNegation).length;

/** What the page says by question and answer, as a sentence: all of it is denied by a no. */
export const statementOf = ({ isYes, question }: Answered): Word[] =>
  isYes
    ? question
    : question.flatMap((word, at) => [
        ...(at === 0 ? [{ ...word, isNegation: true, isContent: false, isNegated: false, isCapital: false }] : []),
        { ...word, isNegated: word.isContent },
      ]);
