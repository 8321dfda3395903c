import { sameSite } from '../../web/url.ts';

/** Which addresses are a site's pages. */
export interface Bounds {
  /** The address of the first page: the site is its origin, and the folder that it stands in. */
  home: string;
  /** A beginning of the path, or a pattern of the whole path in which `*` is anything; none takes in everything. */
  include: string[];
  exclude: string[];
}

const LONGEST = 1000;
const DEEPEST = 16;
/** Addresses of one path that differ by one value, or by several: lists and calendars have no end of them. */
const VARIANTS = { one: 200, several: 30 };
/** By their name no page that can be read. */
const UNREADABLE =
  /\.(?:png|jpe?g|gif|svgz?|webp|avif|ico|bmp|tiff?|psd|eps|ps|zip|gz|tgz|bz2|xz|zst|7z|rar|tar|jar|css|js|mjs|cjs|map|json|xml|rss|atom|wasm|woff2?|ttf|otf|eot|mp[34]|m4[av]|og[gav]|webm|avi|mov|wmv|flv|wav|flac|exe|dmg|deb|rpm|msi|apk|iso|img|bin|so|dll|o|a|db|sqlite|torrent|sig|asc|docm?|xls|ppt[xm]?|od[tsp]|rtf|epub|ics|vcf|swf)$/i;
/** Of what brought the visitor here, or of who it is. */
const TRACES =
  /^(?:utm_\w+|fbclid|gclid|dclid|msclkid|yclid|mc_[ce]id|_ga|_gl|phpsessid|jsessionid|aspsessionid\w*|session_?id|cfid|cftoken)(?:=|$)|^(?:sid|s)=[\da-z]{20,}$/i;

export class Scope {
  readonly #home: URL;
  readonly #folder: string;
  readonly #include: string[];
  readonly #exclude: string[];
  readonly #variants = new Map<string, number>();

  constructor({ home, include, exclude }: Bounds) {
    this.#home = new URL(home);
    this.#folder = folderOf(this.#home);
    this.#include = include;
    this.#exclude = exclude;
  }

  /** Whether it is an address of the site: where a redirect may lead. */
  holds(url: URL): boolean {
    return sameSite(url, this.#home) && url.pathname.startsWith(this.#folder) && this.#wanted(url);
  }

  /** The address under which a link's page is known; undefined where it leads out, to no page, or into a trap. */
  address(link: string): string | undefined {
    const url = this.#inOneForm(link);
    if (!url || url.href.length > LONGEST || !this.holds(url)) return undefined;
    return UNREADABLE.test(url.pathname) || repeats(url.pathname) ? undefined : url.href;
  }

  /** To be asked once of each new address: false where its path has had variants enough. */
  admits(address: string): boolean {
    const { pathname, search } = new URL(address);
    if (search === '') return true;
    const seen = this.#variants.get(pathname) ?? 0;
    this.#variants.set(pathname, seen + 1);
    return seen < (search.includes('&') ? VARIANTS.several : VARIANTS.one);
  }

  #inOneForm(link: string): URL | undefined {
    if (!URL.canParse(link)) return undefined;
    const url = new URL(link);
    if (!sameSite(url, this.#home)) return undefined;
    url.protocol = this.#home.protocol;
    url.host = this.#home.host;
    url.hash = '';
    url.pathname = url.pathname.replace(/;jsessionid=[^/;]*/i, '');
    const [query, kept] = [url.search.slice(1).split('&'), (part: string) => part !== '' && !TRACES.test(part)];
    if (!query.every(kept)) url.search = query.filter(kept).join('&');
    return url;
  }

  #wanted(url: URL): boolean {
    const among = (patterns: string[]) => patterns.some((pattern) => matches(pattern, url));
    return (this.#include.length === 0 || among(this.#include)) && !among(this.#exclude);
  }
}

/**
 * The address that a site's bounds go by. The first page may stand elsewhere: at `https`, at `www.`, a folder further
 * in. Where the owner named no folder (`/docs`) and the page turns out to be one (`/docs/`), that is the site.
 */
export function homeOf(named: string, found: string): string {
  const [from, to] = [new URL(named), new URL(found)];
  const [folder, page] = [folderOf(from), to.pathname];
  if (page.startsWith(`${from.pathname}/`) && from.pathname !== folder) return new URL(`${from.pathname}/`, to).href;
  return page.startsWith(folder) ? new URL(folder, to).href : to.href;
}

const folderOf = ({ pathname }: URL): string => pathname.slice(0, pathname.lastIndexOf('/') + 1);

function matches(pattern: string, { pathname, search }: URL): boolean {
  const path = readable(pattern.includes('?') ? pathname + search : pathname);
  const [first = '', ...rest] = readable(pattern).split('*');
  if (!path.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return true;
  let at = first.length;
  for (const piece of rest) {
    const found = path.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
}

/** As people write it. */
function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Links that are wrong by a folder lead deeper and deeper: `/a/b/a/b/a/b/a/b`. */
function repeats(path: string): boolean {
  const parts = path.split('/').filter(Boolean);
  if (parts.length > DEEPEST) return true;
  return parts.some((part) => parts.filter((other) => other === part).length > 3);
}
