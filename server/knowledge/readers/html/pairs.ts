import type { Block } from '../blocks.ts';
import { TimeSlice } from '../../../async/time-slice.ts';

/** Of the heading of a question that the page does not show: below the page's own title. */
const DECLARED_LEVEL = 2;
/** Of the heading of one that it shows: as of a disclosure. */
const SHOWN_LEVEL = 6;
/** UTF-16 units of letters and digits by which an answer is recognised. */
const KEY_LENGTH = 40;

/** A pair that a page declares, see `DeclaredPair`. */
export interface ReadPair {
  question: string;
  answer: Block[];
  isPost: boolean;
}

/**
 * The blocks of a page with what it declares as questions and answers, as far as it does not show them. The best answer of a post
 * moves to right below its question, where the text of that and other answers may stand between.
 */
export async function withPairs(blocks: Block[], pairs: ReadPair[]): Promise<Block[]> {
  if (pairs.length === 0) return blocks;
  const timeSlice = new TimeSlice();
  const shown = blocks.map(({ text }) => lettersOf(text));
  const all = shown.join('\n');
  const starts = new Map(shown.map((letters, at) => [letters.slice(0, KEY_LENGTH), at]));
  const whole = new Map(shown.map((letters, at) => [letters, at]));
  const headings = new Map(shown.map((letters, at) => [blocks[at]!.kind === 'heading' ? letters : '', at]));
  const above = new Map<number, Block>();
  const below = new Map<number, Block[]>();
  const replaced = new Set<number>();
  const added: Block[] = [];
  for (const { question: title, answer, isPost } of pairs) {
    if (timeSlice.isOver) await timeSlice.renew();
    const heading = (level: number, text = title): Block => ({ kind: 'heading', level, text });
    const letters = answer.map(({ text }) => lettersOf(text)).filter(Boolean);
    const [first = ''] = letters;
    if (first === '' || lettersOf(title) === '') continue;
    const at = starts.get(first.slice(0, KEY_LENGTH));
    const over = isPost ? headings.get(lettersOf(title)) : undefined;
    if (over !== undefined) {
      if (at === over + 1) continue;
      below.set(over, [...answer, heading(blocks[over]!.level ?? 1, '')]);
      if (at !== undefined) for (let one = at; one < endOf(shown, at, letters.join(' ')); one++) replaced.add(one);
      continue;
    }
    if (at === undefined && all.includes(first)) continue;
    if (at === undefined) added.push(heading(DECLARED_LEVEL), ...answer);
    else if (blocks[at]!.kind !== 'heading') {
      const asked = whole.get(lettersOf(title));
      // It stands elsewhere, too, such as in a table of contents.
      if (asked !== undefined && (asked !== at - 1 || blocks[asked]!.kind === 'heading')) continue;
      if (asked !== undefined) replaced.add(asked);
      above.set(at, heading(SHOWN_LEVEL));
      const end = endOf(shown, at, letters.join(' '));
      if (!above.has(end) && blocks[end]?.kind !== 'heading') above.set(end, heading(SHOWN_LEVEL, ''));
    }
  }
  const headed = blocks.flatMap((block, at) =>
    [above.get(at) ?? [], replaced.has(at) ? [] : block, below.get(at) ?? []].flat(),
  );
  return [...headed, ...added];
}

/** The index of the first block from `from` on that is not in the answer. */
function endOf(shown: string[], from: number, answer: string): number {
  let at = from + 1;
  while (at < shown.length && shown[at] !== '' && answer.includes(shown[at]!)) at++;
  return at;
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
