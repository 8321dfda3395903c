import type { Inline } from './inline.ts';

/** Where an element of that name draws it, its name. */
export type BlockKind = 'document' | 'p' | 'heading' | 'code' | 'hr' | 'blockquote' | 'list' | 'li' | 'table';

export type Align = 'left' | 'center' | 'right' | '';

/** A node of the document. A finished one never changes again. */
export interface Block {
  kind: BlockKind;
  /** Grows whenever the block or anything in it may have changed. */
  version: number;
  children: Block[];
  /** The source of a leaf: lines joined by newlines. */
  text: string;
  inline: Inline[];
  /** Heading: 1 to 6. List: its first number. Item: the columns its content is indented by. Fenced code: its own indent. */
  level: number;
  /** List: its bullet or the sign after its number. Fenced code: its fence, empty when indented. */
  mark: string;
  /** The language of code. */
  info: string;
  isLoose: boolean;
  endsBlank: boolean;
  align: Align[];
  /** The first row is the head. */
  rows: Inline[][][];
}

export const createBlock = (kind: BlockKind, own: Partial<Block> = {}): Block => ({
  kind,
  version: 0,
  children: [],
  text: '',
  inline: [],
  level: 0,
  mark: '',
  info: '',
  isLoose: false,
  endsBlank: false,
  align: [],
  rows: [],
  ...own,
});

export const isContainer = ({ kind }: Block): boolean => kind === 'blockquote' || kind === 'list' || kind === 'li';

export function endsWithBlank({ endsBlank, kind, children }: Block): boolean {
  const last = children.at(-1);
  return endsBlank || (kind !== 'blockquote' && last !== undefined && endsWithBlank(last));
}
