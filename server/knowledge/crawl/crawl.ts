import { nextModifiedAt } from '../../schema/ids.ts';
import { Superseded } from '../../store/shared/learners.ts';
import type { Change, StoredSite, StoredSource } from '../../store/store.ts';
import { asWebFailure } from '../../web/errors.ts';
import type { CrawlDeps } from './deps.ts';
import { Frontier, type PageLinks } from './frontier.ts';
import { DEAD, CrawlProgress, pagesOf } from './progress.ts';
import { followedBy, NO_PAGE, withDeadLink } from './dead-links.ts';
import { readFirstPage, statusWithoutFirstPage } from './first-page.ts';
import { Unreadable } from '../readers/errors.ts';
import type { PageFacts } from '../ingest/content.ts';
import { lastingReason, type Outcome } from '../ingest/job.ts';
import { homeOf, homeOfSite, Scope } from './scope.ts';
import { pagesListed } from './sitemap.ts';

/** Pages queued at once. The pages of a host are ingested in order: one that its owner adds comes after so many. */
const MAX_QUEUED = 4;
/** Milliseconds. With the default a site that asks a crawl to slow down would become a site of failures. */
const PATIENCE_MS = 2 * 60_000;

/**
 * One crawl of a site. Its pages are the site's sources; those with another `round` are still to be read, which is all
 * that a restart needs in order to go on.
 */
export class Crawl {
  #site: StoredSite;
  readonly #deps: CrawlDeps;
  readonly #onEnd: () => void;
  readonly #pages = new CrawlProgress();
  readonly #frontier: Frontier;
  #scope: Scope;
  /** The source of the first page while its links are not known; undefined where the first page is no source. */
  #start: string | undefined;
  #exploring = Promise.resolve();
  #finishing = Promise.resolve();
  #over = false;
  #isAbandoned = false;
  readonly #abort = new AbortController();

  /** `onEnd`: called once, when nothing is left to do. */
  constructor(deps: CrawlDeps, site: StoredSite, onEnd: () => void) {
    this.#deps = deps;
    this.#site = site;
    this.#onEnd = onEnd;
    this.#frontier = new Frontier(deps, this.#pages, site.limit_reached === 1);
    this.#scope = new Scope({ ...site, home: homeOfSite(site) });
  }

