import { setImmediate } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { MOST_BLOCKS, type Block, type Readable } from './blocks.ts';
import { Flow, LINE_BREAK, type Placed } from './html-flow.ts';
import { LeadsReader } from './leads.ts';

const words = (list: string): Set<string> => new Set(list.split(/\s+/));

/** What no reader of the page reads. */
const UNSEEN = words(
  'script style noscript template svg math iframe object embed canvas audio video map select button textarea datalist',
);
/** What stands on every page of a site. */
const FURNITURE = words('nav aside footer dialog');
const FURNITURE_ROLES = words(
  'navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar',
);
/** Names that site builders give to such things. */
const FURNITURE_NAMES =
  /(?:^|[\s_-])(?:cookies?|consent|gdpr|breadcrumbs?|skip-?(?:link|nav|to-content)|site-?(?:nav|menu|header|footer)|navbar|sidebar|share-?buttons?|social-?links?)(?:$|[\s_-])/i;
const BLOCKS = words(
  `address article blockquote body caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3
  h4 h5 h6 header hgroup hr html legend li main menu ol optgroup option p pre section summary table tbody td tfoot th
  thead tr ul`,
);
/** Characters parsed between two turns of the event loop. */
const SLICE = 16 * 1024;
/** The parser's time a tag grows with the depth. A page nested deeper is broken, and read until there. */
const DEEPEST = 1000;

/** How far an element is out of the text: furniture is not, unless the page's `main` turns out to be inside it. */
type Out = 'no' | 'furniture' | 'unseen';

/** In which parts of the page a text stands. */
interface Region {
  main: boolean;
  article: boolean;
  form: boolean;
}

interface Frame {
  out: Out;
  region: Region;
}

/**
 * The main content of a page: its title, then headings, paragraphs, list items, table rows and code in order; and
 * where it leads, by the links of its navigation, too. Takes whatever it is given and never throws. Other work gets its turn between the slices of a long page.
 */
export async function readHtml(html: string): Promise<Readable> {
  const page = new Page();
  const parser = new Parser(page);
  for (let at = 0; at < html.length && page.depth < DEEPEST && page.blocks < MOST_BLOCKS; at += SLICE) {
    parser.write(html.slice(at, at + SLICE));
    if (at + SLICE < html.length) await setImmediate();
  }
  parser.end();
  return page.readable();
}

/** Hears the parser's events; keeps a frame for each open element, with what held outside it. */
class Page {
  readonly #flow = new Flow<Region>();
  readonly #leads = new LeadsReader();
  readonly #frames: Frame[] = [];
  #region: Region = { main: false, article: false, form: false };
  #out: Out = 'no';
  #title: string[] = [];
  #inTitle = false;

  get blocks(): number {
    return this.#flow.count;
  }

  get depth(): number {
    return this.#frames.length;
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    this.#frames.push({ out: this.#out, region: this.#region });
    this.#leads.open(name, attributes);
    if (name === 'title' && this.#out !== 'unseen') this.#inTitle = this.#title.length === 0;
    this.#out = this.#outOf(name, attributes);
    if (this.#out !== 'no') return;
    if (name === 'br') this.#flow.text(LINE_BREAK, this.#region);
    else if (BLOCKS.has(name)) this.#flow.open(name);
    this.#region = regionOf(name, attributes, this.#region);
  }

  ontext(text: string): void {
    if (this.#inTitle) this.#title.push(text);
    else if (this.#out === 'no') this.#flow.text(text, this.#region);
  }

  onclosetag(name: string): void {
    const frame = this.#frames.pop();
    if (!frame) return;
    this.#leads.close(name);
    if (name === 'title') this.#inTitle = false;
    if (this.#out === 'no' && BLOCKS.has(name)) this.#flow.close(name, this.#region);
    this.#out = frame.out;
    this.#region = frame.region;
  }

  #outOf(name: string, attributes: Record<string, string>): Out {
    const { role = '', hidden, class: names = '', id = '' } = attributes;
    if (this.#out === 'unseen' || UNSEEN.has(name)) return 'unseen';
    if ((hidden !== undefined && hidden !== 'until-found') || attributes['aria-hidden'] === 'true') return 'unseen';
    if (name === 'main' || role === 'main') return 'no';
    if (this.#out === 'furniture' || FURNITURE.has(name) || FURNITURE_ROLES.has(role)) return 'furniture';
    if (this.#region.main || this.#region.article || /^(?:html|body|article)$/.test(name)) return 'no';
    const furniture = name === 'header' || FURNITURE_NAMES.test(names) || FURNITURE_NAMES.test(id);
    return furniture ? 'furniture' : 'no';
  }

  readable(): Readable {
    const blocks = contentOf(this.#flow.end());
    const title = this.#title.join('').replace(/\s+/g, ' ').trim();
    const heading = () => blocks.find(({ kind }) => kind === 'heading')?.text ?? '';
    return { title: title || heading(), blocks, leads: this.#leads.leads };
  }
}

function regionOf(name: string, { role = '' }: Record<string, string>, outer: Region): Region {
  if (name === 'main' || role === 'main') return { ...outer, main: true, form: false };
  if (name === 'article') return { ...outer, article: true };
  if (name === 'form') return { ...outer, form: true };
  return outer;
}

/** The narrowest part of the page that holds its words: `main`, else its articles, else all but forms, else all. */
function contentOf(all: Placed<Region>[]): Block[] {
  const free = all.filter(({ place }) => !place.form);
  const articles = free.filter(({ place }) => place.article);
  const parts = [free.filter(({ place }) => place.main), share(articles, free) > 0.5 ? articles : [], free];
  const chosen = parts.find((part) => lengthOf(part) > 0) ?? all;
  // Some systems wrap the whole page in one form, or leave `main` nearly empty.
  return (share(chosen, all) < 0.1 ? all : chosen).map(({ block }) => block);
}

const lengthOf = (part: Placed<Region>[]): number => part.reduce((sum, { block }) => sum + block.text.length, 0);
const share = (part: Placed<Region>[], whole: Placed<Region>[]): number => lengthOf(part) / (lengthOf(whole) || 1);
