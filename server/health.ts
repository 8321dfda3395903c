import type { Middleware } from 'koa';
import { Refusal } from './errors.ts';

/** Why the server does less than it should. `failing` while nothing can be stored, `degraded` while questions are still answered. */
export interface Fault {
  status: 'degraded' | 'failing';
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
const MOST_REASONS = 50;

export function createHealth(): Health {
  const faults = new Map<string, Fault>();
  return {
    report: (key, fault) => void faults.set(key, fault),
    clear: (key) => void faults.delete(key),
    state() {
      const all = Array.from(faults.values());
      const failing = all.some(({ status }) => status === 'failing');
      const reasons = all.slice(0, MOST_REASONS).map(({ reason }) => reason);
      if (all.length > MOST_REASONS) reasons.push(`and ${all.length - MOST_REASONS} more`);
      return { status: failing ? 'failing' : all.length > 0 ? 'degraded' : 'ok', reasons };
    },
  };
}

/** `/healthz`: the process answers, `{status: "ok"}`. `/readyz`: 200 with `ok` or `degraded`, 503 with `failing`, and why. */
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
