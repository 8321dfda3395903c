/** Whether the answer before quoted a passage, or another one of its page. */
export type QuotedPart = 'passage' | 'page';

/** What an answer quoted of a passage. */
export interface QuotedPassage {
  /** The uuid of its source. */
  source: string;
  /** Word for word. */
  text: string;
}

/** What a passage gains where the question may be about the answer before it; twice that where it surely is. */
const GAIN: Record<QuotedPart, number> = { passage: 0.5, page: 0.25 };
const SURELY = 2;

export const gainOf = (part: QuotedPart | undefined, { goesOn }: { goesOn: boolean }): number =>
  part === undefined ? 0 : GAIN[part] * (goesOn ? SURELY : 1);

/** The slots of the pages that were quoted. `slots`: by source; `entries`: by slot. */
export function slotsOfQuoted(
  passages: QuotedPassage[],
  slots: ReadonlyMap<string, number[]>,
  entries: readonly ({ text: string } | undefined)[],
): ReadonlyMap<number, QuotedPart> {
  const parts = new Map<number, QuotedPart>();
  for (const { source, text: quote } of passages)
    for (const slot of slots.get(source) ?? []) {
      if (entries[slot]?.text.includes(quote)) parts.set(slot, 'passage');
      else if (!parts.has(slot)) parts.set(slot, 'page');
    }
  return parts;
}

/** The slots of what was quoted that are not among the best. */
export function otherQuoted(
  { quoted }: { quoted?: ReadonlyMap<number, QuotedPart> },
  best: [slot: number, score: number][],
): number[] {
  const known = new Set(best.map(([slot]) => slot));
  return [...(quoted?.keys() ?? [])].filter((slot) => !known.has(slot));
}
