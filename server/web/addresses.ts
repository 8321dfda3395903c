import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** Azure answers machines' questions about themselves at a public-looking address. */
const METADATA = new Set(['168.63.129.16']);

/** ISATAP puts an IPv4 address behind any prefix at all. */
const isIsatap = (parts: number[]): boolean => (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe;

/**
 * True for addresses of the public internet alone. Whatever has a special meaning (private, loopback, link-local,
 * shared, multicast, documentation, an IPv4 address inside an IPv6 one) is not.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || METADATA.has(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return true;
  // Only 2000::/3 is given out; `::127.0.0.1` and the like lie outside without having a range of their own.
  const { parts } = parsed as ipaddr.IPv6;
  return parts[0]! >> 13 === 1 && !isIsatap(parts);
}

/** True where the address is one of this machine's own, public ones included. */
export function isOwnAddress(address: string): boolean {
  const key = (text: string) => ipaddr.parse(text).toNormalizedString();
  const wanted = key(address);
  return Object.values(networkInterfaces()).some((all) =>
    all?.some((one) => key(one.address.replace(/%.*$/, '')) === wanted),
  );
}
