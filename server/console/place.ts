import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { fullAddress } from '../http/rate-limit.ts';
import { Refusal } from '../schema/errors.ts';

/** Where the console stands, as a browser sees it, and from where it may be used. */
export interface Place {
  /** Without a slash at the end; undefined for where the server listens. */
  publicUrl: string | undefined;
  trustProxyHops: number;
  /** Undefined for all addresses. */
  consoleAllow: BlockList | undefined;
}

/** Whether the address of the caller is one that may use the console. */
export function isAllowed({ consoleAllow, trustProxyHops }: Place, request: IncomingMessage): boolean {
  if (!consoleAllow) return true;
  const caller = fullAddress(request, trustProxyHops);
  return caller !== undefined && consoleAllow.check(caller.address, caller.family);
}

/** Whether the browser came over HTTPS. `X-Forwarded-Proto` is believed where `X-Forwarded-For` is. */
export function isSecure({ publicUrl, trustProxyHops }: Place, { headers }: IncomingMessage): boolean {
  if (publicUrl?.startsWith('https:')) return true;
  if (trustProxyHops === 0) return false;
  const hops = String(headers['x-forwarded-proto'] ?? '').split(',');
  return (hops.at(-trustProxyHops) ?? hops[0]!).trim().toLowerCase() === 'https';
}

export const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

/**
 * Whether a page of this server sent the request. Browsers of before 2023, and all over plain HTTP to another machine, send no
 * `Sec-Fetch-Site`: there the origin is compared.
 */
export function isFromOwnPage(place: Place, request: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  return origin !== undefined && ownOrigins(place, request).includes(origin);
}

/** Whether no page of another origin sent the request, which only reads: the person did, or an own page. */
export function mayRead(place: Place, request: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return origin === undefined || ownOrigins(place, request).includes(origin);
}

/** Refuses with 403 what no page of this server sent. */
export function requireOwnPage(place: Place, request: IncomingMessage): void {
  if (!isFromOwnPage(place, request))
    throw new Refusal(
      'forbidden_origin',
      'a sign-in changes something from pages of this server alone: open the console there, or send an API key',
    );
}

function ownOrigins(place: Place, request: IncomingMessage): string[] {
  const address = `${isSecure(place, request) ? 'https' : 'http'}://${request.headers.host ?? ''}`;
  return [place.publicUrl, address].flatMap((one) => (one && URL.canParse(one) ? [new URL(one).origin] : []));
}
