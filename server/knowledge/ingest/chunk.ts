import { setImmediate } from 'node:timers/promises';
import type { Document, Passage } from '../../store/store.ts';
import { slices, type Block, type Readable } from '../readers/blocks.ts';
import { CODE_FENCE, sentencesOf } from '../text/sentences.ts';
import { TimeSlice } from '../../async/time-slice.ts';

/** Characters. A paragraph shorter than `SHORT` joins the next; nothing grows beyond `LONG` by joining. */
const SHORT = 250;
const LONG = 1200;
/** A paragraph or a list beyond this is cut at the ends of sentences or items. */
const LONGEST = 1800;
/** Characters of a long block between two turns of the event loop. */
const SLICE = 8 * 1024;
/** What is longer is no heading. Each passage below keeps its headings: they must not outgrow the page. */
const LONGEST_HEADING = 300;
/** What is shorter is a label that stood alone, unless the whole page is no longer. */
const TELLING = 16;

/**
 * The readable text as it is stored, and the passages in it: the author's own paragraphs under their headings, a list
 * with the paragraph that leads to it. Headings stand in the text between the passages.
 */
export async function chunked({ title, blocks }: Readable): Promise<Document> {
  const headed = blocks.some(({ kind }) => kind !== 'heading');
  const writer = new Writer();
  const timeSlice = new TimeSlice();
  for (const block of blocks) {
    if (timeSlice.isOver) await timeSlice.renew();
    if (headed && block.kind === 'heading' && block.text.length <= LONGEST_HEADING) {
      writer.heading(block.level ?? 1, block.text);
    } else if (block.text) await write(writer, block);
  }
  return { title, ...writer.end() };
}

async function write(writer: Writer, block: Block): Promise<void> {
  let begun = false;
  for (const slice of slices(block.text, SLICE)) {
    if (begun) await setImmediate();
    for (const piece of pieces(begun ? slice.trimStart() : slice)) if (piece) writer.block({ ...block, text: piece });
    begun = true;
  }
}

class Writer {
  #parts: string[] = [];
  #length = 0;
  readonly #passages: Passage[] = [];
  #path: { level: number; text: string }[] = [];
  #open: Passage | undefined;
  #last: Block | undefined;
  /** Where rows start: the shortest of them tells something. */
  readonly #rows = new Set<number>();

  heading(level: number, text: string): void {
    this.#close();
    this.#path = this.#path.filter((above) => above.level < level);
    if (!text) return;
    this.#path.push({ level, text });
    this.#write('\n\n', text);
  }

  block(block: Block): void {
    if (this.#open && !this.#joins(block, this.#open)) this.#close();
    const start = this.#write(block.kind === 'item' && this.#open ? '\n' : '\n\n', written(block));
    this.#open ??= { headings: this.#path.map(({ text }) => text), start, end: start };
    this.#open.end = this.#length;
    this.#last = block;
    if (block.kind === 'row') this.#rows.add(start);
  }

  end(): Pick<Document, 'text' | 'passages'> {
    this.#close();
    const telling = this.#passages.filter(({ start, end }) => end - start >= TELLING || this.#rows.has(start));
    return { text: this.#parts.join(''), passages: telling.length ? telling : this.#passages };
  }

  #joins(block: Block, open: Passage): boolean {
    if (block.kind === 'row' || this.#last?.kind === 'row') return false;
    const length = open.end - open.start;
    const whole = length + block.text.length;
    if (block.kind === 'item' || this.#last?.text.endsWith(':')) return whole <= LONGEST;
    return whole <= LONG && (length < SHORT || block.text.length < SHORT / 3);
  }

  #close(): void {
    if (this.#open) this.#passages.push(this.#open);
    this.#open = undefined;
    this.#last = undefined;
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

/** Marked as what it is, so that what is quoted of it can be shown so. */
function written({ kind, text }: Block): string {
  if (kind === 'item') return `- ${text}`;
  return kind === 'code' ? `${CODE_FENCE}\n${text}\n${CODE_FENCE}` : text;
}

/** A block in pieces of at most `LONG`, cut where sentences end, else between words, else anywhere. */
function pieces(text: string): string[] {
  if (text.length <= LONGEST) return [text];
  const cuts: string[] = [];
  let from = 0;
  let to = 0;
  for (const sentence of sentencesOf(text)) {
    if (sentence.end - from > LONG && to > from) {
      cuts.push(text.slice(from, to));
      from = sentence.start;
    }
    to = sentence.end;
  }
  cuts.push(text.slice(from));
  return cuts.flatMap((cut) => (cut.length <= LONGEST ? [cut] : (cut.match(/[^]{1,1200}(?:\s|$)|[^]{1200}/gu) ?? [])));
}
