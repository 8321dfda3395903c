import { setImmediate } from 'node:timers/promises';
import { timestamp, type Clock } from '../../schema/ids.ts';
import { HeldByUnreadable } from '../../store/shared/unreadable-source.ts';
import type { Store, StoredSite, StoredSource } from '../../store/store.ts';
import type { CrawlProgress } from './progress.ts';
import { newSource } from '../ingest/new-source.ts';
import type { Scope } from './scope.ts';
import type { ListedPage } from './sitemap.ts';

/** Addresses beyond `max_pages` that are remembered, to replace those that turn out to be no pages. */
const MAX_SPARE = 1000;
/** Links examined between two turns of the event loop. */
const LINKS_PER_TURN = 20;

/** Where a page leads. */
export interface PageLinks {
  /** The page's own address, after redirects. */
  url: string;
  /** Absolute addresses. */
  links: Iterable<string>;
}

/** Creates a source for each new address, up to `max_pages`; it is stored before it is counted. */
export class Frontier {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #pages: CrawlProgress;
  readonly #seen = new Set<string>();
  /** Of addresses beyond `max_pages` where each was found. */
  readonly #spare = new Map<string, string>();
  /** Whether there may be others, which are not remembered. */
  #hasDropped: boolean;
  /** Sources being stored. */
  #taking = 0;
  #tried = 0;
  #over = false;

  /** `hasDropped`: the crawl has left out addresses before a restart. */
  constructor({ store, clock }: { store: Store; clock: Clock }, pages: CrawlProgress, hasDropped: boolean) {
    this.#store = store;
    this.#clock = clock;
    this.#pages = pages;
    this.#hasDropped = hasDropped;
  }

  /** 1: addresses of the site are left out because of `max_pages`. */
  get limitReached(): 0 | 1 {
    return this.#hasDropped || this.#spare.size > 0 ? 1 : 0;
  }

  get busy(): boolean {
    return this.#taking > 0;
  }

  /** Stores no more sources. */
  end(): void {
    this.#over = true;
  }

  /** Adds a stored source. */
  enter(source: StoredSource, round: number): void {
    const { identity, alias = '' } = source;
    for (const address of [identity, alias]) this.#see(address);
    this.#pages.enter(source, round);
  }

  async takeAll(site: StoredSite, scope: Scope, { url, links }: PageLinks): Promise<void> {
    let seen = 0;
    for (const link of links) {
      if (this.#isFull(site)) return;
      if (++seen % LINKS_PER_TURN === 0) await setImmediate();
      const address = scope.address(link);
      if (address !== undefined) await this.take(site, scope, address, url);
    }
  }

  /** Creates sources from sitemaps. False where they list no page of the site but the first one. */
  async takeListed(site: StoredSite, scope: Scope, listed: AsyncIterable<ListedPage>, first: string): Promise<boolean> {
    let any = false;
    for await (const { page, list } of listed) {
      if (this.#isFull(site)) break;
      const address = scope.address(page);
      if (address === undefined || address === first || address === site.url) continue;
      any = true;
      await this.take(site, scope, address, list);
    }
    return any;
  }

  /** `foundOn`: the page or sitemap with the link; absent for the first page. */
  async take(site: StoredSite, scope: Scope, address: string, foundOn = ''): Promise<void> {
    if (this.#over || this.#seen.has(address)) return;
    // Addresses that are no pages, such as redirects and dead links, take no place: a site may have no end of them.
    const isTried = this.#tried >= 3 * site.max_pages + MAX_SPARE;
    if (isTried || !this.#hasRoom(site)) return this.#leaveOut(address, foundOn);
    if (!scope.admits(address)) return;
    this.#see(address);
    this.#tried++;
    this.#taking++;
    try {
      await this.#keep(site, address, foundOn);
    } finally {
      this.#taking--;
    }
  }

  /** Replaces an address that is no page by one that was beyond `max_pages`. */
  async takeSpare(site: StoredSite, scope: Scope): Promise<void> {
    const [link] = this.#spare;
    if (!link) return;
    this.#spare.delete(link[0]);
    await this.take(site, scope, ...link);
  }

  #see(address: string): void {
    this.#seen.add(address);
    this.#spare.delete(address);
  }

  #leaveOut(address: string, foundOn: string): void {
    if (this.#spare.size < MAX_SPARE) this.#spare.set(address, foundOn);
    // Then links are not even looked at any more.
    this.#hasDropped ||= this.#spare.size >= MAX_SPARE;
  }

  /** Dead pages do not count, up to `max_pages` of them. */
  #hasRoom({ max_pages }: StoredSite): boolean {
    return this.#pages.living(max_pages) + this.#taking < max_pages;
  }

  /** Whether not even spare addresses are taken any more. */
  #isFull(site: StoredSite): boolean {
    return this.#over || (this.#spare.size >= MAX_SPARE && !this.#hasRoom(site));
  }

  async #keep(site: StoredSite, address: string, foundOn: string): Promise<void> {
    const { chatbot, uuid } = site;
    const origin = { chatbot, type: 'link', title: address, file_name: address, identity: address } as const;
    const source: StoredSource = { ...newSource(origin, timestamp(this.#clock)), site: uuid, found_on: foundOn };
    const stored = await this.#store.createSource(source).catch(unlessUnreadable);
    if (!stored) return;
    const page = stored.existing ? await this.#adopt(site, stored.existing, foundOn) : source;
    if (this.#over && !stored.existing) await this.#store.deleteSource(source.uuid);
    else if (page && !this.#over && !this.#pages.has(page.uuid)) this.enter(page, site.round);
  }

  /** Makes an existing source a page of the site, to be read for its links. */
  async #adopt({ uuid: site, round }: StoredSite, existing: StoredSource, foundOn: string) {
    if (existing.site === site) return existing;
    const own = existing.site ? (existing.own ?? 0) : 1;
    return this.#store.updateSource(existing.uuid, (one) => ({
      ...one,
      site,
      own,
      round: round - 1,
      found_on: foundOn,
    }));
  }
}

/** A page that is there already and cannot be read is left out, as it is of answers. */
function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof HeldByUnreadable)) throw error;
}
