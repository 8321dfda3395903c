import type { Block } from '../blocks.ts';

/** Whether a link leads to a fragment of the same page, or away from it. */
export type Linked = 'page' | 'away';

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
