import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../schema/ids.ts';
import { WebFailure } from './errors.ts';

/** Milliseconds that a request waits for a site; a page that would wait longer fails, and can be fetched again later. */
const MAX_WAIT_MS = 30_000;
/** Milliseconds. A longer Retry-After is cut to this, so that the owner can try again. */
const MAX_HOLD_MS = 10 * 60_000;
const MAX_ORIGINS = 1000;

/** Delays requests to an origin by its Crawl-delay and its Retry-After. */
export class Politeness {
  readonly #clock: Clock;
  readonly #retryAt = new LRUCache<string, number>({ max: MAX_ORIGINS });
  readonly #next = new LRUCache<string, number>({ max: MAX_ORIGINS });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Delays every request to the origin by so many milliseconds; a longer delay that was set before stays. */
  hold(origin: string, ms: number): void {
    const until = this.#clock() + Math.min(ms, MAX_HOLD_MS);
    this.#retryAt.set(origin, Math.max(until, this.#retryAt.get(origin) ?? 0));
  }

  /** Resolves when the origin may be requested, `gap` ms after the last time. Rejects with `download` beyond `patience` ms. */
  async turn(origin: string, gap: number, signal: AbortSignal, patience = MAX_WAIT_MS): Promise<void> {
    const start = this.#clock();
    const retryAt = (): number => this.#retryAt.get(origin) ?? 0;
    const check = (): void => {
      if (retryAt() - start > patience) throw new WebFailure('download', 'the site asked to be left alone for now');
    };
    check();
    let seen = retryAt();
    const at = Math.max(start, seen, this.#next.get(origin) ?? 0);
    if (gap > 0) this.#next.set(origin, at + gap);
    if (at > start) await sleep(at - start, undefined, { signal });
    // Another request may have got a longer Retry-After meanwhile.
    for (; retryAt() > seen; seen = retryAt()) {
      check();
      const left = retryAt() - Math.max(this.#clock(), at);
      if (left > 0) await sleep(left, undefined, { signal });
    }
  }
}
