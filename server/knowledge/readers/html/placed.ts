import type { Block } from '../blocks.ts';

/** Whether a link leads to a fragment of the same page, to another page, or to none: it is an address of mail, or a telephone number. */
export type Linked = 'page' | 'away' | 'contact';

/** A block with its place in the page. */
export interface Placed<P> {
  block: Block;
  place: P;
  /** Nearly all of it is links. */
  linked?: Linked | undefined;
  /** All of it is bold. */
  bold?: boolean;
  /** It begins a part of a definition (`dd`). */
  isPart?: boolean;
}
