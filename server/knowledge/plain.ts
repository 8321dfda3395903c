import { setImmediate } from 'node:timers/promises';
import type { Block, Readable } from './blocks.ts';

const ITEM = /^[ \t]*(?:[-*•–]|\d{1,3}[.)])[ \t]+/;
/** Characters read between two turns of the event loop. */
const SLICE = 64 * 1024;
const LONGEST_TITLE = 100;

/** Plain text: paragraphs stand between empty lines; lines that begin with a mark or a number are list items. */
export async function readPlain(text: string): Promise<Readable> {
  const blocks: Block[] = [];
  for (const slice of slices(text.replace(/\r\n?/g, '\n'))) {
    for (const part of slice.split(/\n[ \t]*\n\s*/)) blocks.push(...blocksOf(part));
    if (slice.length >= SLICE) await setImmediate();
  }
  return { title: titleOf(blocks), blocks };
}

/** Cut before an empty line; in a paragraph that goes on and on, before any line or word. */
function* slices(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const window = text.slice(from + SLICE, from + 2 * SLICE);
    const cut = ['\n\n', '\n', ' '].map((mark) => window.indexOf(mark)).find((at) => at >= 0);
    // Where there is no space either, half a surrogate pair must not be left behind.
    const to = from + SLICE + (cut ?? (/[\ud800-\udbff]$/.test(window) ? window.length - 1 : window.length));
    yield text.slice(from, to);
    from = to;
  }
}

function blocksOf(part: string): Block[] {
  const blocks: Block[] = [];
  for (const piece of part.split(/\n(?=[ \t]*(?:[-*•–]|\d{1,3}[.)])[ \t]+)/)) {
    const kind = ITEM.test(piece) ? 'item' : 'text';
    const words = piece.replace(ITEM, '').replace(/\s+/g, ' ').trim();
    if (words) blocks.push({ kind, text: words });
  }
  return blocks;
}

/** A first line that stands alone and is no sentence. */
function titleOf([first, second]: Block[]): string {
  const titles =
    first?.kind === 'text' && second && first.text.length <= LONGEST_TITLE && !/[.!?:;,]$/.test(first.text);
  return titles ? first.text : '';
}
