import { sameSite } from '../../web/url.ts';

/** Bounds of a site. */
interface Bounds {
  /** The address of the first page: the site is its origin, and the folder that it stands in. */
  home: string;
  /** Prefixes of the path, or patterns of the whole path in which `*` is anything; an empty list includes everything. */
  include: string[];
  exclude: string[];
  /** Whole addresses. */
  excluded_pages?: string[];
}

const MAX_ADDRESS_LENGTH = 1000;
/** Folders in a path. */
const MAX_PATH_DEPTH = 16;
/** Most addresses of one path that differ by one query value, or by several: lists and calendars generate endless ones. */
const VARIANTS = { one: 200, several: 30 };
/** File endings that no reader can read. */
const UNREADABLE =
  /\.(?:png|jpe?g|gif|svgz?|webp|avif|ico|bmp|tiff?|psd|eps|ps|zip|gz|tgz|bz2|xz|zst|7z|rar|tar|jar|css|js|mjs|cjs|map|json|xml|rss|atom|wasm|woff2?|ttf|otf|eot|mp[34]|m4[av]|og[gav]|webm|avi|mov|wmv|flv|wav|flac|exe|dmg|deb|rpm|msi|apk|iso|img|bin|so|dll|o|a|db|sqlite|torrent|sig|asc|docm?|xls|ppt[xm]?|od[tsp]|rtf|epub|ics|vcf|swf)$/i;
/** Query parameters for tracking and sessions, which do not change the page. */
const TRACKING =
  /^(?:utm_\w+|fbclid|gclid|dclid|msclkid|yclid|mc_[ce]id|_ga|_gl|phpsessid|jsessionid|aspsessionid\w*|session_?id|cfid|cftoken)(?:=|$)|^(?:sid|s)=[\da-z]{20,}$/i;

export class Scope {
  readonly #home: URL;
  readonly #folder: string;
  readonly #include: string[];
  readonly #exclude: string[];
  readonly #excludedPages: Set<string>;
  readonly #variants = new Map<string, number>();

  constructor({ home, include, exclude, excluded_pages }: Bounds) {
    this.#home = new URL(home);
    this.#folder = folderOf(this.#home);
    this.#include = include;
    this.#exclude = exclude;
    this.#excludedPages = new Set(excluded_pages);
  }

  /** Whether the address belongs to the site; redirects may lead there. */
  holds(url: URL): boolean {
    return sameSite(url, this.#home) && url.pathname.startsWith(this.#folder) && this.#wanted(url);
  }

  /** Normalises a link; undefined where it leaves the site, is no page, or looks like a crawler trap. */
  address(link: string): string | undefined {
    const url = this.#normalised(link);
    if (!url || url.href.length > MAX_ADDRESS_LENGTH || !this.holds(url)) return undefined;
    return UNREADABLE.test(url.pathname) || repeats(url.pathname) ? undefined : url.href;
  }

  /** False where its path has had too many variants. Counts them: call it once for each new address. */
  admits(address: string): boolean {
    const { pathname, search } = new URL(address);
    if (search === '') return true;
    const seen = this.#variants.get(pathname) ?? 0;
    this.#variants.set(pathname, seen + 1);
    return seen < (search.includes('&') ? VARIANTS.several : VARIANTS.one);
  }

  #normalised(link: string): URL | undefined {
    if (!URL.canParse(link)) return undefined;
    const url = new URL(link);
    if (!sameSite(url, this.#home)) return undefined;
    url.protocol = this.#home.protocol;
    url.host = this.#home.host;
    url.hash = '';
    url.pathname = url.pathname.replace(/;jsessionid=[^/;]*/i, '');
    const query = url.search.slice(1).split('&');
    const isContent = (part: string) => part !== '' && !TRACKING.test(part);
    if (!query.every(isContent)) url.search = query.filter(isContent).join('&');
    return url;
  }

  #wanted(url: URL): boolean {
    if (this.#excludedPages.has(url.href.replace(/#.*/s, ''))) return false;
    const among = (patterns: string[]) => patterns.some((pattern) => matches(pattern, url));
    return (this.#include.length === 0 || among(this.#include)) && !among(this.#exclude);
  }
}

const folderOf = ({ pathname }: URL): string => pathname.slice(0, pathname.lastIndexOf('/') + 1);

/** Where the pages of the site stand, as its crawl goes by: once its first page is known, and as its address has it before. */
export const homeOfSite = ({ home, url }: { home: string; url: string }): string => home || homeOf(url, url);

/** The path with which those of the site's pages begin. */
export const folderOfSite = (site: { home: string; url: string }): string => folderOf(new URL(homeOfSite(site)));

/**
 * The address that bounds the site. `named` is what the owner gave; `found`, after redirects, may be at `https`, at `www.`
 * or a folder further in. Where `/docs` redirects to `/docs/`, the site is that folder.
 */
export function homeOf(named: string, found: string): string {
  const [from, to] = [new URL(named), new URL(found)];
  const [folder, page] = [folderOf(from), to.pathname];
  if (page.startsWith(`${from.pathname}/`) && from.pathname !== folder) return new URL(`${from.pathname}/`, to).href;
  return page.startsWith(folder) ? new URL(folder, to).href : to.href;
}

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

/** Percent-decoded, as owners write patterns. */
function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Wrong relative links generate ever deeper paths: `/a/b/a/b/a/b/a/b`. */
function repeats(path: string): boolean {
  const parts = path.split('/').filter(Boolean);
  if (parts.length > MAX_PATH_DEPTH) return true;
  return parts.some((part) => parts.filter((other) => other === part).length > 3);
}