  get site(): StoredSite {
    return { ...this.#site, ...this.#pages.counts };
  }

  /** Whether a redirect or a canonical link may lead there; from the first page, which the owner named, anywhere. */
  readonly #within = (url: URL): boolean => this.#site.plan === '' || this.#scope.holds(url);

  get current(): string {
    if (this.#over) return '';
    return this.#pages.current ?? (this.#site.plan === '' ? this.#site.url : '');
  }

  has(source: string): boolean {
    return !this.#over && this.#pages.has(source);
  }

  /** Enters the stored pages of the site, then begins or goes on. */
  async begin(): Promise<void> {
    const { chatbot, plan, round } = this.#site;
    const sources = await this.#deps.store.sources(chatbot);
    for (const source of pagesOf(this.#site, this.#scope, sources)) this.#frontier.enter(source, round);
    if (plan === '') await this.#beginFirst();
    this.#next();
  }

  /** Deletes pages that were never ingested; those that were are kept, and those being fetched again are finished. */
  async stop(): Promise<StoredSite> {
    if (this.#over) {
      await this.#finishing;
      return this.site;
    }
    this.#stopWork();
    await this.#exploring;
    for (const uuid of this.#pages.left) await this.#cancel(uuid);
    await (this.#finishing = this.#finish('stopped'));
    return this.site;
  }

  async #cancel(uuid: string): Promise<void> {
    const { store, ingestion } = this.#deps;
    const source = await store.source(uuid);
    if (source?.round === this.#site.round) return this.#pages.end(uuid, source.status);
    // Pages that an earlier crawl has ingested are kept, and pages that the owner added.
    if (source?.round !== undefined || source?.own === 1) return;
    this.#pages.drop(uuid);
    await store.deleteSource(uuid);
    ingestion.removeSource(this.#site.chatbot, uuid);
  }

  /** Aborts without storing a status: the chatbot is deleted, or the process shuts down. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    this.#stopWork();
    await this.#exploring;
  }

  /** Queues a page of this crawl: in its turn, or since its owner asks for it anew. Resolves when it is queued. */
  async ingest(source: StoredSource): Promise<void> {
    const { ended } = await this.#deps.ingestion.enqueue(source, (signal) => this.#ingestAndCount(source, signal));
    this.#inBackground(ended.then(() => this.#release(source.uuid)));
  }

  async #ingestAndCount(source: StoredSource, signal: AbortSignal): Promise<Outcome> {
    // The crawl may have been stopped while the page was queued.
    if (!this.has(source.uuid)) return this.#deps.ingestion.readAndCommit(source, signal);
    try {
      const { removed, ...outcome } = await this.#ingestPage(source, signal);
      // Where another process was told to learn it: once more, and here, since the crawl needs its links and its end.
      const isTaken = !removed && outcome.status === 'gone' && (await this.#deps.store.source(source.uuid));
      if (isTaken) this.#inBackground(this.#begin(source.uuid));
      else this.#ended(source.uuid, outcome.status, removed);
      return outcome;
    } catch (error) {
      if (error instanceof Superseded) return this.#lose();
      this.#ended(source.uuid, 'fail', false);
      throw error;
    }
  }

  /** Reads a page, follows its links, and commits it where it is a page of its own; where it is none it is removed. */
  async #ingestPage(source: StoredSource, signal: AbortSignal): Promise<Outcome & { removed: boolean }> {
    const { ingestion } = this.#deps;
    const [within, { round }] = [this.#within, this.#site];
    const commit = { round, mayMove: within };
    const needsLinks = ({ url, followed }: { url: string; followed?: string | undefined }) =>
      followed !== followedBy(this.#site, url);
    try {
      const content = await ingestion.read(source, { within, patience: PATIENCE_MS, needsLinks }, signal);
      const { page } = content;
      // The links are stored before the page is committed: a crawl that is killed in between finds all of them again.
      if (page?.links && !(await this.#follow(page, page.links))) return { status: 'called off', removed: false };
      signal.throwIfAborted();
      const isFirst = !page || this.#pages.register(source, page.state.digest);
      if (!isFirst && source.own !== 1) throw new Unreadable('same page');
      return { ...(await ingestion.commit(source, content, commit, signal)), removed: false };
    } catch (error) {
      const reason = signal.aborted ? undefined : lastingReason(error);
      if (reason === undefined || !(await this.#isNoPage(source, reason))) {
        return { ...(await ingestion.fail(source, error, commit, signal)), removed: false };
      }
      await ingestion.deleteSource(source, this.#deps.store);
      return { status: `error:${reason}`, removed: true };
    }
  }

  /** Takes up the links of a page. False where the crawl is abandoned meanwhile, so that not all may be stored. */
  async #follow({ url, state }: PageFacts, links: Iterable<string>): Promise<boolean> {
    // Before the plan is known: the first page is read in each crawl, since it leads to the sitemaps, too.
    state.followed = followedBy(this.#site, url);
    if (!this.#over && this.#site.plan === '') await this.#discover({ url, links });
    else if (!this.#over && this.#site.plan === 'links') {
      await this.#frontier.takeAll(this.#site, this.#scope, { url, links });
      const { limitReached: limit_reached } = this.#frontier;
      if (limit_reached !== this.#site.limit_reached) await this.#keep({ limit_reached });
    }
    this.#next();
    return !this.#isAbandoned;
  }

  /** Whether a source that could not be ingested is no page of the site; where it was a link to none, that is stored. */
  async #isNoPage({ uuid }: StoredSource, reason: string): Promise<boolean> {
    const source = await this.#deps.store.source(uuid);
    if (!source || source.own === 1) return false;
    if (reason === 'same page') return true;
    // One that was ingested before stays, and says why it is no page any more.
    if (source.tokens > 0) return false;
    return reason === 'not found' ? this.#addDeadLink(source) : NO_PAGE.has(reason);
  }

  /** False where it is not stored, since the crawl is over, or it is the first page, which no link led to. */
  async #addDeadLink({ uuid, file_name, found_on = '' }: StoredSource): Promise<boolean> {
    if (this.#over || uuid === this.#start) return false;
    await this.#keep((site) => withDeadLink(site, { url: file_name, found_on }));
    return true;
  }

  /** `removed`: the source was no page of its own, and is deleted. */
  #ended(uuid: string, status: string, removed: boolean): void {
    if (!this.has(uuid) || status === 'called off') return;
    this.#inBackground(this.#goOn(uuid, status, removed || status === 'gone'));
  }

  /** A page whose job was cancelled is queued anew, or will be by a restart; unless another crawl has taken it over. */
  async #release(uuid: string): Promise<void> {
    if (!this.has(uuid) || !this.#pages.isLearning(uuid)) return;
    const source = await this.#deps.store.source(uuid);
    if (source?.site !== this.#site.uuid) this.forget(uuid);
  }

  /** To be called when the source is deleted. */
  forget(uuid: string): void {
    if (this.has(uuid)) this.#inBackground(this.#goOn(uuid, 'gone', true));
  }

  async #goOn(uuid: string, status: string, gone: boolean): Promise<void> {
    if (gone) this.#pages.drop(uuid);
    else this.#pages.end(uuid, status);
    if (uuid === this.#start && this.#site.plan === '') return this.#end(statusWithoutFirstPage(status));
    if (gone || status === DEAD) await this.#frontier.takeSpare(this.#site, this.#scope);
    this.#next();
  }

  async #beginFirst(): Promise<void> {
    const { url, chatbot } = this.#site;
    if (this.#scope.holds(new URL(url))) await this.#frontier.take(this.#site, this.#scope, url);
    const first = (await this.#deps.store.sources(chatbot)).find((one) => one.identity === url || one.alias === url);
    if (first && this.#pages.waits(first.uuid)) this.#start = first.uuid;
    else this.#exploring = this.#explore();
  }

  async #explore(): Promise<void> {
    try {
      await this.#discover(await readFirstPage(this.#deps, this.#site, this.#abort.signal));
    } catch (error) {
      if (error instanceof Superseded) return void this.#lose();
      await this.#end(`error:${asWebFailure(error).reason}`);
    }
    this.#next();
  }

  /** Finds out the site's bounds, and whether its pages are listed in sitemaps, or found by following links. */
  async #discover(page: PageLinks): Promise<void> {
    const home = homeOf(this.#site.url, page.url);
    this.#scope = new Scope({ ...this.#site, home });
    const listed = pagesListed(this.#deps.web, home, this.#abort.signal);
    const plan = (await this.#frontier.takeListed(this.#site, this.#scope, listed, page.url)) ? 'sitemap' : 'links';
    if (plan === 'links') await this.#frontier.takeAll(this.#site, this.#scope, page);
    if (!this.#over) await this.#keep({ home, plan, limit_reached: this.#frontier.limitReached });
  }

  /** Queues the next pages; ends the crawl where none are left. */
  #next(): void {
    const { plan } = this.#site;
    while (!this.#over && this.#pages.learning < MAX_QUEUED) {
      const uuid = this.#pages.begin((one) => plan !== '' || one === this.#start);
      if (uuid === undefined) break;
      this.#inBackground(this.#begin(uuid));
    }
    if (plan !== '' && this.#pages.learning === 0 && !this.#frontier.busy) this.#inBackground(this.#end('done'));
  }

  async #begin(uuid: string): Promise<void> {
    const source = await this.#deps.store.source(uuid);
    if (source?.site !== this.#site.uuid) return this.forget(uuid);
    if (!this.has(uuid)) return;
    this.#pages.locate(uuid, source.file_name);
    await this.ingest(source);
  }

  async #end(status: string): Promise<void> {
    if (this.#over) return;
    this.#stopWork();
    await (this.#finishing = this.#finish(status));
  }

  async #finish(status: string): Promise<void> {
    const { store } = this.#deps;
    const { uuid, chatbot } = this.#site;
    if (store.learners) this.#pages.update(await store.sources(chatbot));
    const { counts } = this.#pages;
    await this.#keep({ status, ...counts, limit_reached: this.#frontier.limitReached });
    this.#deps.log.info({ site: uuid, chatbot, status, ...counts }, 'site learned');
    this.#onEnd();
  }

  #stopWork(): void {
    this.#over = true;
    this.#frontier.end();
    this.#abort.abort();
  }

  /** Another process has the site, and finds out itself what of it is left to do. */
  #lose(): Outcome {
    void this.abandon();
    return { status: 'gone' };
  }

  /** Logs a failure, such as a full disk: no request waits for this work. */
  #inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (error instanceof Superseded) this.#lose();
      else this.#deps.log.error({ site: this.#site.uuid, err: error }, 'site not learned');
    });
  }

  async #keep(change: Partial<StoredSite> | Change<StoredSite>): Promise<void> {
    const { store, clock } = this.#deps;
    const changed = typeof change === 'function' ? change : (site: StoredSite) => ({ ...site, ...change });
    const dated = (site: StoredSite) => ({ ...changed(site), modified_at: nextModifiedAt(site.modified_at, clock) });
    this.#site = (await store.updateSite(this.#site.uuid, dated)) ?? this.#site;
  }
}
