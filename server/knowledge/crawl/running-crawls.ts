import type { Site } from '../../schema/sources/site.ts';
import type { StoredSource } from '../../store/store.ts';
import type { Crawl } from './crawl.ts';

/** The crawls under way, by their sites' identifiers. */
export class RunningCrawls {
  readonly #crawls = new Map<string, Crawl>();

  get size(): number {
    return this.#crawls.size;
  }

  add(crawl: Crawl): void {
    this.#crawls.set(crawl.site.uuid, crawl);
  }

  get(site: string): Crawl | undefined {
    return this.#crawls.get(site);
  }

  has(site: string): boolean {
    return this.#crawls.has(site);
  }

  delete(site: string): void {
    this.#crawls.delete(site);
  }

  /** By site. */
  progress(): Map<string, Pick<Site, 'found' | 'done' | 'failed' | 'current'>> {
    const notes = Array.from(this.#crawls, ([uuid, { site, current }]) => {
      const { found, done, failed } = site;
      return [uuid, { found, done, failed, current }] as const;
    });
    return new Map(notes);
  }

  /** The crawl that has the source as one of its pages. */
  crawlOf({ uuid, site = '' }: StoredSource): Crawl | undefined {
    const crawl = this.#crawls.get(site);
    return crawl?.has(uuid) ? crawl : undefined;
  }

  /** To be called when a source is deleted. */
  forget(source: string): void {
    for (const crawl of this.#crawls.values()) crawl.forget(source);
  }

  /** Abandons the crawls of a chatbot that is deleted. */
  drop(chatbot: string): void {
    void this.abandonAll((_, crawl) => crawl.site.chatbot === chatbot);
  }

  /** Abandons those of some sites, all by default; a restart goes on with them. */
  async abandonAll(which: (site: string, crawl: Crawl) => boolean = () => true): Promise<void> {
    const some = [...this.#crawls].filter(([site, crawl]) => which(site, crawl));
    for (const [site] of some) this.#crawls.delete(site);
    await Promise.all(some.map(([, crawl]) => crawl.abandon()));
  }
}
