import { ROBOT } from '../../web/robots.ts';
import { sameSite } from '../../web/url.ts';

/** What a page says of itself to robots, and where it leads; addresses as they stand in it. */
export interface HeadLinks {
  /** Of its `<base>`; '' for none. */
  base: string;
  /** Its own address, as it has it; '' where it names none, or several. */
  canonical: string;
  /** Each once, in order. */
  links: string[];
  noindex: boolean;
  nofollow: boolean;
}

const MOST_LINKS = 10_000;
const LONGEST = 2048;
/** By which a page is spoken to. */
const NAMES = new Set(['robots', ROBOT.toLowerCase()]);
const LINKS: Record<string, string> = { a: 'href', area: 'href', frame: 'src' };

/** Hears each element of a page as it opens. */
export class HeadLinksReader {
  readonly leads: HeadLinks = { base: '', canonical: '', links: [], noindex: false, nofollow: false };
  readonly #links = new Set<string>();
  readonly #canonicals = new Set<string>();
  /** What stands further down may be a reader's comment. */
  #headIsOver = false;

  open(name: string, attributes: Record<string, string>): void {
    const link = LINKS[name];
    if (link !== undefined) this.#link(attributes[link], attributes['rel']);
    else if (name === 'base') this.leads.base ||= addressIn(attributes['href']);
    else if (name === 'body') this.#headIsOver = true;
    else if (name === 'meta' && !this.#headIsOver) this.#meta(attributes);
    else if (name === 'link' && !this.#headIsOver) this.#relation(attributes);
  }

  close(name: string): void {
    this.#headIsOver ||= name === 'head';
  }

  #link(written: string | undefined, rel = ''): void {
    const address = addressIn(written);
    if (address === '' || this.#links.size >= MOST_LINKS || /(?:^|\s)nofollow(?:$|\s)/i.test(rel)) return;
    if (this.#links.has(address)) return;
    this.#links.add(address);
    this.leads.links.push(address);
  }

  #meta({ name = '', content = '', 'http-equiv': header = '' }: Record<string, string>): void {
    if (/^refresh$/i.test(header.trim())) this.#link(/^[\d.\s]*[;,]\s*url\s*=\s*["']?([^"']*)/i.exec(content)?.[1]);
    if (!NAMES.has(name.trim().toLowerCase())) return;
    const words = content.split(',').map((word) => word.trim().toLowerCase());
    this.leads.noindex ||= words.some((word) => word === 'noindex' || word === 'none');
    this.leads.nofollow ||= words.some((word) => word === 'nofollow' || word === 'none');
  }

  #relation({ rel = '', href }: Record<string, string>): void {
    const address = addressIn(href);
    if (address === '' || !/(?:^|\s)canonical(?:$|\s)/i.test(rel)) return;
    this.#canonicals.add(address);
    this.leads.canonical = this.#canonicals.size === 1 ? address : '';
  }
}

/** White space around it and line breaks within it count for nothing, as in a browser; '' for what leads nowhere. */
function addressIn(written = ''): string {
  const address = written.replace(/[\t\n\r]/g, '').trim();
  return address.length > LONGEST || address.startsWith('#') ? '' : address;
}

/** Where a page of this address leads, whole and without fragments; nowhere where it says so. */
export function* linksOf({ base, links, nofollow }: HeadLinks, url: string): Generator<string> {
  if (nofollow) return;
  const from = wholeAddress(base, url) ?? url;
  for (const link of links) {
    const address = wholeAddress(link, from);
    if (address !== undefined) yield address;
  }
}

/**
 * The address that the page is to be known by, where it can be believed: of the same site, and not the site's first
 * page named by one further in, which is a common mistake.
 */
export function canonicalOf({ base, canonical }: HeadLinks, url: string): string | undefined {
  const address = canonical && wholeAddress(canonical, wholeAddress(base, url) ?? url);
  if (!address) return undefined;
  const [named, own] = [new URL(address), new URL(url)];
  const inner = !/^\/(?:(?:index|default|home)\b[^/]*)?$/i.test(own.pathname);
  if (!sameSite(named, own) || (named.pathname === '/' && inner)) return undefined;
  return address;
}

function wholeAddress(written: string, base: string): string | undefined {
  if (!URL.canParse(written, base)) return undefined;
  const url = new URL(written, base);
  url.hash = '';
  return /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : undefined;
}
