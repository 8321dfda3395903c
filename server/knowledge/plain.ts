import type { Block, Readable } from './blocks.ts';

const ITEM = /^[ \t]*(?:[-*•–]|\d{1,3}[.)])[ \t]+/;

/** Plain text: paragraphs stand between empty lines; lines that begin with a mark or a number are list items. */
export function readPlain(text: string): Readable {
  const blocks: Block[] = [];
  for (const part of text.replace(/\r\n?/g, '\n').split(/\n[ \t]*\n\s*/)) {
    for (const piece of part.split(/\n(?=[ \t]*(?:[-*•–]|\d{1,3}[.)])[ \t]+)/)) {
      const item = ITEM.test(piece);
      const words = piece.replace(ITEM, '').replace(/\s+/g, ' ').trim();
      if (words) blocks.push({ kind: item ? 'item' : 'text', text: words });
    }
  }
  const first = blocks[0];
  return { title: first && first.text.length <= 100 ? first.text : '', blocks };
}
