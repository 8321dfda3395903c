import type { Site } from '../../schema/sources/site.ts';

/** `found`, `done` and `failed` are those of its last crawl, as it ended; of one under way they are in memory. */
type LateFields = 'limit_reached' | 'dead_links' | 'dead_links_total' | 'excluded_pages';

export interface StoredSite
  extends Omit<Site, 'current' | 'folder' | 'pages' | LateFields>, Partial<Pick<Site, LateFields>> {
  chatbot: string;
  /** The first page's address as it turned out to be, by which the site's bounds go; '' until it is known. */
  home: string;
  /** Where its pages are named; '' until that is known. */
  plan: '' | 'sitemap' | 'links';
  /** Number of crawls started. */
  round: number;
  /** Pages whose links this crawl follows although they are unchanged; absent for none. */
  refollow?: string[] | 'all';
}

export interface SiteVerbs {
  /** A second one of the same uuid is not made. */
  createSite(site: StoredSite): Promise<boolean>;
  site(uuid: string): Promise<StoredSite | undefined>;
  sites(chatbot: string): Promise<StoredSite[]>;
  updateSite(uuid: string, change: (site: StoredSite) => StoredSite): Promise<StoredSite | undefined>;
  /** Those that are `running`: a restart goes on with them. */
  unfinishedSites(): Promise<StoredSite[]>;
  /** Of each of these sites how many sources `deleteSite` would delete; none of one that is not there. */
  pageCounts(sites: readonly string[]): Promise<Map<string, number>>;
  /**
   * With its pages: the sources that its crawls have found, or adopted from those of another site. A source that was added by itself
   * stays, as one of no site. Resolves with the uuids of the pages, undefined where there is no such site. None of it is found any
   * more from the first write on: a crash behind that leaves nothing that comes back.
   */
  deleteSite(uuid: string): Promise<string[] | undefined>;
}

/** Whether a source goes with that site. */
export const isPageOf = ({ site, own }: { site?: string; own?: 0 | 1 }, uuid: string): boolean =>
  site === uuid && own !== 1;
