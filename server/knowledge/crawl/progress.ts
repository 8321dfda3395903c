import { isPending } from '../../schema/records.ts';
import type { StoredSite, StoredSource } from '../../store/store.ts';
import type { PageState } from '../ingest/fetch.ts';
import type { Scope } from './scope.ts';

export const SUCCESS = 'success';
/** Status of a page that was ingested before, or added by its owner, and now is 404 or 410. It does not count to `max_pages`. */
export const DEAD = 'error:not found';

/** Of the sources of a chatbot those that a crawl begins with, dead ones last. */
export function pagesOf({ uuid, home, max_pages }: StoredSite, scope: Scope, sources: StoredSource[]): StoredSource[] {
  const fits = ({ file_name, own }: StoredSource) => home === '' || own === 1 || scope.holds(new URL(file_name));
  const all = sources.filter((one) => one.site === uuid && fits(one));
  const isDead = ({ status }: StoredSource) => status === DEAD;
  return [all.filter((one) => !isDead(one)), all.filter(isDead)].flatMap((some) => some.slice(0, max_pages));
}

type State = 'waits' | 'learning' | 'done' | 'failed';

/** The state of each page in a crawl, by the identifier of its source. */
export class CrawlProgress {
  readonly #states = new Map<string, State>();
  /** In the order in which they were found, so that pages near the first one come first. */
  readonly #waiting = new Set<string>();
  /** With their addresses; '' before the source is read from the store. */
  readonly #learning = new Map<string, string>();
  readonly #dead = new Set<string>();
  readonly #digests = new Map<string, string>();
  readonly #counts = { waits: 0, learning: 0, done: 0, failed: 0 };

  get counts(): { found: number; done: number; failed: number } {
    const { done, failed } = this.#counts;
    return { found: this.#states.size, done, failed };
  }

  get found(): number {
    return this.#states.size;
  }

  /** Number of pages without dead ones; of these at most `maxDead` are left out. */
  living(maxDead: number): number {
    return this.#states.size - Math.min(this.#dead.size, maxDead);
  }

  get learning(): number {
    return this.#learning.size;
  }

  /** The address of a page that is being ingested. */
  get current(): string | undefined {
    return [...this.#learning.values()].find(Boolean);
  }

  has(uuid: string): boolean {
    return this.#states.has(uuid);
  }

  waits(uuid: string): boolean {
    return this.#waiting.has(uuid);
  }

  isLearning(uuid: string): boolean {
    return this.#learning.has(uuid);
  }

  /**
   * Takes the page for the one with this digest. False where another page came first with it, under an address that
   * differs only by its query, a trailing slash, or the name of a folder's index page.
   */
  register({ uuid, file_name }: StoredSource, digest: string): boolean {
    const path = new URL(file_name).pathname.replace(/\/(?:(?:index|default)\.\w+)?$/i, '');
    const known = this.#digests.get(`${digest} ${path}`);
    if (known !== undefined && known !== uuid && this.#states.has(known)) return false;
    this.#digests.set(`${digest} ${path}`, uuid);
    return true;
  }

  /** Pages that wait or are being ingested. */
  get left(): string[] {
    return [...this.#waiting, ...this.#learning.keys()];
  }

  /** Adds a source; it has been read already where its `round` is this crawl's. */
  enter(source: StoredSource, now: number): void {
    const { uuid, status, round, fetched_json } = source;
    if (round !== now) return this.#set(uuid, 'waits');
    this.end(uuid, status);
    if (fetched_json) this.register(source, (JSON.parse(fetched_json) as PageState).digest);
  }

  end(uuid: string, status: string): void {
    this.#set(uuid, status === SUCCESS ? 'done' : 'failed');
    if (status === DEAD) this.#dead.add(uuid);
    else this.#dead.delete(uuid);
  }

  /** Takes up what other processes have changed of the pages that have ended: of all `sources` of the chatbot. */
  update(sources: readonly StoredSource[]): void {
    const statuses = new Map(sources.map(({ uuid, status }) => [uuid, status]));
    for (const [uuid, state] of this.#states) {
      const status = statuses.get(uuid);
      if (status === undefined) this.drop(uuid);
      else if ((state === 'done' || state === 'failed') && !isPending(status)) this.end(uuid, status);
    }
  }

  /** Moves the first waiting page that `may` allows to `learning`, and returns it. */
  begin(may: (uuid: string) => boolean): string | undefined {
    for (const uuid of this.#waiting) {
      if (!may(uuid)) continue;
      this.#set(uuid, 'learning');
      return uuid;
    }
    return undefined;
  }

  /** Sets the address of a page that is being ingested. */
  locate(uuid: string, address: string): void {
    if (this.#learning.has(uuid)) this.#learning.set(uuid, address);
  }

  drop(uuid: string): void {
    const state = this.#states.get(uuid);
    if (state) this.#counts[state]--;
    this.#states.delete(uuid);
    this.#dead.delete(uuid);
    this.#waiting.delete(uuid);
    this.#learning.delete(uuid);
  }

  #set(uuid: string, state: State): void {
    const waited = this.#states.has(uuid);
    // Without deleting it first: the map would be rebuilt again and again.
    if (waited) this.#counts[this.#states.get(uuid)!]--;
    this.#states.set(uuid, state);
    this.#counts[state]++;
    if (state === 'waits') this.#waiting.add(uuid);
    else this.#waiting.delete(uuid);
    if (state === 'learning') this.#learning.set(uuid, '');
    else this.#learning.delete(uuid);
  }
}
