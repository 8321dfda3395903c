/** A page or file as its reader sees it: blocks in order, each under its headings. */
export interface Readable {
  title: string;
  blocks: Block[];
}

export interface Block {
  /** An `item` is one of a list or one row of a table; `code` keeps its lines. */
  kind: 'heading' | 'text' | 'item' | 'code';
  /** A heading's level, 1 to 6. */
  level?: number;
  text: string;
}

export const isHeading = (block: Block): boolean => block.kind === 'heading';
