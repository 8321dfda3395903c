import type { Context } from 'koa';
import { Refusal } from '../schema/errors.ts';

/** Checks the origin of the page against the owner's list. Only browsers are bound by it. */

/**
 * Accepts an origin in `allowed`, and pages of this server. Throws a `Refusal` for any other request, one without an origin
 * too. To be called only where there is a list: the reply then varies by origin.
 */
export function admitOrigin(ctx: Context, allowed: readonly string[]): void {
  const origin = normalize(ctx.get('Origin'));
  ctx.vary('Origin');
  if (allowed.some((one) => matches(one, origin))) return ctx.set('Access-Control-Allow-Origin', origin);
  // A forbidden header name: scripts cannot set it.
  if (ctx.get('Sec-Fetch-Site') === 'same-origin') return ctx.remove('Access-Control-Allow-Origin');
  // The refusal is readable for any page: one that could not read it would report a network error.
  throw new Refusal('forbidden_origin', 'this chatbot may not be asked from here: its owner lists the sites that may');
}

/** The origin as the settings store it; `''` where there is none, and for values that no browser sends. */
function normalize(header: string): string {
  if (header === 'null') return header;
  return /^https?:\/\/[^\s/?#@\\*]+$/i.test(header) && URL.canParse(header) ? new URL(header).origin : '';
}

/** `https://*.shop.example` matches subdomains, not the domain itself. */
function matches(allowed: string, origin: string): boolean {
  const [start = '', end] = allowed.split('*');
  if (end === undefined) return origin !== '' && origin === allowed;
  return origin.length > start.length + end.length && origin.startsWith(start) && origin.endsWith(end);
}
