import type { IncomingMessage } from 'node:http';
import { isIP, type BlockList } from 'node:net';
import { isSecure, ownAddress, type Whereabouts } from '../http/own-address.ts';
import { fullAddress } from '../http/rate-limit.ts';
import { Refusal } from '../schema/errors.ts';
import type { User } from '../store/store.ts';

/** Where the console stands, and from where it may be used. */
export interface Place extends Whereabouts {
  /** Undefined for all addresses. */
  consoleAllow: BlockList | undefined;
}

/** Whether the address of the caller is one that may use the console. */
export function isAllowed({ consoleAllow, trustProxyHops }: Place, request: IncomingMessage): boolean {
  if (!consoleAllow) return true;
  const caller = fullAddress(request, trustProxyHops);
  return caller !== undefined && consoleAllow.check(caller.address, caller.family);
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

/** Refuses with 403 what a page asks that takes another user to be signed in: all tabs of a browser share the cookie. */
export function requireNamedUser({ headers }: IncomingMessage, { uuid, email }: User): void {
  const named = headers['x-docent-user'];
  if (named !== undefined && named !== uuid)
    throw new Refusal(
      'other_user',
      `another user, ${email}, is signed in in this browser now, and nothing was done: reload the page to go on as that user`,
    );
}

/** The server's own, as `PUBLIC_URL` and as the request name it. */
export function ownOrigins(place: Place, request: IncomingMessage): string[] {
  const address = `${isSecure(place, request) ? 'https' : 'http'}://${request.headers.host ?? ''}`;
  return [place.publicUrl, address].flatMap((one) => (one && URL.canParse(one) ? [new URL(one).origin] : []));
}

/** What a passkey belongs to, as browsers name it. */
export interface PasskeyPlace {
  /** The host name (RP ID). */
  host: string;
  origin: string;
}

/**
 * Of `PUBLIC_URL`, else of what the request names in `Host`, with its port. Whoever sends another name gets a challenge for that: browsers
 * sign the name and the origin that they are at, and a passkey is found under the name it was made on alone. The port is not checked
 * against the server's own: a page at another port of the same host name gets a signature that counts here, so that without `PUBLIC_URL`
 * all ports of the host have to be trusted. Refuses where browsers make no passkeys.
 */
export function passkeyPlace(place: Place, request: IncomingMessage): PasskeyPlace {
  const { hostname: host, origin, protocol } = new URL(ownAddress(place, request));
  if (isIP(host) || host.startsWith('['))
    throw new Refusal('bad_request', 'browsers make no passkeys for an IP address: open the console by a host name');
  if (protocol !== 'https:' && !/^(?:.+\.)?localhost$/.test(host))
    throw new Refusal('bad_request', 'browsers make passkeys over HTTPS, or on localhost, alone');
  return { host, origin };
}
