/** What the markup of a page says of questions and answers: disclosures, accordions, schema.org's Question. */

/** Of the headings of questions, one deeper in each section within another. */
const QUESTION_LEVEL = 6;
/** Ids of panels that are remembered. */
const MAX_PANELS = 1000;
const QUESTION_TYPE = /schema\.org\/Question\b/i;

/** What an element is among questions and answers. */
export interface Asked {
  /** The level of the heading that its text is. */
  question?: number | undefined;
  /** The level of the headings whose sections end with it. */
  ends?: number | undefined;
}

/** Follows the elements that are open, innermost last. */
export class Questions {
  readonly #panels = new Set<string>();
  /** How many sections are open that a question may head. */
  #depth = 0;
  /** Of the open items of microdata: whether each is a question. */
  readonly #items: boolean[] = [];

  open(name: string, attributes: Record<string, string>): Asked {
    const { itemscope, itemtype = '', itemprop = '' } = attributes;
    const isName = this.#items.at(-1) === true && /(?:^|\s)name(?:\s|$)/i.test(itemprop);
    const isQuestion = itemscope !== undefined && QUESTION_TYPE.test(itemtype);
    if (itemscope !== undefined) this.#items.push(isQuestion);
    this.#notePanel(attributes);
    if (name === 'details' || isQuestion) this.#depth++;
    const level = QUESTION_LEVEL + Math.max(0, this.#depth - 1);
    if (name === 'details' || isQuestion) return { ends: level };
    return name === 'summary' || (isName && itemscope === undefined) ? { question: level } : {};
  }

  /** `asked`: what `open` returned. */
  close(attributes: Record<string, string>, asked: Asked): void {
    if (attributes['itemscope'] !== undefined) this.#items.pop();
    if (asked.ends !== undefined) this.#depth--;
  }

  /** Whether what is hidden is shown by a control of the page: the panel of an accordion or a tab. */
  isPanel({ id = '', role = '', 'aria-labelledby': label }: Record<string, string>): boolean {
    return this.#panels.has(id) || ((role === 'region' || role === 'tabpanel') && label !== undefined);
  }

  #notePanel({ 'aria-controls': panel, 'aria-expanded': expanded, role = '' }: Record<string, string>): void {
    if (!panel || (expanded === undefined && role !== 'tab') || this.#panels.size >= MAX_PANELS) return;
    this.#panels.add(panel);
  }
}
