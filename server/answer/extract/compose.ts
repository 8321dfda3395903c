import type { Found } from '../../knowledge/search/found.ts';
import type { Query } from '../../knowledge/search/query.ts';
import { CODE_FENCE } from '../../knowledge/text/sentences.ts';
import { Layout } from './layout.ts';
import { isAmount } from './rows/prices.ts';
import { itemsToQuote } from './rows/items.ts';
import { headingOver, wholeAround, withPrefix } from './section.ts';
import { refersBack, SENTENCE_END } from './sentences/anaphora.ts';
import { isLinked, withoutLink } from './sentences/connectives.ts';
import { asksHow, stepsAround } from './steps.ts';

/** A selected sentence: the index of its passage in `found`, and its own index in the passage. */
interface PickedSentence {
  found: number;
  at: number;
}

/** A quotation of one passage, to be followed by one marker. */
export interface QuotePiece {
  /** Markdown: words of the passage, after its heading or lead-in where they need one to be understood. */
  text: string;
  found: number;
  /** UTF-16 offsets in the passage of what is quoted. */
  start: number;
  end: number;
  /** To be a paragraph of its own. */
  block: boolean;
}

/** UTF-16 units of what is added because the next sentence refers back to it. */
const MAX_BEFORE = 320;
/** UTF-16 units. Of longer code only the selected sentence is quoted. */
const MAX_CODE_LENGTH = 700;
/** UTF-16 units of a sentence above a list that leads to it without a colon. */
const MAX_CAPTION_LENGTH = 320;
/**
 * UTF-16 units from lead-in to end up to which the citation includes the lead-in: a longer one would cite many items that
 * are not quoted.
 */
const MAX_QUOTE_WITH_LEAD_IN = 900;

/**
 * Composes selected sentences so that each piece can be understood without its page: sentences of a page are grouped in its
 * order, adjacent ones are joined, list items get their lead-in, and a sentence that refers back gets the one before it.
 * `rows`: of their lists and tables nothing else is quoted.
 */
export function composeQuotes(
  picks: PickedSentence[],
  found: Found[],
  query: Query,
  rows: PickedSentence[] = [],
): QuotePiece[] {
  const pages = new Map<string, Map<number, number[]>>();
  for (const { found: passageIndex, at } of picks) {
    const { uuid } = found[passageIndex]!.source;
    const passages = pages.get(uuid) ?? new Map<number, number[]>();
    pages.set(uuid, passages.set(passageIndex, [...(passages.get(passageIndex) ?? []), at]));
  }
  return [...pages.values()].flatMap((passages) =>
    [...passages].flatMap(([at, sentences], index, all) => {
      const best = picks[0]?.found === at ? picks[0].at : -1;
      const own = rows.filter((row) => row.found === at).map((row) => row.at);
      const passage = new PassageQuotes(found[at]!, at, query, best, own);
      const before = index > 0 ? found[all[index - 1]![0]]!.headings : undefined;
      return passage.compose(
        sentences.sort((a, b) => a - b),
        before,
      );
    }),
  );
}

/** Composes the pieces of one passage. */
class PassageQuotes {
  readonly #found: Found;
  readonly #passageIndex: number;
  readonly #query: Query;
  readonly #layout: Layout;
  readonly #best: number;
  /** Those that are asked for; none where the words of the question choose. */
  readonly #rows: number[];
  /** The question asks how something is done. */
  readonly #wantsCode: boolean;
  readonly #quoted = new Set<number>();
  readonly #pieces: QuotePiece[] = [];
  /** The headings of its section have been told. */
  #isHeaded = false;

  constructor(found: Found, passageIndex: number, query: Query, best: number, rows: number[]) {
    this.#found = found;
    this.#passageIndex = passageIndex;
    this.#query = query;
    this.#best = best;
    this.#rows = rows;
    this.#wantsCode = asksHow(query);
    this.#layout = new Layout(found.text, found.match.sentences());
  }

