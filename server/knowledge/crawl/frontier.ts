import { setImmediate } from 'node:timers/promises';
import { timestamp, type Clock } from '../../schema/ids.ts';
import type { Store, StoredSite, StoredSource } from '../../store/store.ts';
import type { CrawlProgress } from './progress.ts';
import { newSource } from '../ingest/new-source.ts';
import type { Scope } from './scope.ts';
import type { ListedPage } from './sitemap.ts';

/** Addresses that there was no room for, kept for when some of those found turn out to be no pages. */
const SPARE = 1000;
/** Links looked at between two turns of the event loop. */
const TURN = 20;

/** Where a page leads. */
export interface PageLinks {
  /** The page's own address, after redirects. */
  url: string;
  /** Absolute addresses. */
  links: Iterable<string>;
}

interface Link {
  address: string;
  foundOn: string;
}

/** Makes a source of each address that is new, as long as there is room; stored before it is counted. */
export class Frontier {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #pages: CrawlProgress;
  readonly #seen = new Set<string>();
  readonly #spare: Link[] = [];
  /** Places taken by addresses that are being stored. */
  #taking = 0;
  #tried = 0;
  #over = false;

  constructor({ store, clock }: { store: Store; clock: Clock }, pages: CrawlProgress) {
    this.#store = store;
    this.#clock = clock;
    this.#pages = pages;
  }

  get busy(): boolean {
    return this.#taking > 0;
  }

  /** Nothing is stored any more. */
  end(): void {
    this.#over = true;
  }

  /** A source that is known already. */
  enter(source: StoredSource, round: number): void {
    this.#seen.add(source.identity).add(source.alias ?? '');
    this.#pages.enter(source, round);
  }

  async takeAll(site: StoredSite, scope: Scope, { url, links }: PageLinks): Promise<void> {
    let seen = 0;
    for (const link of links) {
      if (this.#isFull(site)) return;
      if (++seen % TURN === 0) await setImmediate();
      const address = scope.address(link);
      if (address !== undefined) await this.take(site, scope, address, url);
    }
  }

  /** False where no list names a page of the site, apart from the first one. */
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

  /** `foundOn`: what leads there; absent for the first page. */
  async take(site: StoredSite, scope: Scope, address: string, foundOn = ''): Promise<void> {
    if (this.#over || this.#seen.has(address)) return;
    // Redirects, dead links, and pages that keep robots out could go on for ever.
    if (this.#tried >= 3 * site.max_pages + SPARE) return;
    if (!this.#hasRoom(site)) {
      if (this.#spare.length < SPARE) this.#spare.push({ address, foundOn });
      return;
    }
    if (!scope.admits(address)) return;
    this.#seen.add(address);
    this.#tried++;
    this.#taking++;
    try {
      await this.#keep(site, address, foundOn);
    } finally {
      this.#taking--;
    }
  }

  /** One in place of a link that led to no page. */
  async takeSpare(site: StoredSite, scope: Scope): Promise<void> {
    const link = this.#spare.shift();
    if (link) await this.take(site, scope, link.address, link.foundOn);
  }

  /** A site of pages that are gone takes twice as many sources as pages, and no more. */
  #hasRoom({ max_pages }: StoredSite): boolean {
    return this.#pages.living(max_pages) + this.#taking < max_pages;
  }

  /** There is room for no more addresses, not even in reserve. */
  #isFull(site: StoredSite): boolean {
    return this.#over || (this.#spare.length >= SPARE && !this.#hasRoom(site));
  }

  async #keep(site: StoredSite, address: string, foundOn: string): Promise<void> {
    const { chatbot, uuid } = site;
    const origin = { chatbot, type: 'link', title: address, file_name: address, identity: address } as const;
    const source: StoredSource = { ...newSource(origin, timestamp(this.#clock)), site: uuid, found_on: foundOn };
    const stored = await this.#store.createSource(source);
    if (!stored) return;
    const page = stored.existing ? await this.#adopt(site, stored.existing, foundOn) : source;
    if (this.#over && !stored.existing) await this.#store.deleteSource(source.uuid);
    else if (page && !this.#over && !this.#pages.has(page.uuid)) this.enter(page, site.round);
  }

  /** A page that was there before is read for where it leads, and is the site's from now on. */
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
