import type { StoredSource } from '../../store/store.ts';
import type { Crawl } from './crawl.ts';

/** The crawls under way, by their sites' identifiers. */
export class RunningCrawls {
  readonly #crawls = new Map<string, Crawl>();

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
    for (const [uuid, crawl] of this.#crawls) {
      if (crawl.site.chatbot !== chatbot) continue;
      this.#crawls.delete(uuid);
      void crawl.abandon();
    }
  }

  /** Abandons all; a restart goes on with them. */
  async abandonAll(): Promise<void> {
    await Promise.all([...this.#crawls.values()].map((crawl) => crawl.abandon()));
  }
}