  /** `before`: the headings of the passage that is quoted before it. */
  compose(selected: number[], before?: string[]): QuotePiece[] {
    this.#isHeaded = this.#found.source.type === 'qa' || before?.join('\n') === this.#found.headings.join('\n');
    for (const at of selected) if (!this.#quoted.has(at)) this.#quote(at, selected);
    if (this.#found.source.type === 'qa') return this.#pieces;
    return this.#pieces.map((piece) => ({ ...piece, text: piece.text.replace(COLON_AT_END, ' …') }));
  }

  /** A paragraph, and the one that it cannot be understood without. */
  #whole(at: number): boolean {
    const { sentences, text } = this.#layout;
    // An owner's answer may have no letter, and so no sentence.
    const whole = wholeAround(this.#found, sentences[at]?.start ?? 0);
    if (!whole || this.#rows.length > 0) return false;
    const isIn = (one: number): boolean => sentences[one]!.start >= whole.start && sentences[one]!.start < whole.end;
    const own = sentences.map((_, one) => one).filter(isIn);
    let [first, last] = [own[0] ?? 0, own.at(-1) ?? -1];
    let { start, end } = whole;
    if (first > 0 && (refersBack(this.#text(first), text) || this.#isLed(first))) ({ start } = sentences[--first]!);
    if (last + 1 < sentences.length && UNFINISHED.test(this.#text(last))) end = this.#layout.end(++last);
    const quote = text.slice(start, end);
    this.#push(this.#piece(quote, start, end, true), first, last, isAmount(quote));
    return true;
  }

  #quote(at: number, selected: number[]): void {
    if (this.#whole(at)) return;
    const steps = stepsAround(this.#layout, at, this.#query);
    if (steps) {
      const { text, start, end, first, last, isLed } = steps;
      return this.#push(this.#piece(text, start, end, true), first, last, !isLed);
    }
    if (this.#layout.items[at]! >= 0) return this.#list(at, selected);
    if (this.#layout.isCode(at)) return this.#code(at);
    const next = at + 1;
    if (next < this.#layout.sentences.length) {
      const isColon = ENDS_WITH_COLON.test(this.#text(at));
      const isLead = isColon || (this.#leadIn(at) && selected.some((one) => this.#layout.sentences[one]!.lead === at));
      if (isLead && this.#layout.items[next] === next) return this.#list(next, selected);
      if ((isColon || this.#wantsCode) && this.#layout.isCode(next)) return this.#code(next);
      if (isColon && !this.#quoted.has(next)) return this.#quote(next, selected);
    } else if (ENDS_WITH_COLON.test(this.#text(at)) && at !== this.#best) return;
    if (QUESTION.test(this.#text(at)) && next < this.#layout.sentences.length)
      return this.#questionWithAnswer(at, next, selected);
    this.#sentence(at);
  }

  #text(at: number): string {
    return this.#layout.sentences[at]!.text;
  }

  #piece(text: string, start: number, end: number, block: boolean): QuotePiece {
    return { text, found: this.#passageIndex, start, end, block };
  }

  /** `isNeeded`: without a heading the piece cannot be understood. */
  #push(piece: QuotePiece, from: number, to: number, isNeeded = false): void {
    for (let at = from; at <= to; at++) this.#quoted.add(at);
    const heading = isNeeded || !this.#isHeaded ? headingOver(this.#found, piece.text, isNeeded) : '';
    this.#isHeaded = true;
    const text = this.#found.source.type === 'qa' ? piece.text : withoutLink(piece.text, this.#found.text);
    this.#pieces.push({ ...piece, text: withPrefix(heading, text) });
  }

  #sentence(at: number): void {
    const end = this.#layout.end(at);
    const last = this.#pieces.at(-1);
    if (last && !last.block && at > 0 && last.end === this.#layout.end(at - 1) && this.#layout.isInParagraph(at)) {
      last.text += this.#layout.space(at) + this.#text(at);
      last.end = end;
      this.#quoted.add(at);
      return;
    }
    const isAnaphoric = refersBack(this.#text(at), this.#found.text);
    const first = this.#beginning(at, isAnaphoric);
    let text = this.#text(first);
    for (let next = first + 1; next <= at; next++) text += this.#layout.space(next) + this.#text(next);
    const piece = this.#piece(text, this.#layout.sentences[first]!.start, end, false);
    this.#push(piece, first, at, (isAnaphoric && first === at) || isAmount(text));
  }

  /** The sentence from which on another can be understood. */
  #beginning(at: number, isAnaphoric: boolean): number {
    if (!(isAnaphoric || this.#isLed(at)) || !this.#hasBefore(at, at)) return this.#unquotedLabel(at);
    let first = at - 1;
    while (isLinked(this.#text(first), this.#found.text) && this.#hasBefore(first, at)) first--;
    return first;
  }

  /** Whether a complete sentence, or a lead-in, comes before, not far from the one that is quoted, and is not quoted already. */
  #hasBefore(at: number, quoted: number): boolean {
    const before = at - 1;
    if (before < 0 || this.#quoted.has(before)) return false;
    if (this.#layout.sentences[quoted]!.start - this.#layout.sentences[before]!.start > MAX_BEFORE) return false;
    if (this.#isLed(at)) return true;
    const isNear = this.#layout.isInParagraph(at) || isLinked(this.#text(at), this.#found.text);
    return isNear && this.#layout.items[before]! < 0 && SENTENCE_END.test(this.#text(before));
  }

  #unquotedLabel(at: number): number {
    const label = this.#layout.labelOver(at, MAX_BEFORE);
    return this.#quoted.has(label) ? at : label;
  }

  #isLed = (at: number): boolean => at > 0 && ENDS_WITH_COLON.test(this.#text(at - 1));

  /** Joins a question of the page, as in an FAQ, with its answer: alone it says nothing. */
  #questionWithAnswer(at: number, next: number, selected: number[]): void {
    if (this.#layout.items[next]! >= 0 || this.#layout.isCode(next) || this.#quoted.has(next))
      return this.#sentence(at);
    const isNext = selected.includes(next + 1) && this.#layout.isInParagraph(next + 1);
    const last = ENDS_WITH_COLON.test(this.#text(next)) ? this.#endOfList(next) : isNext ? next + 1 : next;
    const [start, end] = [this.#layout.sentences[at]!.start, this.#layout.end(last)];
    this.#push(this.#piece(this.#layout.text.slice(start, end), start, end, true), at, last);
  }

  /** The last sentence of the list that a sentence leads to, as far as it is quoted; the sentence itself where there is none. */
  #endOfList(lead: number): number {
    const items = this.#layout.items[lead + 1] === lead + 1 ? this.#layout.itemsAround(lead + 1) : [];
    const { start } = this.#layout.sentences[lead]!;
    const short = items.filter((item) => this.#layout.itemEnd(item) - start <= MAX_QUOTE_WITH_LEAD_IN);
    return short.length > 0 ? this.#layout.items.lastIndexOf(short.at(-1)!) : lead;
  }

  /** Quotes short code whole, since a part of it may not run, after the sentence above it. */
  #code(at: number): void {
    const { sentences, text } = this.#layout;
    const around = this.#layout.codeAround(at);
    const isShort = this.#layout.end(around.last) - sentences[around.first]!.start <= MAX_CODE_LENGTH;
    const { first, last } = isShort ? around : { first: at, last: at };
    const { start } = sentences[first]!;
    const end = this.#layout.end(last);
    const lead = first > 0 && !this.#layout.isCode(first - 1) && !this.#quoted.has(first - 1) ? first - 1 : first;
    const before = lead < first && this.#text(lead).length <= MAX_BEFORE ? lead : first;
    const above = before < first ? `${this.#text(before)}\n\n` : '';
    const quoted = `${above}${CODE_FENCE}\n${text.slice(start, end)}\n${CODE_FENCE}`;
    this.#push(this.#piece(quoted, sentences[before]!.start, end, true), before, last);
  }

  #list(at: number, selected: number[]): void {
    const items = this.#layout.itemsAround(this.#layout.items[at]!);
    const lead = this.#layout.sentences[items[0]!]!.lead;
    const quotedItems = this.#layout.withNested(this.#itemsToQuote(items, lead, selected), items);
    const before = this.#leadIn(lead);
    const [first = 0] = [...this.#layout.itemsOver(quotedItems[0]!), ...quotedItems];
    const { start } = this.#layout.sentences[first]!;
    const end = this.#layout.itemEnd(quotedItems.at(-1)!);
    const quoteFrom =
      before && lead >= 0 && end - this.#layout.sentences[lead]!.start <= MAX_QUOTE_WITH_LEAD_IN
        ? this.#layout.sentences[lead]!.start
        : start;
    const text = withPrefix(before, this.#layout.listOf(quotedItems));
    for (const item of items) this.#quoted.add(item);
    for (const sentence of selected) if (items.includes(this.#layout.items[sentence]!)) this.#quoted.add(sentence);
    if (lead >= 0) this.#quoted.add(lead);
    this.#push(this.#piece(text, quoteFrom, end, quotedItems.length > 1), 0, -1, before === '');
  }

  #itemsToQuote(items: number[], lead: number, selected: number[]): number[] {
    const rows = items.filter((item) => this.#rows.includes(item));
    if (rows.length > 0) return rows;
    const [found, layout, query, best] = [this.#found, this.#layout, this.#query, this.#best];
    return itemsToQuote({ found, layout, query, items, lead, selected, best });
  }

  /** What stands above a list, as a prefix of an item. */
  #leadIn(lead: number): string {
    const text = lead >= 0 ? this.#text(lead) : '';
    if (text === '' || ENDS_WITH_COLON.test(text)) return text && `${text} `;
    if (text.length > MAX_CAPTION_LENGTH) return '';
    return SENTENCE_END.test(text) ? `${text} ` : `${text}: `;
  }
}

const ENDS_WITH_COLON = /[:：]$/;
const COLON_AT_END = /\s*[:：]$/;
const QUESTION = /[?？]$/;
const UNFINISHED = /[:：?？]$/;
