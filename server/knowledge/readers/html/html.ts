import { setImmediate } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { MAX_BLOCKS, TOO_MANY_BLOCKS, type Readable } from '../blocks.ts';
import { contentOf, type Region } from './content.ts';
import { Flow, LINE_BREAK, type Linked } from './block-flow.ts';
import { isNamedBoilerplate, isBoilerplate, nameSet } from './boilerplate.ts';
import { HeadLinksReader } from '../links.ts';

/** Elements whose text is not shown or not prose. */
const INVISIBLE = nameSet(
  `script style noscript template svg math iframe object embed canvas audio video map select button textarea datalist
  del s strike`,
);
const BLOCKS = nameSet(
  `address article blockquote body caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3
  h4 h5 h6 header hgroup hr html legend li main menu ol optgroup option p pre section summary table tbody td tfoot th
  thead tr ul`,
);
/** UTF-16 units parsed between two turns of the event loop. */
const HTML_SLICE_LENGTH = 2 * 1024;
/** Open elements. The parser's time for a tag grows with the depth; a page nested deeper is read until there. */
const MAX_DEPTH = 1000;
const TOO_DEEP = `it is read until an element that stands within ${MAX_DEPTH} others`;

/** Why an element's text is left out. `boilerplate` is lifted by a `main` inside it, `unseen` is not. */
type Exclusion = 'no' | 'boilerplate' | 'unseen';

interface Frame {
  out: Exclusion;
  region: Region;
  link: Linked | undefined;
  raised: boolean;
  bold: boolean;
}

const RAISED: Record<string, string> = Object.fromEntries(
  [...'0123456789+-n'].map((sign, at) => [sign, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ'][at]!]),
);
/** UTF-16 units of a title that are read. */
const MAX_TITLE_TAG_LENGTH = 10_000;
const FOOTNOTE = /^\s*(?:[[(]?\d{1,3}[\])]?|[*†‡§])\s*$/;

/**
 * Extracts the title, the main content (headings, paragraphs, list items, table rows and code in order) and all links,
 * those of the navigation too. Never throws. Yields to the
 * event loop between slices of a long page.
 */
export async function readHtml(html: string): Promise<Readable> {
  const page = new HtmlHandler();
  const parser = new Parser(page);
  let at = 0;
  for (; at < html.length && page.depth < MAX_DEPTH && page.blocks < MAX_BLOCKS; at += HTML_SLICE_LENGTH) {
    parser.write(html.slice(at, at + HTML_SLICE_LENGTH));
    if (at + HTML_SLICE_LENGTH < html.length) await setImmediate();
  }
  parser.end();
  const readable = await page.readable();
  if (at < html.length) readable.cut = page.depth < MAX_DEPTH ? TOO_MANY_BLOCKS : TOO_DEEP;
  return readable;
}

/** Handles the parser's events. A frame for each open element restores the state outside it. */
class HtmlHandler {
  readonly #flow = new Flow<Region>();
  readonly #headLinks = new HeadLinksReader();
  readonly #frames: Frame[] = [];
  #region: Region = { main: false, article: false, form: false, boilerplate: false };
  #link: Linked | undefined;
  #raised = false;
  #bold = false;
  #out: Exclusion = 'no';
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
    this.#headLinks.open(name, attributes);
    if (name === 'title' && this.#out !== 'unseen') this.#inTitle = this.#title.length === 0;
    this.#out = this.#exclusionOf(name, attributes);
    if (this.#out !== 'no') return;
    if (name === 'br') this.#flow.text(LINE_BREAK, this.#region);
    else if (BLOCKS.has(name)) this.#flow.open(name, attributes);
    if (name === 'a' && attributes.href !== undefined) this.#link = attributes.href.startsWith('#') ? 'page' : 'away';
    else if (name === 'sup') this.#raised = true;
    else if (name === 'b' || name === 'strong') this.#bold = true;
    this.#region = regionOf(name, attributes, this.#region);
  }

  ontext(text: string): void {
    if (this.#inTitle) this.#addTitle(text);
    else if (this.#out === 'no')
      this.#flow.text(this.#raised ? this.#raise(text) : text, this.#region, this.#link, this.#bold);
  }

  /** Bounded, since a title element without its end contains the rest of the page. */
  #addTitle(text: string): void {
    if (this.#titleLength < MAX_TITLE_TAG_LENGTH) this.#title.push(text);
    this.#titleLength += text.length;
  }

  /** Writes exponents as superscript characters, so that 2³¹ does not become 231; drops links to footnotes. */
  #raise(text: string): string {
    if (this.#link !== undefined && FOOTNOTE.test(text)) return '';
    return /^[\d+−-]+n?$|^n$/.test(text)
      ? text.replace(/[^]/g, (sign) => RAISED[sign === '−' ? '-' : sign] ?? sign)
      : text;
  }

  onclosetag(name: string): void {
    const frame = this.#frames.pop();
    if (!frame) return;
    this.#headLinks.close(name);
    if (name === 'title') this.#inTitle = false;
    if (this.#out === 'no' && BLOCKS.has(name)) this.#flow.close(name, this.#region);
    this.#out = frame.out;
    this.#region = frame.region;
    this.#link = frame.link;
    this.#raised = frame.raised;
    this.#bold = frame.bold;
  }

  #exclusionOf(name: string, attributes: Record<string, string>): Exclusion {
    const { role = '', hidden } = attributes;
    if (this.#out === 'unseen' || INVISIBLE.has(name)) return 'unseen';
    if ((hidden !== undefined && hidden !== 'until-found') || attributes['aria-hidden'] === 'true') return 'unseen';
    if (name === 'main' || role === 'main') return 'no';
    if (this.#out === 'boilerplate' || isBoilerplate(name, role)) return 'boilerplate';
    return name === 'header' && !this.#region.main && !this.#region.article ? 'boilerplate' : 'no';
  }

  async readable(): Promise<Readable> {
    const title = this.#title.join('').replace(/\s+/g, ' ').trim();
    const blocks = await contentOf(this.#flow.end(), title);
    const heading = () => blocks.find(({ kind }) => kind === 'heading')?.text ?? '';
    return { title: title || heading(), blocks, headLinks: this.#headLinks.result };
  }
}

const WHOLE = /^(?:html|body|article)$/;

function regionOf(name: string, attributes: Record<string, string>, outer: Region): Region {
  const { role = '', class: names = '', id = '' } = attributes;
  if (name === 'main' || role === 'main') return { ...outer, main: true, form: false, boilerplate: false };
  if (name === 'article') return { ...outer, article: true };
  if (name === 'form') return { ...outer, form: true };
  const isNamed = !outer.boilerplate && (names !== '' || id !== '') && !WHOLE.test(name);
  if (isNamed && isNamedBoilerplate(`${names} ${id}`, outer.main || outer.article))
    return { ...outer, boilerplate: true };
  return outer;
}
