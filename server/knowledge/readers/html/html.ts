import { setImmediate } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { MOST_BLOCKS, TOO_MANY_BLOCKS, type Readable } from '../blocks.ts';
import { contentOf, type Region } from './content.ts';
import { Flow, LINE_BREAK, type Linked } from './block-flow.ts';
import { isNamedBoilerplate, isBoilerplate } from './boilerplate.ts';
import { HeadLinksReader } from '../links.ts';

const words = (list: string): Set<string> => new Set(list.split(/\s+/));

/** What no reader of the page reads. */
const UNSEEN = words(
  `script style noscript template svg math iframe object embed canvas audio video map select button textarea datalist
  del s strike`,
);
const BLOCKS = words(
  `address article blockquote body caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3
  h4 h5 h6 header hgroup hr html legend li main menu ol optgroup option p pre section summary table tbody td tfoot th
  thead tr ul`,
);
/** Characters parsed between two turns of the event loop. */
const SLICE = 2 * 1024;
/** The parser's time a tag grows with the depth. A page nested deeper is broken, and read until there. */
const DEEPEST = 1000;
const TOO_DEEP = `it is read until an element that stands within ${DEEPEST} others`;

/** How far an element is out of the text: boilerplate is not, unless the page's `main` turns out to be inside it. */
type Out = 'no' | 'boilerplate' | 'unseen';

interface Frame {
  out: Out;
  region: Region;
  link: Linked | undefined;
  raised: boolean;
  bold: boolean;
}

const RAISED: Record<string, string> = Object.fromEntries(
  [...'0123456789+-n'].map((sign, at) => [sign, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ'][at]!]),
);
/** Characters of a title that are looked at. */
const LONGEST_TITLE = 10_000;
const FOOTNOTE = /^\s*(?:[[(]?\d{1,3}[\])]?|[*†‡§])\s*$/;

/**
 * The main content of a page: its title, then headings, paragraphs, list items, table rows and code in order; and
 * where it leads, by the links of its navigation, too. Takes whatever it is given and never throws. Other work gets its turn between the slices of a long page.
 */
export async function readHtml(html: string): Promise<Readable> {
  const page = new Page();
  const parser = new Parser(page);
  let at = 0;
  for (; at < html.length && page.depth < DEEPEST && page.blocks < MOST_BLOCKS; at += SLICE) {
    parser.write(html.slice(at, at + SLICE));
    if (at + SLICE < html.length) await setImmediate();
  }
  parser.end();
  const readable = await page.readable();
  if (at < html.length) readable.cut = page.depth < DEEPEST ? TOO_MANY_BLOCKS : TOO_DEEP;
  return readable;
}

/** Hears the parser's events; keeps a frame for each open element, with what held outside it. */
class Page {
  readonly #flow = new Flow<Region>();
  readonly #leads = new HeadLinksReader();
  readonly #frames: Frame[] = [];
  #region: Region = { main: false, article: false, form: false, boilerplate: false };
  #link: Linked | undefined;
  #raised = false;
  #bold = false;
  #out: Out = 'no';
  #title: string[] = [];
  #titleLength = 0;
  #inTitle = false;

  get blocks(): number {
    return this.#flow.count;
  }

  get depth(): number {
    return this.#frames.length;
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    this.#frames.push({
      out: this.#out,
      region: this.#region,
      link: this.#link,
      raised: this.#raised,
      bold: this.#bold,
    });
    this.#leads.open(name, attributes);
    if (name === 'title' && this.#out !== 'unseen') this.#inTitle = this.#title.length === 0;
    this.#out = this.#outOf(name, attributes);
    if (this.#out !== 'no') return;
    if (name === 'br') this.#flow.text(LINE_BREAK, this.#region);
    else if (BLOCKS.has(name)) this.#flow.open(name);
    if (name === 'a' && attributes.href !== undefined) this.#link = attributes.href.startsWith('#') ? 'page' : 'away';
    else if (name === 'sup') this.#raised = true;
    else if (name === 'b' || name === 'strong') this.#bold = true;
    this.#region = regionOf(name, attributes, this.#region);
  }

  ontext(text: string): void {
    if (this.#inTitle) this.#titled(text);
    else if (this.#out === 'no')
      this.#flow.text(this.#raised ? this.#raise(text) : text, this.#region, this.#link, this.#bold);
  }

  /** A title element that is never closed holds all that follows. */
  #titled(text: string): void {
    if (this.#titleLength < LONGEST_TITLE) this.#title.push(text);
    this.#titleLength += text.length;
  }

  /** 2 to the power of 31 is not 231; a number that leads to a footnote is no part of the sentence. */
  #raise(text: string): string {
    if (this.#link !== undefined && FOOTNOTE.test(text)) return '';
    return /^[\d+−-]+n?$|^n$/.test(text)
      ? text.replace(/[^]/g, (sign) => RAISED[sign === '−' ? '-' : sign] ?? sign)
      : text;
  }

  onclosetag(name: string): void {
    const frame = this.#frames.pop();
    if (!frame) return;
    this.#leads.close(name);
    if (name === 'title') this.#inTitle = false;
    if (this.#out === 'no' && BLOCKS.has(name)) this.#flow.close(name, this.#region);
    this.#out = frame.out;
    this.#region = frame.region;
    this.#link = frame.link;
    this.#raised = frame.raised;
    this.#bold = frame.bold;
  }

  #outOf(name: string, attributes: Record<string, string>): Out {
    const { role = '', hidden } = attributes;
    if (this.#out === 'unseen' || UNSEEN.has(name)) return 'unseen';
    if ((hidden !== undefined && hidden !== 'until-found') || attributes['aria-hidden'] === 'true') return 'unseen';
    if (name === 'main' || role === 'main') return 'no';
    if (this.#out === 'boilerplate' || isBoilerplate(name, role)) return 'boilerplate';
    return name === 'header' && !this.#region.main && !this.#region.article ? 'boilerplate' : 'no';
  }

  async readable(): Promise<Readable> {
    const title = this.#title.join('').replace(/\s+/g, ' ').trim();
    const blocks = await contentOf(this.#flow.end(), title);
    const heading = () => blocks.find(({ kind }) => kind === 'heading')?.text ?? '';
    return { title: title || heading(), blocks, leads: this.#leads.leads };
  }
}

const WHOLE = /^(?:html|body|article)$/;

function regionOf(name: string, attributes: Record<string, string>, outer: Region): Region {
  const { role = '', class: names = '', id = '' } = attributes;
  if (name === 'main' || role === 'main') return { ...outer, main: true, form: false, boilerplate: false };
  if (name === 'article') return { ...outer, article: true };
  if (name === 'form') return { ...outer, form: true };
  const called = !outer.boilerplate && (names !== '' || id !== '') && !WHOLE.test(name);
  if (called && isNamedBoilerplate(`${names} ${id}`, outer.main || outer.article))
    return { ...outer, boilerplate: true };
  return outer;
}
