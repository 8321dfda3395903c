import type { Sentence } from '../../knowledge/search/found.ts';
import { CODE_FENCE, isItem, itemMark } from '../../knowledge/text/sentences.ts';

/** Whether offset `start` of a passage is in a fenced code block. */
export function isInCode(text: string, start: number): boolean {
  const before = text.includes(CODE_FENCE) ? text.slice(0, start) : '';
  return (before.match(/^[ \t]*```/gm)?.length ?? 0) % 2 === 1;
}

/** Whether code begins right behind offset `end` of a passage, which is in no code. */
export const leadsToCode = (text: string, end: number): boolean =>
  /^\s*\n[ \t]*```/.test(text.slice(end, end + 40)) && !isInCode(text, end);

/** The mark of the next item, and nothing before it but white space. */
const ITEM_GAP = /^\s*\n *(?:-|\d{1,3}\.) $/;

/** One to three words and a colon at the beginning of a paragraph. */
const LABEL = /^\p{Lu}[\p{L}\p{M}’'-]*(?: [\p{L}\p{M}’'-]+){0,2}: \S/u;

/** Which sentences of a passage are in paragraphs, list items, table rows and code. */
export class Layout {
  readonly text: string;
  readonly sentences: Sentence[];
  /** By sentence: the index of the first sentence of its list item or table row; -1 outside one. */
  readonly items: number[] = [];

  constructor(text: string, sentences: Sentence[]) {
    this.text = text;
    this.sentences = sentences;
    for (const [at, { start }] of sentences.entries()) {
      if (isItem(text, start)) this.items.push(at);
      else this.items.push(at > 0 && !/\n[ \t]*\n/.test(this.gap(at)) ? this.items[at - 1]! : -1);
    }
  }

  /** The text between a sentence and the one before it. */
  gap(at: number): string {
    return this.text.slice(at > 0 ? this.end(at - 1) : 0, this.sentences[at]!.start);
  }

  /** The separator before a sentence when it is joined: none where the page has none, as in Japanese and Chinese. */
  space(at: number): string {
    return this.gap(at) === '' ? '' : ' ';
  }

  end(at: number): number {
    const { start, text } = this.sentences[at]!;
    return start + text.length;
  }

  isCode(at: number): boolean {
    return isInCode(this.text, this.sentences[at]!.start);
  }

  /** The first and last sentence of the code block around a sentence. */
  codeAround(at: number): { first: number; last: number } {
    let first = at;
    let last = at;
    while (first > 0 && !this.gap(first).includes(CODE_FENCE)) first--;
    while (last + 1 < this.sentences.length && !this.gap(last + 1).includes(CODE_FENCE)) last++;
    return { first, last };
  }

  /** The first sentence of each item of the list around `item`. */
  itemsAround(item: number): number[] {
    const follows = (at: number): boolean => this.items[at] === at && ITEM_GAP.test(this.gap(at));
    let first = item;
    while (first > 0 && follows(first) && this.items[first - 1]! >= 0) first = this.items[first - 1]!;
    const all = [first];
    for (let at = first + 1; at < this.sentences.length && this.items[at]! >= 0; at++) if (follows(at)) all.push(at);
    return all;
  }

  /** Spaces before the mark of an item. */
  #indent(item: number): number {
    return itemMark(this.text, this.sentences[item]!.start).search(/\S|$/);
  }

  /** The items around a nested one, outermost first. */
  itemsOver(item: number): number[] {
    const over: number[] = [];
    let indent = this.#indent(item);
    for (let at = item - 1; indent > 0 && at >= 0 && this.items[at]! >= 0; at--) {
      if (this.items[at] !== at || this.#indent(at) >= indent) continue;
      indent = this.#indent(at);
      over.unshift(at);
    }
    return over;
  }

  /** Items with those nested in the ones that lead to a list: “Except:”. */
  withNested(items: number[], all: number[]): number[] {
    const leading = new Set(items.filter((item) => /[:：]$/.test(this.itemText(item))));
    return all.filter((item) => items.includes(item) || this.itemsOver(item).some((over) => leading.has(over)));
  }

  /** Items as Markdown, without its mark where it is one; each behind the items around it that are not among them. */
  listOf(items: number[]): string {
    const lines = items.map((item) => {
      const over = this.itemsOver(item);
      const told = over.filter((one) => !items.includes(one)).map((one) => this.itemText(one));
      const led = told.map((text) => (/[:：.!?…。！？]$/.test(text) ? `${text} ` : `${text}: `));
      const mark = items.length === 1 ? '' : '  '.repeat(over.length - told.length) + this.itemMark(item);
      return mark + led.join('') + this.itemText(item);
    });
    return lines.join('\n');
  }

  /** Whether the sentence before is of the same paragraph. */
  isInParagraph(at: number): boolean {
    return !this.gap(at).includes('\n');
  }

  /**
   * The sentence that opens the paragraph with a label, `Exceptions: …`, which counts for what is behind it too; the sentence
   * itself where there is none, or more than `most` UTF-16 units from there to its end.
   */
  labelOver(at: number, most: number): number {
    let first = at;
    while (first > 0 && this.isInParagraph(first)) first -= 1;
    const isShort = this.end(at) - this.sentences[first]!.start <= most;
    return isShort && LABEL.test(this.sentences[first]!.text) ? first : at;
  }

  /** Where a sentence ends, with the closing fence of its code. */
  blockEnd(at: number): number {
    const end = this.end(at);
    const fence = this.isCode(at) ? this.text.indexOf(CODE_FENCE, end) : -1;
    return fence < 0 ? end : fence + CODE_FENCE.length;
  }

  /** `- `, or the number of an item of an ordered list. */
  itemMark(item: number): string {
    return itemMark(this.text, this.sentences[item]!.start).trimStart() || '- ';
  }

  itemEnd(item: number): number {
    let last = item;
    while (this.items[last + 1] === item) last++;
    return this.end(last);
  }

  itemText(item: number): string {
    return this.text.slice(this.sentences[item]!.start, this.itemEnd(item)).replace(/\s*\n\s*/g, ' ');
  }
}
