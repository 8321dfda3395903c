import type { StoredSource } from '../../store/store.ts';
import type { PageState } from '../ingest/fetch.ts';

export const SUCCESS = 'success';
/** Of a page that was learned, or added by its owner, and is gone: it is shown as failed, but takes no other's place. */
export const DEAD = 'error:not found';

type State = 'waits' | 'learning' | 'done' | 'failed';

/** The pages of a site, as far as a crawl is with them; each is a source, by its identifier. */
export class CrawlProgress {
  readonly #states = new Map<string, State>();
  /** In order of their being found, so that the nearest come first. */
  readonly #waiting = new Set<string>();
  /** With their addresses, '' until those are looked up. */
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

  /** How many of them are not gone; of those so many are excused. */
  living(excused: number): number {
    return this.#states.size - Math.min(this.#dead.size, excused);
  }

  get learning(): number {
    return this.#learning.size;
  }

  /** The address of one that is being learned. */
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
   * Whether another page came first with these bytes, under an address that differs only by a query, a slash at its
   * end, or the name of a folder's first page.
   */
  isCopy({ uuid, file_name }: StoredSource, digest: string): boolean {
    const path = new URL(file_name).pathname.replace(/\/(?:(?:index|default)\.\w+)?$/i, '');
    const known = this.#digests.get(`${digest} ${path}`);
    if (known !== undefined && known !== uuid && this.#states.has(known)) return true;
    this.#digests.set(`${digest} ${path}`, uuid);
    return false;
  }

  /** Those that the crawl is not through with. */
  get left(): string[] {
    return [...this.#waiting, ...this.#learning.keys()];
  }

  /** One that the crawl is through with already says so by its `round`. */
  enter(source: StoredSource, now: number): void {
    const { uuid, status, round, fetched_json } = source;
    if (round !== now) return this.#set(uuid, 'waits');
    this.end(uuid, status);
    if (fetched_json) this.isCopy(source, (JSON.parse(fetched_json) as PageState).digest);
  }

  end(uuid: string, status: string): void {
    this.#set(uuid, status === SUCCESS ? 'done' : 'failed');
    if (status === DEAD) this.#dead.add(uuid);
    else this.#dead.delete(uuid);
  }

  /** Out of those that wait, the first that may be begun; it is being learned from now on. */
  begin(may: (uuid: string) => boolean): string | undefined {
    for (const uuid of this.#waiting) {
      if (!may(uuid)) continue;
      this.#set(uuid, 'learning');
      return uuid;
    }
    return undefined;
  }

  /** Where the one that is being learned is to be found. */
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
    // Its place among the others stays, so that a map of thousands is not made anew.
    if (waited) this.#counts[this.#states.get(uuid)!]--;
    this.#states.set(uuid, state);
    this.#counts[state]++;
    if (state === 'waits') this.#waiting.add(uuid);
    else this.#waiting.delete(uuid);
    if (state === 'learning') this.#learning.set(uuid, '');
    else this.#learning.delete(uuid);
  }
}
