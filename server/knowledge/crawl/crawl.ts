import { later, type Clock } from '../../schema/ids.ts';
import type { Change, Store, StoredSite, StoredSource } from '../../store/store.ts';
import { asWebFailure } from '../../web/errors.ts';
import type { Web } from '../../web/web.ts';
import { Frontier } from './frontier.ts';
import { DEAD, CrawlProgress, SUCCESS } from './progress.ts';
import { followsAgain, withDeadLink } from './dead-links.ts';
import { CalledOff, type Follower, type Found } from '../crawl-port.ts';
import type { Knowledge } from '../knowledge.ts';
import { linksOf } from '../readers/links.ts';
import type { Log } from '../ingest/ingest.ts';
import { readPage, userOf } from '../ingest/content.ts';
import { READABLE_TYPES } from '../readers/readers.ts';
import { homeOf, Scope } from './scope.ts';
import { pagesListed } from './sitemap.ts';

export interface CrawlRooms {
  store: Store;
  knowledge: Knowledge;
  web: Web;
  clock: Clock;
  log: Log;
}

/** Pages given to learning at once: a page that its owner adds meanwhile need not wait for them all. */
const AHEAD = 4;

/**
 * One site while it is learned. Its pages are its sources, and those that the crawl is not through with are the ones
 * of another `round`: nothing else has to be kept for a restart to go on.
 */
export class Crawl implements Follower {
  #site: StoredSite;
  readonly #rooms: CrawlRooms;
  readonly #ended: () => void;
  readonly #pages = new CrawlProgress();
  readonly #finds: Frontier;
  #scope: Scope;
  /** The source of the first page, until it is known where it leads; undefined where it is to be none. */
  #start: string | undefined;
  #exploring = Promise.resolve();
  #finishing = Promise.resolve();
  #over = false;
  #left = false;
  readonly #abort = new AbortController();

  /** `ended`: hears when there is nothing left to do. */
  constructor(rooms: CrawlRooms, site: StoredSite, ended: () => void) {
    this.#rooms = rooms;
    this.#site = site;
    this.#ended = ended;
    this.#finds = new Frontier(rooms, this.#pages);
    this.#scope = new Scope({ ...site, home: site.home || homeOf(site.url, site.url) });
  }

