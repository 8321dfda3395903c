import { forEachSliced } from '../../async/time-slice.ts';
import { KeyedMutex } from '../../async/keyed-mutex.ts';
import { nextModifiedAt, newUuid, timestamp, view } from '../../schema/ids.ts';
import { Site, type SiteLook } from '../../schema/sources/site.ts';
import { Superseded } from '../../store/shared/learners.ts';
import type { StoredSite } from '../../store/store.ts';
import { Crawl } from './crawl.ts';
import type { CrawlDeps } from './deps.ts';
import { readFraming, type FramedPage } from './framing.ts';
import { RunningCrawls } from './running-crawls.ts';
import { readSiteLook } from './site-look.ts';
import { pagesToFollow } from './dead-links.ts';
import { folderOfSite } from './scope.ts';

/** Crawls of whole sites: one source a page, found by sitemap or by following links. */
export interface Sites {
  /**
   * Begins a crawl; a known site keeps its identifier. `running` where a crawl is under way, which goes on unchanged;
   * undefined where the chatbot is gone.
   */
  start(chatbot: string, request: SiteRequest, uuid?: string): Promise<{ site: Site; running: boolean } | undefined>;
  /** The site with the progress of its crawl; of one by another process, as it was at most some seconds ago. */
  progress(site: StoredSite): Promise<Site>;
  /** The same of each of these. */
  progressOfAll(sites: readonly StoredSite[]): Promise<Site[]>;
  /** Stops a crawl; pages that were ingested stay. Does nothing where none runs. */
  stop(site: StoredSite): Promise<Site>;
  /** Stops the crawl and deletes the site with its pages. Resolves with how many there were; undefined where it is gone. */
  remove(site: StoredSite): Promise<number | undefined>;
  /** Crawls a known site again. False where a crawl runs, in whichever process. */
  again(site: StoredSite): Promise<boolean>;
  /** How the site at an address names itself and looks; '' for what its page does not declare, or where it cannot be fetched. */
  look(url: string): Promise<SiteLook>;
  /** Whether a page of `origin` may frame the page at an address; undefined where that cannot be fetched. */
  framing(url: string, origin: string): Promise<FramedPage | undefined>;
  /** Continues the crawls that no process goes on with; abandons those that another has taken. Returns the sites of the former. */
  resume(): Promise<Set<string>>;
  /** Abandons all crawls; `resume` continues them after a restart. */
  close(): Promise<void>;
}

export interface SiteRequest {
  /** Absolute, without a fragment. */
  url: string;
  /** 200 by default. */
  max_pages?: number | undefined;
  /** See `Bounds`; none by default. */
  include?: string[] | undefined;
  exclude?: string[] | undefined;
}

type ResolvedRequest = Pick<StoredSite, 'url' | 'max_pages' | 'include' | 'exclude'>;

const MAX_PAGES = 200;

function unlessSuperseded(error: unknown): void {
  if (!(error instanceof Superseded)) throw error;
}

