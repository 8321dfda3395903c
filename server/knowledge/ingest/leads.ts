import type { Block } from '../readers/blocks.ts';
import { sentencesOf } from '../text/sentences.ts';

/** Characters. A longer sentence is not repeated as a heading. */
const MAX_REPEATED_LENGTH = 200;

/** What leads to the items of a list, such as “Exceptions:”: a part of the list in another passage would lack it. */
export class Leads {
  #leads: { indent: number; text: string }[] = [];
  #last: Block | undefined;

  /** What leads to a block, outermost first; none outside a list. To be called once for each block, in their order. */
  over(block: Block): string[] {
    const last = this.#last;
    this.#last = block;
    if (!isListed(block)) {
      this.#leads = [];
      return [];
    }
    if (!last || !isListed(last) || last.list !== block.list) this.#leads = last ? leadsIn(last, -1) : [];
    const indent = block.indent ?? 0;
    if (block.kind === 'item') this.#leads = this.#leads.filter((lead) => lead.indent < indent);
    const above = this.#leads.map(({ text }) => text);
    this.#leads.push(...leadsIn(block, indent));
    return above;
  }

  /** A heading follows. */
  end(): void {
    this.#leads = [];
    this.#last = undefined;
  }
}

const isListed = ({ kind, indent }: Block): boolean => kind === 'item' || indent !== undefined;

function leadsIn({ kind, text }: Block, indent: number): { indent: number; text: string }[] {
  if (kind === 'code' || kind === 'row' || !/[:：]$/.test(text)) return [];
  const { start = 0 } = sentencesOf(text).at(-1) ?? {};
  const lead = text.slice(start).trim();
  return lead.length <= MAX_REPEATED_LENGTH ? [{ indent, text: lead }] : [];
}
