import { setImmediate } from 'node:timers/promises';
import { MOST_BLOCKS, slices, TOO_MANY_BLOCKS, type Block, type Readable } from './blocks.ts';

const ITEM = /^[ \t]*(?:[-*•–]|\d{1,3}[.)])[ \t]+/;
const LONGEST_TITLE = 100;
/** Characters read between two turns of the event loop. */
const SLICE = 8 * 1024;

/** Plain text: paragraphs stand between empty lines; lines that begin with a mark or a number are list items. */
export async function readPlain(text: string): Promise<Readable> {
  const blocks: Block[] = [];
  for (const slice of slices(text, SLICE)) {
    if (blocks.length >= MOST_BLOCKS) return { title: titleOf(blocks), blocks, cut: TOO_MANY_BLOCKS };
    for (const part of slice.replace(/\r\n?/g, '\n').split(/\n[ \t]*\n\s*/)) blocks.push(...blocksOf(part));
    await setImmediate();
  }
  return { title: titleOf(blocks), blocks };
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
