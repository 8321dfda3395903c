import { setImmediate } from 'node:timers/promises';
import type { SourceDocument, Passage } from '../../store/store.ts';
import { slices, type Block, type Readable } from '../readers/blocks.ts';
import { CODE_FENCE, sentencesOf } from '../text/sentences.ts';
import { TimeSlice } from '../../async/time-slice.ts';
import { withStepsAsList } from './heading-steps.ts';
import { Leads } from './leads.ts';

/** Characters. A paragraph shorter than `MIN_LENGTH` is joined to the next, up to `TARGET_LENGTH`. */
const MIN_LENGTH = 250;
const TARGET_LENGTH = 1200;
/** Characters. A longer paragraph or list is cut at the ends of sentences or items. */
const MAX_LENGTH = 1800;
/** Items and characters up to which a list is not cut apart; steps are of no use in part. */
const WHOLE_LIST = { items: 12, length: MAX_LENGTH };
const WHOLE_STEPS = { items: 30, length: 4000 };
/** Characters. A shorter paragraph right above a list, or one that ends with a colon, is passed on with the list. */
const MAX_LEAD_LENGTH = 320;
/** Characters of a long block between two turns of the event loop. */
const SLICE_SIZE = 8 * 1024;
/** Characters. A longer heading becomes a paragraph, since each passage below repeats its headings. */
const MAX_HEADING_LENGTH = 300;
/** Characters. A shorter passage is a label, and left out unless all are shorter, or it answers the question above it: “No.” */
const MIN_PASSAGE_LENGTH = 16;
/** Links that are a list of them: a paragraph of one may be all that its section has to tell, such as “Print the form”. */
const MIN_LINKS = 2;
const ENDS_WITH_COLON = /[:：]$/;
const ASKS = /[?？؟]\s*$/;

/**
 * Cuts text into passages: paragraphs under their headings, a list with the paragraph before it. The stored text has the
 * headings between the passages.
 */
export async function chunked({ title, blocks: read, siteFacts = [] }: Readable): Promise<SourceDocument> {
  const blocks = withStepsAsList(read);
  const headed = blocks.some(({ kind }) => kind !== 'heading');
  const writer = new Writer();
  const timeSlice = new TimeSlice();
  for (const [at, block] of blocks.entries()) {
    if (timeSlice.isOver) await timeSlice.renew();
    if (block.list !== undefined && block.list !== blocks[at - 1]?.list) writer.list(lengthOfList(blocks, at));
    if (headed && block.kind === 'heading' && block.text.length <= MAX_HEADING_LENGTH) {
      writer.heading(block.level ?? 1, block.text);
    } else if (block.text) await write(writer, block);
  }
  return { title, ...writer.end(siteFacts) };
}

async function write(writer: Writer, block: Block): Promise<void> {
  let begun = false;
  for (const slice of slices(block.text, SLICE_SIZE)) {
    if (begun) await setImmediate();
    for (const piece of pieces(begun ? slice.trimStart() : slice)) if (piece) writer.block({ ...block, text: piece });
    begun = true;
  }
}

/** Characters of the list that begins there; 0 where it is long, and is to be cut like other text. */
function lengthOfList(blocks: Block[], from: number): number {
  const most = blocks[from]!.number === undefined ? WHOLE_LIST : WHOLE_STEPS;
  let length = 0;
  let items = 0;
  for (let at = from; blocks[at]?.list === blocks[from]!.list && blocks[at]!.kind !== 'heading'; at++) {
    const block = blocks[at]!;
    length += block.text.length + markOf(block).length + 2;
    if (block.kind === 'item') items++;
    if (length > most.length || items > most.items) return 0;
  }
  return length;
}

class Writer {
  #parts: string[] = [];
  #length = 0;
  readonly #passages: Passage[] = [];
  #path: { level: number; text: string }[] = [];
  #open: Passage | undefined;
  #last: Block | undefined;
  /** Where the last block starts, and where the one before it ends. */
  #lastStart = 0;
  #endBefore = 0;
  /** The list that is written whole. */
  #list: number | undefined;
  /** Its length, before its first block is written. */
  #listLength = 0;
  /** Of the open passage: how many links it is made of, and whether it has other blocks. */
  #links = 0;
  #tells = false;
  /** Starts of table rows, which are passages however short. */
  readonly #rows = new Set<number>();
  /** Of the list that goes on: what leads to it, and the items that lead to a list within it. */
  readonly #leads = new Leads();

  heading(level: number, text: string): void {
    this.#close();
    this.#leads.end();
    this.#path = this.#path.filter((above) => above.level < level);
    if (!text) return;
    this.#path.push({ level, text });
    this.#write('\n\n', text);
  }

