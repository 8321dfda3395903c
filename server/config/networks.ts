import { BlockList, isIP } from 'node:net';

/**
 * `10.0.0.0/8,2001:db8::/32,127.0.0.1`: an address alone is one of itself. Throws an Error that names the variable where one of
 * them is no network.
 */
export function readNetworks(variable: string, written: string | undefined): BlockList | undefined {
  if (written === undefined) return undefined;
  const networks = new BlockList();
  for (const entry of written.split(',').map((one) => one.trim())) {
    const [, address = '', prefix] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(entry) ?? [];
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    if (version === 0 || Number(prefix ?? bits) > bits)
      throw new Error(
        `${variable} must be addresses and networks such as 10.0.0.0/8,2001:db8::/32, separated by commas`,
      );
    networks.addSubnet(address, Number(prefix ?? bits), version === 4 ? 'ipv4' : 'ipv6');
  }
  return networks;
}

/** `host:port,…`; none where nothing is written. Throws an Error that names the variable. */
export function readHostPorts(variable: string, value: string | undefined): string[] {
  const entries = (value ?? '').split(',').map((entry) => entry.trim());
  const named = entries.filter(Boolean);
  if (!named.every((entry) => /^(?:\[[\da-f:.]+\]|[^\s:/@[\]]+):\d{1,5}$/i.test(entry))) {
    throw new Error(`${variable} must be host:port entries, separated by commas`);
  }
  return named;
}
