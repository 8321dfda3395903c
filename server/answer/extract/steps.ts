import type { Query } from '../../knowledge/search/query.ts';
import { itemMark } from '../../knowledge/text/sentences.ts';
import type { Layout } from './layout.ts';

/** UTF-16 units up to which the steps of an ordered list are quoted together; of longer ones the first. */
const MAX_STEPS_LENGTH = 2400;
const MORE = ' …';
/** UTF-16 units. A longer sentence above the steps is not quoted with them. */
const MAX_LEAD_LENGTH = 320;
const HOW =
  /(?<!\p{L})(?:how(?! come\b)|steps?|wie|schritte?|c[oó]mo|pasos|comment|étapes|come|passi|como|passos|hoe|stappen|jak|hur|hvordan|miten|kuinka|hogyan|cum|nasıl|как|πώς|πως|як)(?!\p{L})|كيف|कैसे|怎么|怎样|如何|どうやって|どうすれば|方法|어떻게|อย่างไร|ยังไง|איך|làm (?:thế nào|sao)|cách/iu;
const NUMBERED = /\d/;

interface Steps {
  /** As they stand in the passage, with numbers and code, after what leads to them; with an ellipsis where more follow. */
  text: string;
  /** Its offsets in the passage. */
  start: number;
  end: number;
  /** The sentences of the list. */
  first: number;
  last: number;
  /** Whether it begins with what leads to the steps. */
  isLed: boolean;
}

/** The steps that a sentence is one of, or leads to: an ordered list, where the question asks how something is done. */
export function stepsAround(layout: Layout, at: number, query: Query): Steps | undefined {
  const { sentences, items, text } = layout;
  const from = items[at]! >= 0 ? at : at + 1;
  if (from >= sentences.length || items[from]! < 0 || !asksHow(query)) return undefined;
  const isOfList = (one: number): boolean => items[one]! >= 0 || layout.isCode(one);
  let [first, last] = [from, from];
  while (first > 0 && isOfList(first - 1)) first--;
  while (last + 1 < sentences.length && isOfList(last + 1)) last++;
  while (items[first]! < 0) first++;
  const mark = itemMark(text, sentences[first]!.start);
  if (!NUMBERED.test(mark)) return undefined;
  const { lead } = sentences[first]!;
  const isLed = lead === first - 1 && lead >= 0 && sentences[lead]!.text.length <= MAX_LEAD_LENGTH;
  const start = isLed ? sentences[lead]!.start : sentences[first]!.start - mark.trimStart().length;
  const fits = (one: number): boolean => layout.blockEnd(one) - start <= MAX_STEPS_LENGTH;
  const quoted = fits(last) ? last : lastWholeStep(layout, first, fits);
  if (quoted === undefined) return undefined;
  const end = layout.blockEnd(quoted);
  const more = quoted < last ? MORE : '';
  return { text: text.slice(start, end) + more, start, end, first: isLed ? lead : first, last, isLed };
}

/** The last sentence of the steps that fit, undefined where the first does not. */
function lastWholeStep({ items, sentences }: Layout, first: number, fits: (at: number) => boolean): number | undefined {
  const ends = sentences.flatMap((_, at) => (at >= first && items[at + 1] === at + 1 ? [at] : []));
  return ends.findLast(fits);
}

/** Not how many, how long or how much: those have a kind of answer. */
export const asksHow = ({ question, hasAnswerType }: Query): boolean =>
  hasAnswerType === undefined && HOW.test(question);
