import { asks, type SplitMessage } from './clause.ts';
import { isFragment } from './fragments.ts';

/** One question of a message that asks several. */
export interface SingleQuestion {
  question: string;
  /** The question below what the message tells beside its questions: a message of its own. */
  message: string;
}

/** The questions of a message that asks several. */
export interface SeveralQuestions {
  /** In their order; empty where it asks one. */
  questions: SingleQuestion[];
  /** What it asks beyond `MAX_QUESTIONS`. */
  leftOut: string[];
}

/** Questions that are answered one after another. */
const MAX_QUESTIONS = 5;
/** UTF-16 units of a sentence that may ask two questions, and words of the first. */
const [MAX_SENTENCE, MIN_WORDS] = [300, 3];
const MARKS = /[?？؟]/g;
const CONJUNCTION = `and|or|but|also|und|oder|aber|auch|et|ou|mais|aussi|y|pero|también|e|ma|anche|mas|também|en|maar|ook|och|eller|men|också|og|også|oraz|ale|и|а|но|ve`;
const FIRST = new RegExp(`^\\P{L}*(?:(?:${CONJUNCTION})[\\s,]+)+`, 'iu');
const BETWEEN = new RegExp(`,?\\s+(?:(?:${CONJUNCTION})\\s+)+`, 'giu');
const SUBJECT = 'i|you|we|they|he|she|it|there|the|my|your|this|these|one|anyone';
const AUXILIARY = 'can|could|may|must|do|does|did|is|are|was|were|will|would|should|have|has';
/** How a second question of a sentence begins, and no clause that the first one asks for: “what it is and what it costs”. */
const APART = new RegExp(
  [
    `^(?:${AUXILIARY})\\s+(?:${SUBJECT})(?!\\p{L})`,
    `^who\\s+(?!(?:${SUBJECT}|else)(?!\\p{L}))\\p{L}+`,
    `^(?:(?:until|till|by|from|since|for|to|in|at|on|with)\\s+)?(?:what|which|who|when|where|why|how)\\s+(?:(?!(?:${SUBJECT})\\s)\\p{L}+\\s+){0,4}?(?:${AUXILIARY}|happens?|costs?)(?!\\p{L})`,
    '^(?:wann|wie|wieviel|wo|was|wer|warum|welche[rsmn]?|combien|comment|quel(?:le)?s?|est-ce|cuánt[oa]s?|cómo|cuándo|dónde|cuál(?:es)?|qué|quant[oaie]|quali?|dove|hoe|hoeveel|wanneer|kann|können|darf|dürfen|gibt|puis-je|peut-on|puedo|posso)\\s',
  ].join('|'),
  'iu',
);

/** The questions of a message. */
export function severalIn({ asking, aside, rest }: SplitMessage): SeveralQuestions {
  const questions: string[] = [];
  const context = [aside, rest];
  for (const sentence of asking.flatMap(apart)) {
    const alone = sentence.replace(FIRST, '');
    if (asks(alone)) questions.push(alone);
    // “And for children?” belongs to the question before it; “You know the lamp?” asks for nothing by itself.
    else if (questions.length > 0 && isFragment(sentence)) questions.push(`${questions.pop()} ${sentence}`);
    else context.push(sentence.replace(MARKS, '.'));
  }
  if (questions.length < 2) return { questions: [], leftOut: [] };
  const leftOut = questions.splice(MAX_QUESTIONS);
  const beside = context.filter(Boolean).join('\n');
  const messageOf = (question: string): string => (beside ? `${beside}\n${question}` : question);
  return { questions: questions.map((question) => ({ question, message: messageOf(question) })), leftOut };
}

/** “Do you take cash and can I bring my dog?” */
function apart(sentence: string): string[] {
  if (sentence.length > MAX_SENTENCE) return [sentence];
  for (const { index, 0: join } of sentence.matchAll(BETWEEN)) {
    const [before, after] = [sentence.slice(0, index), sentence.slice(index + join.length)];
    if (before.split(/\s+/).length >= MIN_WORDS && asks(before.replace(FIRST, '')) && APART.test(after))
      return [`${before}?`, ...apart(after)];
  }
  return [sentence];
}
