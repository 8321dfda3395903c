import { LRUCache } from 'lru-cache';
import { forEachSliced } from '../../async/time-slice.ts';
import { objectIn } from '../../schema/json.ts';
import type { Store } from '../../store/store.ts';

const MAX_CHATBOTS = 1000;
const FRESH_MS = 60_000;

/** The hosts of all sources of a chatbot, read in the background: until then an answer knows those of its passages. */
export class SourceHosts {
  readonly #store: Pick<Store, 'sources'>;
  readonly #known = new LRUCache<string, Set<string>>({ max: MAX_CHATBOTS, ttl: FRESH_MS });

  constructor(store: Pick<Store, 'sources'>) {
    this.#store = store;
  }

  /** A set that may still be filled. */
  of(chatbot: string): ReadonlySet<string> {
    let hosts = this.#known.get(chatbot);
    if (!hosts) {
      hosts = new Set();
      this.#known.set(chatbot, hosts);
      this.#read(chatbot, hosts).catch(() => this.#known.delete(chatbot));
    }
    return hosts;
  }

  async #read(chatbot: string, hosts: Set<string>): Promise<void> {
    await forEachSliced(await this.#store.sources(chatbot), ({ file_name, meta_json }) => {
      const { reference_source_link: link } = objectIn(meta_json);
      for (const address of [file_name, typeof link === 'string' ? link : '']) {
        const host = hostIn(address);
        if (host !== undefined) hosts.add(host);
      }
    });
  }
}

interface Allowed {
  /** Of the passages' pages, read when they are first needed. */
  pages: readonly string[];
  /** Hosts of sources. */
  known: ReadonlySet<string>;
  /** Host names that the owner lists, and `*.example.com` for all below one. */
  listed: readonly string[];
}

/**
 * Where the links and images of an answer may lead. Images: to any address of a host of the sources or of the owner's list. Links:
 * to any address of the list, and on hosts of the sources to the passages' pages, the home page and what the model was told.
 */
export class AllowedAddresses {
  readonly #allowed: Allowed;
  readonly #told = new Set<string>();
  #hosts: Set<string> | undefined;
  #keys: Set<string> | undefined;

  constructor(allowed: Allowed) {
    this.#allowed = allowed;
  }

  /** Notes the addresses in a text that the model is given. */
  tell(text: string): void {
    for (const [address] of text.matchAll(ADDRESS)) {
      const key = keyOf(address.replace(/[\p{P}\p{S}]+$/u, ''));
      if (key !== undefined) this.#told.add(key);
    }
  }

  /** `host`: a name or an IP address, with a port or without. */
  has(host: string): boolean {
    const name = hostIn(`http://${host}`);
    if (name === undefined) return false;
    this.#hosts ??= new Set(this.#allowed.pages.flatMap((address) => hostIn(address) ?? []));
    return this.#hosts.has(name) || this.#allowed.known.has(name) || this.isListed(host);
  }

  isListed(host: string): boolean {
    const name = hostIn(`http://${host}`);
    return (
      name !== undefined &&
      this.#allowed.listed.some((one) => (one.startsWith('*.') ? name.endsWith(one.slice(1)) : name === one))
    );
  }

  /** Whether a link may lead to `address`, which is on a host of the sources, or relative to one of the pages. */
  hasPage(address: string): boolean {
    if (/^(?:https?:\/\/|www\.)/i.test(address)) return this.#hasKey(keyOf(address));
    return this.pageAt(address) !== undefined;
  }

  /** The whole address of a relative one that `hasPage`. */
  pageAt(address: string): string | undefined {
    const all = this.#allowed.pages.flatMap((page) => (URL.canParse(address, page) ? new URL(address, page).href : []));
    return all.find((one) => this.#hasKey(keyOf(one)));
  }

  #hasKey(key: string | undefined): boolean {
    if (key === undefined) return false;
    this.#keys ??= new Set(this.#allowed.pages.flatMap((page) => keyOf(page) ?? []));
    const isHome = !key.includes('/') && (this.has(key) || this.has(`www.${key}`));
    return isHome || this.#keys.has(key) || this.#told.has(key);
  }

  /** Whether mail may be written to this domain: an allowed host, or one above it. */
  hasMail(domain: string): boolean {
    if (this.has(domain)) return true;
    const below = `.${domain.toLowerCase()}`;
    return (
      below.includes('.', 1) && [...(this.#hosts ?? []), ...this.#allowed.known].some((host) => host.endsWith(below))
    );
  }
}

/** Addresses in a text, or in JSON. */
const ADDRESS = /(?:https?:\/\/|(?<![\w.])www\.)[^\s<>"`\\^{}|[\]]+/gi;

/** The same for one page with and without `www.`, a fragment, a slash at the end; a home page is the host alone. */
function keyOf(address: string): string | undefined {
  const written = /^www\./i.test(address) ? `http://${address}` : address;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.host.replace(/^www\./, '') + unescaped(url.pathname).replace(/\/+$/, '') + url.search.replace('?', '/?');
}

function unescaped(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

const hostIn = (address: string): string | undefined => {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url.hostname.replace(/\.$/, '') : undefined;
};
