import type { Context } from 'koa';
import { Refusal } from '../schema/errors.ts';

/** From which pages a chatbot may be asked, where its owner keeps a list: browsers alone are bound by it. */

/**
 * Passes a page whose origin is in `allowed`, and one of this server's own; any other, and whoever names no origin, gets
 * a `Refusal`. Call it only where there is a list: then the reply is for one origin, and says so to caches.
 */
export function admitOrigin(ctx: Context, allowed: readonly string[]): void {
  const origin = normal(ctx.get('Origin'));
  ctx.vary('Origin');
  if (allowed.some((one) => isOf(one, origin))) return ctx.set('Access-Control-Allow-Origin', origin);
  // No page can write this header, and no browser says it of a page from elsewhere.
  if (ctx.get('Sec-Fetch-Site') === 'same-origin') return ctx.remove('Access-Control-Allow-Origin');
  // Any page may read that it is refused, as it may send the request: one that could not would take it for a lost network.
  throw new Refusal('forbidden_origin', 'this chatbot may not be asked from here: its owner lists the sites that may');
}

/** As the settings keep it; `''` for none, and for what no browser sends. */
function normal(written: string): string {
  if (written === 'null') return written;
  return /^https?:\/\/[^\s/?#@\\*]+$/i.test(written) && URL.canParse(written) ? new URL(written).origin : '';
}

/** `https://*.shop.example` stands for what is below that name, not for the name itself. */
function isOf(allowed: string, origin: string): boolean {
  const [start = '', end] = allowed.split('*');
  if (end === undefined) return origin !== '' && origin === allowed;
  return origin.length > start.length + end.length && origin.startsWith(start) && origin.endsWith(end);
}
