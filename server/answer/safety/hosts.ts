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

/** Hosts that the links and images of an answer may lead to. */
export class AllowedHosts {
  readonly #addresses: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #listed: readonly string[];
  #hosts: Set<string> | undefined;

  /** `addresses`: of passages, read when they are first needed. `known`: of sources. `listed`: host names, and `*.example.com` for all below one. */
  constructor(addresses: readonly string[], known: ReadonlySet<string>, listed: readonly string[]) {
    this.#addresses = addresses;
    this.#known = known;
    this.#listed = listed;
  }

  /** `host`: a name or an IP address, with a port or without. */
  has(host: string): boolean {
    const name = hostIn(`http://${host}`);
    if (name === undefined) return false;
    this.#hosts ??= new Set(this.#addresses.flatMap((address) => hostIn(address) ?? []));
    return (
      this.#hosts.has(name) ||
      this.#known.has(name) ||
      this.#listed.some((one) => (one.startsWith('*.') ? name.endsWith(one.slice(1)) : name === one))
    );
  }

  /** Whether mail may be written to this domain: an allowed host, or one above it. */
  hasMail(domain: string): boolean {
    if (this.has(domain)) return true;
    const below = `.${domain.toLowerCase()}`;
    return below.includes('.', 1) && [...(this.#hosts ?? []), ...this.#known].some((host) => host.endsWith(below));
  }
}

const hostIn = (address: string): string | undefined => {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url.hostname.replace(/\.$/, '') : undefined;
};
