import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../schema/ids.ts';
import { WebFailure } from './errors.ts';

/** Nobody waits longer than this for a site that asked for patience: the page fails, and may be asked for again. */
const LONGEST_WAIT = 30_000;
/** However long a site wants to be left alone, an owner's next try is heard after this. */
const LONGEST_HOLD = 10 * 60_000;
const MAX_ORIGINS = 1000;

/** When a site may be asked again: by its Crawl-delay, and by the Retry-After that it sent. */
export class Politeness {
  readonly #clock: Clock;
  readonly #held = new LRUCache<string, number>({ max: MAX_ORIGINS });
  readonly #next = new LRUCache<string, number>({ max: MAX_ORIGINS });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Leaves that origin alone for so many milliseconds. */
  hold(origin: string, ms: number): void {
    const until = this.#clock() + Math.min(ms, LONGEST_HOLD);
    this.#held.set(origin, Math.max(until, this.#held.get(origin) ?? 0));
  }

  /** Resolves when that origin may be asked, `gap` ms after the last. A `download` failure where that is too far off. */
  async turn(origin: string, gap: number, signal: AbortSignal, patience = LONGEST_WAIT): Promise<void> {
    const start = this.#clock();
    const held = (): number => this.#held.get(origin) ?? 0;
    const check = (): void => {
      if (held() - start > patience) throw new WebFailure('download', 'the site asked to be left alone for now');
    };
    check();
    let known = held();
    const at = Math.max(start, known, this.#next.get(origin) ?? 0);
    if (gap > 0) this.#next.set(origin, at + gap);
    if (at > start) await sleep(at - start, undefined, { signal });
    // The site may have asked for more patience meanwhile.
    for (; held() > known; known = held()) {
      check();
      const left = held() - Math.max(this.#clock(), at);
      if (left > 0) await sleep(left, undefined, { signal });
    }
  }
}
