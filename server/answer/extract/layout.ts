import type { Sentence } from '../../knowledge/search/found.ts';
import { CODE_FENCE, isItem } from '../../knowledge/text/sentences.ts';

/** Whether that place of a passage is between fences. */
export function isInCode(text: string, start: number): boolean {
  const before = text.includes(CODE_FENCE) ? text.slice(0, start) : '';
  return (before.match(/^[ \t]*```/gm)?.length ?? 0) % 2 === 1;
}

/** How the sentences of a passage stand in it: in paragraphs, in a list's items, in code. */
export class Layout {
  readonly text: string;
  readonly sentences: Sentence[];
  /** Of each sentence that is part of a list's item or of a table's row, where that one's first sentence is; -1 of all others. */
  readonly items: number[] = [];

  constructor(text: string, sentences: Sentence[]) {
    this.text = text;
    this.sentences = sentences;
    for (const [at, { start }] of sentences.entries()) {
      if (isItem(text, start)) this.items.push(at);
      else this.items.push(at > 0 && !/\n[ \t]*\n/.test(this.gap(at)) ? this.items[at - 1]! : -1);
    }
  }

  /** Text before a sentence and after the one before it. */
  gap(at: number): string {
    return this.text.slice(at > 0 ? this.end(at - 1) : 0, this.sentences[at]!.start);
  }

  /** Between a sentence and the one before it: Japanese and Chinese need none. */
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

  /** The whole of the code that the sentence is part of, from its first sentence to its last. */
  codeAround(at: number): { first: number; last: number } {
    let first = at;
    let last = at;
    while (first > 0 && !this.gap(first).includes(CODE_FENCE)) first--;
    while (last + 1 < this.sentences.length && !this.gap(last + 1).includes(CODE_FENCE)) last++;
    return { first, last };
  }

  /** The first sentences of the list's items. */
  itemsAround(item: number): number[] {
    const follows = (at: number): boolean => this.items[at] === at && /^\s*\n- $/.test(this.gap(at));
    let first = item;
    while (first > 0 && follows(first) && this.items[first - 1]! >= 0) first = this.items[first - 1]!;
    const all = [first];
    for (let at = first + 1; at < this.sentences.length && this.items[at]! >= 0; at++) if (follows(at)) all.push(at);
    return all;
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