  get site(): StoredSite {
    return { ...this.#site, ...this.#pages.counts };
  }

  get current(): string {
    if (this.#over) return '';
    return this.#pages.current ?? (this.#site.plan === '' ? this.#site.url : '');
  }

  followed(url: string): string {
    const { uuid, round, plan, max_pages, include, exclude } = this.#site;
    // The first page is read in each round: it leads to the sitemaps, too.
    return JSON.stringify([uuid, followsAgain(this.#site, url) ? round : plan || round, max_pages, include, exclude]);
  }

  get round(): number {
    return this.#site.round;
  }

  /** The owner's word for where the site is holds for wherever that leads. */
  readonly within = (url: URL): boolean => this.#site.plan === '' || this.#scope.holds(url);

  has(source: string): boolean {
    return !this.#over && this.#pages.has(source);
  }

  /** Takes up what is known of the site, and begins or goes on. */
  async begin(): Promise<void> {
    const { chatbot, uuid, max_pages, plan, round } = this.#site;
    const all = (await this.#rooms.store.sources(chatbot)).filter((one) => one.site === uuid && this.#fits(one));
    const [dead, living] = [all.filter(({ status }) => status === DEAD), all.filter(({ status }) => status !== DEAD)];
    for (const some of [living, dead]) {
      for (const source of some.slice(0, max_pages)) this.#finds.enter(source, round);
    }
    if (plan === '') await this.#beginFirst();
    this.#next();
  }

  /** Calls off what waits; what was learned before stays as it is, and what is being fetched again comes to its end. */
  async stop(): Promise<StoredSite> {
    if (this.#over) {
      await this.#finishing;
      return this.site;
    }
    this.#leave();
    await this.#exploring;
    for (const uuid of this.#pages.left) await this.#callOff(uuid);
    await (this.#finishing = this.#finish('stopped'));
    return this.site;
  }

  async #callOff(uuid: string): Promise<void> {
    const { store, knowledge } = this.#rooms;
    const source = await store.source(uuid);
    if (source?.round === this.round) return this.#pages.end(uuid, source.status);
    // What an earlier crawl was through with stays, and what its owner added.
    if (source?.round !== undefined || source?.own === 1) return;
    this.#pages.drop(uuid);
    await store.deleteSource(uuid);
    knowledge.forget(this.#site.chatbot, uuid);
  }

  /** Ends without a word: the chatbot is gone, or the process about to be. */
  async leave(): Promise<void> {
    this.#left = true;
    this.#leave();
    await this.#exploring;
  }

  isCopy(source: StoredSource, digest: string): boolean {
    return this.#pages.isCopy(source, digest) && source.own !== 1;
  }

  async follow(page: Found): Promise<void> {
    if (!this.#over && this.#site.plan === '') await this.#discover(page);
    else if (!this.#over && this.#site.plan === 'links') await this.#finds.takeAll(this.#site, this.#scope, page);
    this.#next();
    // Not all that the page leads to may be stored: it must not count as learned.
    if (this.#left) throw new CalledOff();
  }

  /** The first page is what was asked for, and no link. */
  async reportDead({ uuid, file_name, found_on = '' }: StoredSource): Promise<boolean> {
    if (this.#over || uuid === this.#start) return false;
    await this.#keep((site) => withDeadLink(site, { url: file_name, found_on }));
    return true;
  }

  ended(uuid: string, status: string, taken: boolean): void {
    if (!this.has(uuid)) return;
    this.#quietly(status === 'called off' ? this.#recall(uuid) : this.#goOn(uuid, status, taken || status === 'gone'));
  }

  /** One that was called off is learned anew, or will be by the next life; unless another crawl has taken it over. */
  async #recall(uuid: string): Promise<void> {
    const source = await this.#rooms.store.source(uuid);
    if (source?.site !== this.#site.uuid) this.left(uuid);
  }

  /** The source was deleted. */
  left(uuid: string): void {
    if (this.has(uuid)) this.#quietly(this.#goOn(uuid, 'gone', true));
  }

  async #goOn(uuid: string, status: string, gone: boolean): Promise<void> {
    if (gone) this.#pages.drop(uuid);
    else this.#pages.end(uuid, status);
    if (uuid === this.#start && this.#site.plan === '') return this.#end(withoutStart(status));
    if (gone || status === DEAD) await this.#finds.takeSpare(this.#site, this.#scope);
    this.#next();
  }

  #fits({ file_name, own }: StoredSource): boolean {
    return this.#site.home === '' || own === 1 || this.#scope.holds(new URL(file_name));
  }

  async #beginFirst(): Promise<void> {
    const { url, chatbot } = this.#site;
    if (this.#scope.holds(new URL(url))) await this.#finds.take(this.#site, this.#scope, url);
    const first = (await this.#rooms.store.sources(chatbot)).find((one) => one.identity === url || one.alias === url);
    if (first && this.#pages.waits(first.uuid)) this.#start = first.uuid;
    else this.#exploring = this.#explore();
  }

  /** Reads a first page that is no source, or was learned before the crawl was cut, for where it leads. */
  async #explore(): Promise<void> {
    const { signal } = this.#abort;
    try {
      const page = await this.#rooms.web.get(this.#site.url, { accept: READABLE_TYPES, signal });
      const { leads } = await readPage(page, signal, await userOf(this.#rooms, this.#site.chatbot));
      const links = leads && !page.nofollow ? linksOf(leads, page.url) : [];
      await this.#discover({ url: page.url, links });
    } catch (error) {
      await this.#end(`error:${asWebFailure(error).reason}`);
    }
    this.#next();
  }

  /** Where the site is, and where its pages are named: in sitemaps, or else by the pages themselves. */
  async #discover(page: Found): Promise<void> {
    const home = homeOf(this.#site.url, page.url);
    this.#scope = new Scope({ ...this.#site, home });
    const listed = pagesListed(this.#rooms.web, home, this.#abort.signal);
    const plan = (await this.#finds.takeListed(this.#site, this.#scope, listed, page.url)) ? 'sitemap' : 'links';
    if (plan === 'links') await this.#finds.takeAll(this.#site, this.#scope, page);
    if (!this.#over) await this.#keep({ home, plan });
  }

  /** Gives pages to learning; ends where there are none left. */
  #next(): void {
    const { plan } = this.#site;
    while (!this.#over && this.#pages.learning < AHEAD) {
      const uuid = this.#pages.begin((one) => plan !== '' || one === this.#start);
      if (uuid === undefined) break;
      this.#quietly(this.#learn(uuid));
    }
    if (plan !== '' && this.#pages.learning === 0 && !this.#finds.busy) this.#quietly(this.#end('done'));
  }

  async #learn(uuid: string): Promise<void> {
    const source = await this.#rooms.store.source(uuid);
    if (source?.site !== this.#site.uuid) return this.left(uuid);
    if (!this.has(uuid)) return;
    this.#pages.locate(uuid, source.file_name);
    await this.#rooms.knowledge.learn(source);
  }

  async #end(status: string): Promise<void> {
    if (this.#over) return;
    this.#leave();
    await (this.#finishing = this.#finish(status));
  }

  async #finish(status: string): Promise<void> {
    const { uuid, chatbot } = this.#site;
    const { counts } = this.#pages;
    await this.#keep({ status, ...counts });
    this.#rooms.log.info({ site: uuid, chatbot, status, ...counts }, 'site learned');
    this.#ended();
  }

  #leave(): void {
    this.#over = true;
    this.#finds.end();
    this.#abort.abort();
  }

  /** What fails here, such as a full disk, is for the log: there is nobody to tell. */
  #quietly(work: Promise<void>): void {
    work.catch((error: unknown) => this.#rooms.log.error({ site: this.#site.uuid, err: error }, 'site not learned'));
  }

  async #keep(change: Partial<StoredSite> | Change<StoredSite>): Promise<void> {
    const { store, clock } = this.#rooms;
    const changed = typeof change === 'function' ? change : (site: StoredSite) => ({ ...site, ...change });
    const dated = (site: StoredSite) => ({ ...changed(site), modified_at: later(site.modified_at, clock) });
    this.#site = (await store.updateSite(this.#site.uuid, dated)) ?? this.#site;
  }
}

/** What is said of a site whose first page could not be had, by how that ended. */
function withoutStart(status: string): string {
  if (status === SUCCESS || status === 'gone') return 'stopped';
  return status.startsWith('error:') ? status : 'error:fail';
}
