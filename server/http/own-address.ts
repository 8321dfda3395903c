import type { IncomingMessage } from 'node:http';
import { Refusal } from '../schema/errors.ts';

/** Where the server stands, as a browser sees it. */
export interface Whereabouts {
  /** Without a slash at the end; undefined for where the server listens. */
  publicUrl: string | undefined;
  /** How many proxies in front add to `X-Forwarded-For` and `X-Forwarded-Proto`. */
  trustProxyHops: number;
}

/** Whether the browser came over HTTPS. `X-Forwarded-Proto` is believed where `X-Forwarded-For` is. */
export function isSecure({ publicUrl, trustProxyHops }: Whereabouts, { headers }: IncomingMessage): boolean {
  if (publicUrl?.startsWith('https:')) return true;
  if (trustProxyHops === 0) return false;
  const hops = String(headers['x-forwarded-proto'] ?? '').split(',');
  return (hops.at(-trustProxyHops) ?? hops[0]!).trim().toLowerCase() === 'https';
}

/** Of a name in DNS, with a port. */
const MAX_HOST = 260;

/**
 * The address of the server, without a slash at the end: `PUBLIC_URL`, else the one that the request was sent to. Throws a `Refusal`
 * where its `Host` is none.
 */
export function ownAddress(where: Whereabouts, request: IncomingMessage): string {
  if (where.publicUrl) return where.publicUrl;
  const { host = '' } = request.headers;
  const address = `${isSecure(where, request) ? 'https' : 'http'}://${host}`;
  if (host.length > MAX_HOST || !URL.canParse(address))
    throw new Refusal('bad_request', 'the Host header must be the host name of the server');
  return new URL(address).origin;
}
