import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** Azure's metadata service has a public address. */
const METADATA = new Set(['168.63.129.16']);

/** ISATAP (RFC 5214) embeds an IPv4 address behind any prefix. */
const isIsatap = (parts: number[]): boolean => (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe;

/**
 * Whether an address is one of the public internet. False for private, loopback, link-local, shared, multicast and
 * documentation ranges, and for an IPv4 address inside an IPv6 one.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || METADATA.has(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return true;
  // Only 2000::/3 is allocated; `::127.0.0.1` lies outside, but ipaddr.js has no range for it.
  const { parts } = parsed as ipaddr.IPv6;
  return parts[0]! >> 13 === 1 && !isIsatap(parts);
}

/** Whether this machine has the address, public ones included. */
export function isOwnAddress(address: string): boolean {
  const key = (text: string) => ipaddr.parse(text).toNormalizedString();
  const wanted = key(address);
  return Object.values(networkInterfaces()).some((all) =>
    all?.some((one) => key(one.address.replace(/%.*$/, '')) === wanted),
  );
}
