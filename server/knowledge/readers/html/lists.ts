import { MAX_INDENT, type Block } from '../blocks.ts';

/** Where the text of a list's item stands. */
export interface ListPlace {
  /** Absent for a bullet. */
  number: number | undefined;
  /** Spaces before its mark. */
  indent: number;
}

interface List {
  isOrdered: boolean;
  next: number;
  step: 1 | -1;
  indent: number;
}

/** A longer number is read as no number, see `sentencesOf`. */
const MAX_NUMBER = 999;

/** The lists that are open, with the numbers of their items. */
export class Lists {
  readonly #open: List[] = [];
  /** Outermost lists so far. */
  #count = 0;

  /** To be called with each element; returns the place of an item. `outer`: the item around it. */
  open(name: string, attributes: Record<string, string>, outer: ListPlace | undefined): ListPlace | undefined {
    if (name === 'ol' || name === 'ul' || name === 'menu') this.#openList(name === 'ol', attributes, outer);
    return name === 'li' ? this.#openItem(attributes) : undefined;
  }

  close(name: string): void {
    if (name === 'ol' || name === 'ul' || name === 'menu') this.#open.pop();
  }

  /** What a block of the open lists has to know of them. `place`: of the item that it is in. */
  of(kind: Block['kind'], place: ListPlace | undefined): Pick<Block, 'list' | 'number' | 'indent'> {
    if (this.#open.length === 0 || kind === 'heading') return {};
    const { number, indent } = place ?? { number: undefined, indent: 0 };
    const list = { list: this.#count };
    if (kind === 'item') return { ...list, ...(number === undefined ? {} : { number }), ...(indent ? { indent } : {}) };
    return place && kind === 'text' ? { ...list, indent: contentIndent(place) } : list;
  }

  #openList(isOrdered: boolean, { start = '1', reversed }: Record<string, string>, outer: ListPlace | undefined): void {
    if (this.#open.length === 0) this.#count++;
    const first = numberIn(start) ?? 1;
    this.#open.push({
      // A reversed list without its first number counts down from how many items come.
      isOrdered: isOrdered && (reversed === undefined || first > 1),
      next: first,
      step: reversed === undefined ? 1 : -1,
      indent: outer ? Math.min(MAX_INDENT, contentIndent(outer)) : 0,
    });
  }

  #openItem({ value = '' }: Record<string, string>): ListPlace {
    const list = this.#open.at(-1);
    if (!list?.isOrdered) return { number: undefined, indent: list?.indent ?? 0 };
    const number = numberIn(value) ?? list.next;
    list.next = number + list.step;
    return { number: number >= 0 && number <= MAX_NUMBER ? number : undefined, indent: list.indent };
  }
}

/** Spaces before what is within an item: as many as its mark takes. */
const contentIndent = ({ number, indent }: ListPlace): number =>
  indent + (number === undefined ? '- ' : `${number}. `).length;

const numberIn = (attribute: string): number | undefined =>
  /^\s*\d{1,6}\s*$/.test(attribute) ? Number(attribute) : undefined;
