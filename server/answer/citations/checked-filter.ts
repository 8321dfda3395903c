import type { Found } from '../../knowledge/search/found.ts';
import {
  createMarkerFilter,
  LOOK_BACK_LENGTH,
  makesAddress,
  type AnswerText,
  type MarkerFilter,
  type MarkerGroup,
  type OnRemoved,
} from './stream-filter.ts';

/** What the model finds. */
export interface Verdicts {
  /** Indexes of the groups whose claims the passages do not support. */
  unsupported: number[];
  /** Of the call. */
  tokens: number;
}

/** UTF-16 units behind the first marker that are held back; of a longer answer nothing is checked by the model. */
const MAX_HELD = 20_000;

export interface CheckedFilter extends MarkerFilter {
  /**
   * To be called at the end of the text, before `rest`, which `rest` here has to call: it gives what filters before this one
   * hold back. Returns the tokens that the check took, 0 where no marker is to be checked.
   */
  check(rest: () => void): Promise<number>;
}

/**
 * As `createMarkerFilter`, but what follows the first marker that passes waits until the model has checked the sentences of all
 * markers: readers cannot take back what they got. Those that the model finds unsupported are removed.
 */
export function createCheckedFilter(
  given: Found[],
  query: string,
  answer: AnswerText,
  ask: (groups: readonly MarkerGroup[]) => Promise<Verdicts>,
  onRemoved?: OnRemoved,
): CheckedFilter {
  /** From the first marker on. */
  let held = '';
  let isHolding = true;
  let isChecking = false;
  const whole: AnswerText = {
    get appended() {
      return answer.appended + held.length;
    },
    textFrom: (from) => (from < answer.appended ? answer.textFrom(from) + held : held.slice(from - answer.appended)),
  };
  const filter = createMarkerFilter(given, query, whole, onRemoved);

  /** The part of a new text that goes out; `base` is where it begins in the answer. */
  function hold(text: string, base: number): string {
    const [first] = filter.groups;
    if (!isHolding || !first) return text;
    const from = Math.max(0, first.start - base);
    held += text.slice(from);
    return held.length > MAX_HELD ? text.slice(0, from) + release() : text.slice(0, from);
  }

  function release(): string {
    isHolding = false;
    let text = '';
    const start = answer.appended;
    let at = 0;
    for (const group of filter.groups.filter(({ isRemoved }) => isRemoved)) {
      text += held.slice(at, group.start - start) + group.others;
      at = group.end - start;
      const before = (answer.textFrom(Math.max(0, start - LOOK_BACK_LENGTH)) + text).slice(-LOOK_BACK_LENGTH);
      if (group.others === '' && makesAddress(before, held[at])) text += ' ';
    }
    text += held.slice(at);
    held = '';
    return text;
  }

  return {
    ...filter,
    pass(piece) {
      const base = whole.appended;
      return hold(filter.pass(piece), base);
    },
    rest() {
      const base = whole.appended;
      const text = hold(filter.rest(), base);
      return isHolding && !isChecking ? text + release() : text;
    },
    async check(rest) {
      isChecking = true;
      rest();
      isChecking = false;
      if (!isHolding || filter.groups.length === 0) return 0;
      const { unsupported, tokens } = await ask(filter.groups);
      for (const at of unsupported) {
        const group = filter.groups[at]!;
        group.isRemoved = true;
        for (const n of group.spans.keys()) onRemoved?.({ marker: String(n), claim: group.claim, why: 'judge' });
      }
      return tokens;
    },
  };
}
