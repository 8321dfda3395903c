import { setImmediate } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { MAX_BLOCKS, TOO_MANY_BLOCKS, type Readable } from '../blocks.ts';
import { contentOf, type Region } from './content.ts';
import { Flow, LINE_BREAK } from './block-flow.ts';
import type { Linked } from './placed.ts';
import { isBoilerplate, isHeaderOrFooter, isNamedBoilerplate, nameSet } from './boilerplate.ts';
import { HeadLinksReader } from '../links.ts';
import { LinkedData, type DeclaredPair } from './linked-data.ts';
import { postPlaceOf, withOneAnswer } from './posts.ts';
import { Questions, type Asked } from './questions.ts';
import { withPairs, type ReadPair } from './pairs.ts';
import { siteFactsIn } from './site-facts.ts';
import { titleIn } from '../titles.ts';

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
const HEADINGS = nameSet('h1 h2 h3 h4 h5 h6 dt');
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
  isBeside: boolean;
  raised: boolean;
  bold: boolean;
  attributes: Record<string, string>;
  asked: Asked;
}

const RAISED: Record<string, string> = Object.fromEntries(
  [...'0123456789+-n'].map((sign, at) => [sign, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ'][at]!]),
);
/** UTF-16 units of a title that are read. */
const MAX_TITLE_TAG_LENGTH = 10_000;
/** A link to where it stands itself, such as \u00b6. */
const PERMALINK = /^[^\p{L}\p{N}[\]()*†‡]+$/u;
/** What a link has that leads to no page. */
const CONTACT = /^\s*(?:mailto|tel|sms|callto):/i;
const FOOTNOTE = /^\s*(?:[[(]?\d{1,3}[\])]?|[*†‡§])\s*$/;

/**
 * Extracts the title, the main content (headings, paragraphs, list items, table rows and code in order) and all links,
 * those of the navigation too. Never throws. Yields to the
 * event loop between slices of a long page.
 */
export async function readHtml(html: string): Promise<Readable> {
  const page = await parse(html);
  const readable = await page.readable();
  if (page.cut) readable.cut = page.cut;
  const declared: ReadPair[] = [];
  for (const pair of page.pairs) declared.push(await readPair(pair));
  return { ...readable, blocks: await withPairs(readable.blocks, declared) };
}

async function readPair({ question, answer, isPost }: DeclaredPair): Promise<ReadPair> {
  const asked = await (await parse(question)).readable();
  const text = asked.blocks.map((block) => block.text).join(' ');
  return { question: text, answer: (await (await parse(answer)).readable()).blocks, isPost };
}

async function parse(html: string): Promise<HtmlHandler> {
  const page = new HtmlHandler();
  const parser = new Parser(page);
  let at = 0;
  for (; at < html.length && page.depth < MAX_DEPTH && page.blocks < MAX_BLOCKS; at += HTML_SLICE_LENGTH) {
    parser.write(html.slice(at, at + HTML_SLICE_LENGTH));
    if (at + HTML_SLICE_LENGTH < html.length) await setImmediate();
  }
  parser.end();
  if (at < html.length) page.cut = page.depth < MAX_DEPTH ? TOO_MANY_BLOCKS : TOO_DEEP;
  return page;
}

/** Handles the parser's events. A frame for each open element restores the state outside it. */
class HtmlHandler {
  readonly #flow = new Flow<Region>();
  /** Of the header and the footer. */
  readonly #beside = new Flow<Region>();
  #isBeside = false;
  readonly #headLinks = new HeadLinksReader();
  readonly #questions = new Questions();
  readonly #data = new LinkedData();
  readonly #frames: Frame[] = [];
  #region: Region = { main: false, article: false, form: false, boilerplate: false };
  #link: Linked | undefined;
  /** A link has ended, and no text stands behind it. */
  #isBehindLink = false;
  #raised = false;
  #bold = false;
  #out: Exclusion = 'no';
  #title: string[] = [];
  #titleLength = 0;
  #inTitle = false;
  /** Of the open elements: those whose text is a heading, or a question. */
  #headings = 0;
  cut: string | undefined;

  get pairs(): DeclaredPair[] {
    return this.#data.pairs();
  }

  get blocks(): number {
    return this.#flow.count + this.#beside.count;
  }

  get depth(): number {
    return this.#frames.length;
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    const asked = this.#questions.open(name, attributes);
    this.#frames.push({
      attributes,
      asked,
      out: this.#out,
      region: this.#region,
      link: this.#link,
      isBeside: this.#isBeside,
      raised: this.#raised,
      bold: this.#bold,
    });
    this.#headLinks.open(name, attributes);
    this.#data.open(name, attributes);
    if (isHeading(name, asked)) this.#headings++;
    if (name === 'title' && this.#out !== 'unseen') this.#inTitle = this.#title.length === 0;
    this.#out = this.#exclusionOf(name, attributes);
    if (this.#out === 'boilerplate') this.#openBeside(name, attributes);
    if (this.#out !== 'no') return;
    if (name === 'br' || isBlock(name, asked)) this.#isBehindLink = false;
    if (name === 'br') this.#flow.text(LINE_BREAK, this.#region);
    else if (isBlock(name, asked)) this.#flow.open(name, attributes, asked.question);
    if (name === 'meta' && asked.question) this.#flow.text(attributes.content ?? '', this.#region);
    // What opens the panel of an accordion is its title.
    if (attributes['aria-expanded'] !== undefined) [this.#link, this.#bold] = [undefined, true];
    else if (name === 'a' && attributes.href !== undefined)
      this.#link = attributes.href.startsWith('#') ? 'page' : CONTACT.test(attributes.href) ? 'contact' : 'away';
    else if (name === 'sup') this.#raised = true;
    else if (name === 'b' || name === 'strong') this.#bold = true;
    this.#region = regionOf(name, attributes, { ...this.#region, ...postPlaceOf(attributes, this.#region) });
  }

  #openBeside(name: string, attributes: Record<string, string>): void {
    const { role = '', href = '' } = attributes;
    if (isHeaderOrFooter(name, role)) this.#isBeside = true;
    else if (isBoilerplate(name, role)) this.#isBeside = false;
    if (!this.#isBeside) return;
    if (name === 'br') this.#beside.text(LINE_BREAK, this.#region);
    else if (BLOCKS.has(name)) this.#beside.open(name, attributes);
    if (name === 'a' && href !== '' && !CONTACT.test(href)) this.#link = 'away';
  }

  ontext(text: string): void {
    if (this.#inTitle) this.#addTitle(text);
    else if (this.#out === 'unseen') this.#data.text(text);
    else if (this.#out === 'boilerplate') {
      if (this.#isBeside && !this.#link) this.#beside.text(text, this.#region);
    } else if (this.#region.isVotes) this.#region.post!.votes = Number.parseInt(text, 10) || 0;
    else if (!(this.#link === 'page' && PERMALINK.test(text))) {
      // Tiles and buttons, which stand apart in a browser.
      if (this.#isBehindLink && this.#link && /^\p{Lu}/u.test(text)) this.#flow.text(LINE_BREAK, this.#region);
      this.#isBehindLink = false;
      this.#flow.text(this.#raised ? this.#raise(text) : text, this.#region, this.#link, this.#bold);
    }
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
    this.#data.close();
    const { attributes, asked } = frame;
    if (isHeading(name, asked)) this.#headings--;
    if (this.#out === 'boilerplate' && this.#isBeside && BLOCKS.has(name)) this.#beside.close(name, this.#region);
    if (this.#out === 'no' && isBlock(name, asked)) this.#flow.close(name, this.#region, asked.ends);
    this.#questions.close(attributes, asked);
    if (name === 'a') this.#isBehindLink = true;
    this.#out = frame.out;
    this.#region = frame.region;
    this.#link = frame.link;
    this.#isBeside = frame.isBeside;
    this.#raised = frame.raised;
    this.#bold = frame.bold;
  }

  #exclusionOf(name: string, attributes: Record<string, string>): Exclusion {
    const { role = '', hidden } = attributes;
    if (this.#out === 'unseen' || (INVISIBLE.has(name) && !(name === 'button' && this.#headings > 0))) return 'unseen';
    const isHidden = (hidden !== undefined && hidden !== 'until-found') || attributes['aria-hidden'] === 'true';
    if (isHidden && !this.#questions.isPanel(attributes)) return 'unseen';
    if (name === 'main' || role === 'main') return 'no';
    if (this.#out === 'boilerplate' || isBoilerplate(name, role)) return 'boilerplate';
    return name === 'header' && !this.#region.main && !this.#region.article ? 'boilerplate' : 'no';
  }

  async readable(): Promise<Readable> {
    const title = titleIn(this.#title.join(''));
    const placed = this.#flow.end();
    const blocks = await contentOf(withOneAnswer(placed), title);
    const named = placed.filter(({ place }) => place.boilerplate && !place.main && !place.article);
    const told = new Set(blocks);
    const siteFacts = siteFactsIn([...named.filter(({ block }) => !told.has(block)), ...this.#beside.end()]);
    const heading = () => blocks.find(({ kind, text }) => kind === 'heading' && titleIn(text) !== '')?.text ?? '';
    return { title: title || heading(), blocks, siteFacts, headLinks: this.#headLinks.result };
  }
}

const isHeading = (name: string, { question }: Asked): boolean => question !== undefined || HEADINGS.has(name);
const isBlock = (name: string, { question, ends }: Asked): boolean =>
  question !== undefined || ends !== undefined || BLOCKS.has(name);

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