  block(block: Block): void {
    if (this.#listLength > 0) this.#beginList(block);
    else if (this.#open && !this.#joins(block, this.#open)) this.#close();
    const isInList = this.#open !== undefined && (block.kind === 'item' || block.indent !== undefined);
    const between = isInList && !this.#beginsDefinitions(block) ? `\n${' '.repeat(block.indent ?? 0)}` : '\n\n';
    this.#endBefore = this.#length;
    const start = this.#write(between, markdownOf(block));
    const leads = this.#leads.over(block);
    this.#open ??= { headings: [...this.#path.map(({ text }) => text), ...leads], start, end: start };
    this.#open.end = this.#length;
    if (block.leadsAway) this.#links += block.kind === 'item' ? MIN_LINKS : 1;
    else this.#tells = true;
    this.#last = block;
    this.#lastStart = start;
    if (block.kind === 'row') this.#rows.add(start);
  }

  /** `siteFacts`: told behind the page's own passages, where it has any. */
  end(siteFacts: Block[]): Pick<SourceDocument, 'text' | 'passages'> {
    this.#close();
    const long = this.#passages.filter(
      ({ start, end, headings }) =>
        end - start >= MIN_PASSAGE_LENGTH || this.#rows.has(start) || ASKS.test(headings.at(-1) ?? ''),
    );
    const passages = long.length ? long : this.#passages;
    // A page of nothing else is there to list them.
    if (passages.every(({ leadsAway }) => leadsAway)) for (const passage of passages) delete passage.leadsAway;
    const ofSite = passages.length > 0 ? this.#ofSite(siteFacts) : [];
    return { text: this.#parts.join(''), passages: [...passages, ...ofSite] };
  }

  #ofSite(blocks: Block[]): Passage[] {
    let headings: string[] = [];
    const passages: Passage[] = [];
    for (const { kind, text } of blocks) {
      const start = this.#write('\n\n', text);
      const open = passages.at(-1);
      if (kind === 'heading') headings = [text];
      else if (open?.headings === headings) open.end = this.#length;
      else passages.push({ headings, start, end: this.#length, ofSite: true });
    }
    return passages;
  }

  /** To be called before the first block of a list. `length`: 0 for one that is cut like other text. */
  list(length: number): void {
    this.#listLength = length;
    this.#list = undefined;
  }

  /** Where the list does not fit into the open passage, it begins one of its own, with what leads to it. */
  #beginList({ list }: Block): void {
    const length = this.#listLength;
    this.#listLength = 0;
    const open = this.#open;
    if (open && this.#length - open.start + length > MAX_LENGTH) {
      const [start, end, last] = [this.#leadStart(), this.#endBefore, this.#last];
      const most = Math.max(MAX_LENGTH, length + MAX_LEAD_LENGTH);
      const takesLead = start > open.start && this.#length - start + length <= most;
      if (takesLead) open.end = start > this.#lastStart ? start : end;
      this.#close();
      if (takesLead) this.#open = { headings: open.headings, start, end: this.#length };
      if (takesLead) [this.#last, this.#tells] = [last, true];
    }
    this.#list = list;
  }

  /** Where what leads to a list begins: the paragraph above it, or its last sentence; the end where nothing does. */
  #leadStart(): number {
    if (this.#last?.kind !== 'text') return this.#length;
    const { text } = this.#last;
    if (text.length <= MAX_LEAD_LENGTH) return this.#lastStart;
    const { start = 0, end = 0 } = sentencesOf(text).at(-1) ?? {};
    return text.endsWith(':') && end - start <= MAX_LEAD_LENGTH ? this.#lastStart + start : this.#length;
  }

  /** A paragraph that ends with no colon does not lead to the definitions below it. */
  #beginsDefinitions = ({ isDefinition }: Block): boolean =>
    isDefinition === true && this.#last?.kind === 'text' && !ENDS_WITH_COLON.test(this.#last.text);

  #joins(block: Block, open: Passage): boolean {
    if (this.#list !== undefined && block.list === this.#list) return true;
    if (block.kind === 'row' || this.#last?.kind === 'row') return false;
    const length = open.end - open.start;
    const whole = length + block.text.length;
    if (block.kind === 'item' || this.#last?.text.endsWith(':')) return whole <= MAX_LENGTH;
    return whole <= TARGET_LENGTH && (length < MIN_LENGTH || block.text.length < MIN_LENGTH / 3);
  }

  #close(): void {
    if (this.#open) this.#passages.push(this.#open);
    if (this.#open && !this.#tells && this.#links >= MIN_LINKS) this.#open.leadsAway = true;
    this.#links = 0;
    this.#tells = false;
    this.#open = undefined;
    this.#last = undefined;
    this.#list = undefined;
  }

  /** Returns where `text` starts. */
  #write(between: string, text: string): number {
    if (this.#length > 0) this.#parts.push(between);
    const start = this.#length + (this.#length > 0 ? between.length : 0);
    this.#parts.push(text);
    this.#length = start + text.length;
    return start;
  }
}

/** Text of a block with Markdown for items and code, so that quotes can be formatted. */
function markdownOf(block: Block): string {
  const { kind, text } = block;
  if (kind === 'item') return markOf(block) + text;
  return kind === 'code' ? `${CODE_FENCE}\n${text}\n${CODE_FENCE}` : text;
}

const markOf = ({ number }: Block): string => (number === undefined ? '- ' : `${number}. `);

/** Cuts a block into pieces of about `TARGET_LENGTH`, where sentences end, else between words, else anywhere. */
function pieces(text: string): string[] {
  if (text.length <= MAX_LENGTH) return [text];
  const cuts: string[] = [];
  let from = 0;
  let to = 0;
  for (const sentence of sentencesOf(text)) {
    if (sentence.end - from > TARGET_LENGTH && to > from) {
      cuts.push(text.slice(from, to));
      from = sentence.start;
    }
    to = sentence.end;
  }
  cuts.push(text.slice(from));
  return cuts.flatMap((cut) =>
    cut.length <= MAX_LENGTH ? [cut] : (cut.match(/[^]{1,1200}(?:\s|$)|[^]{1200}/gu) ?? []),
  );
}
