import { ROBOT } from '../../web/robots.ts';
import { sameSite } from '../../web/url.ts';

/** Robots rules, canonical address and links of a page; addresses as written in it. */
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

const MAX_LINKS = 10_000;
/** UTF-16 units; longer addresses are ignored. */
const MAX_ADDRESS_LENGTH = 2048;
/** Names of `<meta>` that address us. */
const NAMES = new Set(['robots', ROBOT.toLowerCase()]);
const LINKS: Record<string, string> = { a: 'href', area: 'href', frame: 'src' };

/** Collects links and head elements from the parser's events. */
export class HeadLinksReader {
  readonly result: HeadLinks = { base: '', canonical: '', links: [], noindex: false, nofollow: false };
  readonly #links = new Set<string>();
  readonly #canonicals = new Set<string>();
  /** Head elements in the body are ignored, since they may come from a reader's comment. */
  #headIsOver = false;

  open(name: string, attributes: Record<string, string>): void {
    const link = LINKS[name];
    if (link !== undefined) this.#link(attributes[link], attributes['rel']);
    else if (name === 'base') this.result.base ||= addressIn(attributes['href']);
    else if (name === 'body') this.#headIsOver = true;
    else if (name === 'meta' && !this.#headIsOver) this.#meta(attributes);
    else if (name === 'link' && !this.#headIsOver) this.#relation(attributes);
  }

  close(name: string): void {
    this.#headIsOver ||= name === 'head';
  }

  #link(href: string | undefined, rel = ''): void {
    const address = addressIn(href);
    if (address === '' || this.#links.size >= MAX_LINKS || /(?:^|\s)nofollow(?:$|\s)/i.test(rel)) return;
    if (this.#links.has(address)) return;
    this.#links.add(address);
    this.result.links.push(address);
  }

  #meta({ name = '', content = '', 'http-equiv': header = '' }: Record<string, string>): void {
    if (/^refresh$/i.test(header.trim())) this.#link(/^[\d.\s]*[;,]\s*url\s*=\s*["']?([^"']*)/i.exec(content)?.[1]);
    if (!NAMES.has(name.trim().toLowerCase())) return;
    const words = content.split(',').map((word) => word.trim().toLowerCase());
    this.result.noindex ||= words.some((word) => word === 'noindex' || word === 'none');
    this.result.nofollow ||= words.some((word) => word === 'nofollow' || word === 'none');
  }

  #relation({ rel = '', href }: Record<string, string>): void {
    const address = addressIn(href);
    if (address === '' || !/(?:^|\s)canonical(?:$|\s)/i.test(rel)) return;
    this.#canonicals.add(address);
    this.result.canonical = this.#canonicals.size === 1 ? address : '';
  }
}

/** Strips white space around it and line breaks within it, as browsers do; '' for fragments and for addresses that are too long. */
function addressIn(href = ''): string {
  const address = href.replace(/[\t\n\r]/g, '').trim();
  return address.length > MAX_ADDRESS_LENGTH || address.startsWith('#') ? '' : address;
}

/** The absolute addresses that a page links to, without fragments; none where it says nofollow. */
export function* linksOf({ base, links, nofollow }: HeadLinks, url: string): Generator<string> {
  if (nofollow) return;
  const from = wholeAddress(base, url) ?? url;
  for (const link of links) {
    const address = wholeAddress(link, from);
    if (address !== undefined) yield address;
  }
}

/**
 * The canonical address, if it is plausible: of the same site, and not the home page named by an inner page, a common
 * mistake of content systems.
 */
export function canonicalOf({ base, canonical }: HeadLinks, url: string): string | undefined {
  const address = canonical && wholeAddress(canonical, wholeAddress(base, url) ?? url);
  if (!address) return undefined;
  const [named, own] = [new URL(address), new URL(url)];
  const inner = !/^\/(?:(?:index|default|home)\b[^/]*)?$/i.test(own.pathname);
  if (!sameSite(named, own) || (named.pathname === '/' && inner)) return undefined;
  return address;
}

function wholeAddress(href: string, base: string): string | undefined {
  if (!URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  url.hash = '';
  return /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : undefined;
}
