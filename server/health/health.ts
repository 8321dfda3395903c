import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { Refusal } from '../schema/errors.ts';
import type { Clock } from '../schema/ids.ts';

/**
 * Why the server does less than it should. `failing` while nothing can be stored, `degraded` while questions are still
 * answered, `warming` while the first of them take longer than those after.
 */
interface Fault {
  status: 'warming' | 'degraded' | 'failing';
  /** One sentence for the operator. */
  reason: string;
}

/** What `/readyz` says. Each room reports its own faults under keys of its own, such as `model` or `damaged:sources/ab.json`. */
export interface Health {
  /** Replaces what was reported under this key. */
  report(key: string, fault: Fault): void;
  clear(key: string): void;
  /** `reasons` in the order in which they were first reported; empty with `ok`. */
  state(): { status: 'ok' | Fault['status']; reasons: string[] };
}

/** More reasons than this are counted, not listed: a disk may have damaged thousands of files. */
const MAX_LISTED_REASONS = 50;

export function createHealth(): Health {
  const faults = new Map<string, Fault>();
  return {
    report: (key, fault) => void faults.set(key, fault),
    clear: (key) => void faults.delete(key),
    state() {
      const all = Array.from(faults.values());
      const worst = (['failing', 'degraded', 'warming'] as const).find((one) =>
        all.some(({ status }) => status === one),
      );
      const reasons = all.slice(0, MAX_LISTED_REASONS).map(({ reason }) => reason);
      if (all.length > MAX_LISTED_REASONS) reasons.push(`and ${all.length - MAX_LISTED_REASONS} more`);
      return { status: worst ?? 'ok', reasons };
    },
  };
}

/** Reports failures and successes of a server that this one depends on to `/readyz` and to the log. */
export interface Outage {
  /** `reason` is a word of a fixed set; `why` is for the log. */
  failed(reason: string, why?: string): void;
  succeeded(): void;
}

interface OutageOptions {
  health: Health;
  clock: Clock;
  log: Logger;
  /** For the log: `the model`. */
  name: string;
  key: string;
  /** What `/readyz` says. */
  sentence(reason: string): string;
}

/** Milliseconds between two equal lines of the log: otherwise an outage logs one for every question. */
const LOG_INTERVAL_MS = 60_000;

export function createOutage({ health, clock, log, name, key, sentence }: OutageOptions): Outage {
  const logged = new Map<string, number>();
  let isDown = false;
  let isLoggedDown = false;
  let unlogged = 0;

  /** True where nothing like it was logged within `LOG_INTERVAL_MS`, or the clock was set back since. */
  function isDue(line: string): boolean {
    return Math.abs(clock() - (logged.get(line) ?? -Infinity)) >= LOG_INTERVAL_MS;
  }

  return {
    failed(reason, why) {
      isDown = true;
      health.report(key, { status: 'degraded', reason: sentence(reason) });
      unlogged += 1;
      // The last line always says that it is down while it is.
      if (isLoggedDown && !isDue(reason)) return;
      log.error({ reason, failures: unlogged }, `${name} fails: ${why ?? reason}`);
      logged.set(reason, clock());
      isLoggedDown = true;
      unlogged = 0;
    },
    succeeded() {
      if (isDown) health.clear(key);
      isDown = false;
      if (!isLoggedDown || !isDue('')) return;
      log.info(`${name} answers again`);
      logged.set('', clock());
      isLoggedDown = false;
    },
  };
}

/** `/healthz`: the process answers, `{status: "ok"}`. `/readyz`: 200 with `ok`, `warming` or `degraded`, 503 with `failing`, and why. */
export function serveHealth(health: Health): Middleware {
  return (ctx, next) => {
    if (ctx.path !== '/healthz' && ctx.path !== '/readyz') return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      throw new Refusal('method_not_allowed', 'this path takes GET, HEAD', { headers: { Allow: 'GET, HEAD' } });
    }
    ctx.set('Cache-Control', 'no-store');
    if (ctx.path === '/healthz') {
      ctx.body = { status: 'ok' };
      return undefined;
    }
    const { status, reasons } = health.state();
    ctx.status = status === 'failing' ? 503 : 200;
    ctx.body = status === 'ok' ? { status } : { status, reasons };
    return undefined;
  };
}
