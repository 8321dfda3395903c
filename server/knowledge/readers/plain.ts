import { setImmediate } from 'node:timers/promises';
import { MAX_BLOCKS, slices, TOO_MANY_BLOCKS, type Block, type Readable } from './blocks.ts';

const BULLET = /^[ \t]*(?:[-*•–]|\d{1,3}[.)])[ \t]+/;
const NUMBER = /^[ \t]*(\d{1,3})[.)][ \t]/;
const MAX_FIRST_LINE_LENGTH = 100;
/** UTF-16 units read between two turns of the event loop. */
const PLAIN_SLICE_LENGTH = 8 * 1024;

/** Plain text: paragraphs stand between empty lines; lines that begin with a mark or a number are list items. */
export async function readPlain(text: string): Promise<Readable> {
  const blocks: Block[] = [];
  for (const slice of slices(text, PLAIN_SLICE_LENGTH)) {
    if (blocks.length >= MAX_BLOCKS) return { title: titleOf(blocks), blocks, cut: TOO_MANY_BLOCKS };
    for (const part of slice.replace(/\r\n?/g, '\n').split(/\n[ \t]*\n\s*/)) blocks.push(...blocksOf(part));
    await setImmediate();
  }
  return { title: titleOf(blocks), blocks };
}

function blocksOf(part: string): Block[] {
  const blocks: Block[] = [];
  for (const piece of part.split(/\n(?=[ \t]*(?:[-*•–]|\d{1,3}[.)])[ \t]+)/)) {
    const kind = BULLET.test(piece) ? 'item' : 'text';
    const words = piece.replace(BULLET, '').replace(/\s+/g, ' ').trim();
    const number = NUMBER.exec(piece)?.[1];
    if (words) blocks.push({ kind, text: words, ...(number === undefined ? {} : { number: Number(number) }) });
  }
  return blocks;
}

/** The first line, where it is a short paragraph that does not end like a sentence. */
function titleOf([first, second]: Block[]): string {
  const titles =
    first?.kind === 'text' && second && first.text.length <= MAX_FIRST_LINE_LENGTH && !/[.!?:;,]$/.test(first.text);
  return titles ? first.text : '';
}
