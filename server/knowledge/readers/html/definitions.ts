import type { Block } from '../blocks.ts';
import type { Placed } from './placed.ts';

/** Below every heading of a page: the term of a definition list, a level deeper in each list within another. */
const TERM_LEVEL = 20;
/** UTF-16 units of a definition from which on its term is a heading; what is shorter is one item with its term. */
const MIN_DEFINITION = 160;
/** The same for the options of a command, which are asked for by name. */
const MIN_OPTION = 16;
const OPTION = /^--?[\p{L}\d]/u;

interface Definition<P> {
  terms: string[];
  place: P;
  /** Where its blocks go, and from where on. */
  out: Placed<P>[];
  from: number;
  /** Indexes of the first blocks of its parts (`dd`). */
  parts: number[];
}

/** The definition lists that are open, with the terms that wait for their definitions. */
export class Definitions<P> {
  readonly #open: (Definition<P> | undefined)[] = [];

  openList(): void {
    this.#open.push(undefined);
  }

  /** `blocks`: those before it in the page. */
  term(text: string, place: P, out: Placed<P>[]): void {
    if (this.#open.length === 0) this.openList();
    const open = this.#open.at(-1);
    // Several terms may share a definition.
    if (open && open.parts.length === 0 && open.out === out) {
      if (text) open.terms.push(text);
      return;
    }
    this.#end();
    this.#open[this.#open.length - 1] = { terms: text ? [text] : [], place, out, from: out.length, parts: [] };
  }

  part(out: Placed<P>[]): void {
    const open = this.#open.at(-1);
    if (open?.out === out) open.parts.push(out.length);
  }

  closeList(): void {
    this.#end();
    this.#open.pop();
  }

  /** Puts the term into the blocks of its definition, or above them. */
  #end(): void {
    const open = this.#open.at(-1);
    if (!open || open.terms.length === 0) return;
    const { terms, place, out, from, parts } = open;
    const blocks = out.slice(from);
    const term = terms.join(', ');
    if (blocks.length === 0) out.push({ block: { kind: 'item', text: term }, place });
    else if (isSection(term, blocks, parts.length)) {
      const level = TERM_LEVEL + this.#open.length;
      for (const one of blocks) if (one.block.kind === 'item' && one.isPart) one.block = { ...one.block, kind: 'text' };
      out.splice(from, 0, { block: { kind: 'heading', level, text: term }, place });
      out.push({ block: { kind: 'heading', level, text: '' }, place });
    } else {
      for (const at of parts) {
        const one = out[at];
        if (one) one.block = { ...one.block, isDefinition: true, text: withTerm(term, one.block.text) };
      }
    }
  }
}

function isSection<P>(term: string, blocks: Placed<P>[], parts: number): boolean {
  const length = blocks.reduce((sum, { block }) => sum + block.text.length, 0);
  return length >= (OPTION.test(term) ? MIN_OPTION : MIN_DEFINITION) || blocks.length > Math.max(1, parts);
}

const withTerm = (term: string, text: Block['text']): string =>
  /[:?!.]$/.test(term) ? `${term} ${text}` : `${term}: ${text}`;