export function createSites(deps: CrawlDeps & { crawls: RunningCrawls }): Sites {
  const { store, clock, crawls } = deps;
  const { learners } = store;
  const depsOf = ({ uuid }: StoredSite): CrawlDeps =>
    learners ? { ...deps, store: { ...store, ...learners.crawling(uuid) } } : deps;
  const mutex = new KeyedMutex();
  const leaving = new AbortController();
  let closed = false;

  /** One at a time, so that no site is begun twice. */
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => mutex.run('sites', act);

  async function begin(site: StoredSite): Promise<void> {
    const crawl = new Crawl(depsOf(site), site, () => crawls.delete(site.uuid));
    crawls.add(crawl);
    try {
      await crawl.begin();
    } catch (error) {
      crawls.delete(site.uuid);
      throw error;
    }
  }

  const none = { limit_reached: 0, dead_links: [], dead_links_total: 0, excluded_pages: [] } as const;
  async function withProgress(site: StoredSite): Promise<Site> {
    const [record] = await allWithProgress([site]);
    return record!;
  }

  async function allWithProgress(sites: readonly StoredSite[]): Promise<Site[]> {
    const pages = await store.pageCounts(sites.map(({ uuid }) => uuid));
    return Promise.all(sites.map((site) => recordOf(site, pages.get(site.uuid) ?? 0)));
  }

  async function recordOf(site: StoredSite, pages: number): Promise<Site> {
    const crawl = crawls.get(site.uuid);
    const stored = crawl?.site ?? site;
    const record = { ...none, ...stored, folder: folderOfSite(stored), pages, current: crawl?.current ?? '' };
    const noted = !crawl && site.status === 'running' ? await learners?.progress(site.uuid) : undefined;
    return view(Site, { ...record, ...noted });
  }

  async function restart(uuid: string, request: Partial<ResolvedRequest>): Promise<StoredSite | undefined> {
    let isElsewhere = false;
    const site = await store.updateSite(uuid, (one) => {
      isElsewhere = learners !== undefined && one.status === 'running';
      return isElsewhere ? one : restarted(one, request);
    });
    if (!site || isElsewhere) return undefined;
    await begin(site);
    return site;
  }

  const restarted = (one: StoredSite, request: Partial<ResolvedRequest>): StoredSite => ({
    ...one,
    ...request,
    status: 'running',
    plan: '',
    round: one.round + 1,
    limit_reached: 0,
    dead_links: [],
    dead_links_total: 0,
    refollow: pagesToFollow(one),
    modified_at: nextModifiedAt(one.modified_at, clock),
  });

  /** Abandons crawls that another process has taken; the others say how far they are. */
  async function abandonLost(): Promise<void> {
    const ours = crawls.size > 0 ? await learners?.crawled() : undefined;
    if (!ours) return;
    await crawls.abandonAll((site) => !ours.has(site));
    await learners?.noteProgress(crawls.progress());
  }

  async function unfinished(): Promise<StoredSite[]> {
    if (!learners) return store.unfinishedSites();
    const sites = await Promise.all((await learners.takeUnfinishedSites()).map((uuid) => store.site(uuid)));
    return sites.filter((site) => site !== undefined);
  }

  /** The crawl of a site that another process crawls, taken from it. */
  async function takeCrawl({ uuid }: StoredSite): Promise<Crawl | undefined> {
    if (!learners) return undefined;
    await learners.takeSite(uuid);
    const site = await store.site(uuid);
    if (site?.status === 'running') await begin(site);
    return crawls.get(uuid);
  }

  async function stop(site: StoredSite): Promise<StoredSite | undefined> {
    const crawl = crawls.get(site.uuid) ?? (await takeCrawl(site));
    return crawl ? crawl.stop() : store.site(site.uuid);
  }

  async function create(uuid: string, chatbot: string, request: ResolvedRequest): Promise<StoredSite | undefined> {
    const now = timestamp(clock);
    const counts = { found: 0, done: 0, failed: 0 };
    const dated = { created_at: now, modified_at: now };
    const site: StoredSite = {
      uuid,
      chatbot,
      ...request,
      status: 'running',
      ...counts,
      ...dated,
      home: '',
      plan: '',
      round: 1,
      limit_reached: 0,
    };
    if (!(await store.createSite(site))) return undefined;
    await begin(site);
    return site;
  }

  return {
    start: (chatbot, { url, max_pages = MAX_PAGES, include = [], exclude = [] }, uuid = newUuid()) =>
      inTurn(async () => {
        const request = { url, max_pages, include, exclude };
        const known = (await store.sites(chatbot)).find((site) => site.url === url);
        if (known && crawls.has(known.uuid)) return { site: await withProgress(known), running: true };
        const site = await (known ? restart(known.uuid, request) : create(uuid, chatbot, request));
        const now = await store.site((site ?? known)?.uuid ?? '');
        return now && { site: await withProgress(now), running: site === undefined };
      }),
    progress: withProgress,
    progressOfAll: allWithProgress,
    stop: (site) => inTurn(async () => withProgress((await stop(site)) ?? site)),
    remove: (site) =>
      inTurn(async () => {
        // Another process that deletes it, too, has taken the crawl.
        await stop(site).catch(unlessSuperseded);
        const before = (await store.sources(site.chatbot)).filter((one) => one.site === site.uuid);
        const forget = (page: string) => deps.ingestion.removeSource(site.chatbot, page);
        try {
          const pages = await store.deleteSite(site.uuid);
          await forEachSliced(pages ?? [], forget);
          return pages?.length;
        } catch (error) {
          // A part may be deleted, and is quoted no more.
          for (const { uuid } of before) if (!(await store.source(uuid))) forget(uuid);
          throw error;
        }
      }),
    again: ({ uuid }) => inTurn(async () => !closed && !crawls.has(uuid) && (await restart(uuid, {})) !== undefined),
    resume: () =>
      inTurn(async () => {
        if (closed) return new Set();
        await abandonLost();
        const sites = await unfinished();
        for (const site of sites) await begin(site);
        return new Set(sites.map(({ uuid }) => uuid));
      }),
    look: (url) => readSiteLook(deps.web, url, leaving.signal),
    framing: (url, origin) => readFraming(deps.web, url, origin, leaving.signal),
    async close() {
      closed = true;
      leaving.abort();
      await mutex.settled();
      await crawls.abandonAll();
    },
  };
}
