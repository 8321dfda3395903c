/** Schemes allowed in links; scripts, data and relative addresses are refused. */
const SAFE = /^(?:https?:\/\/|mailto:|tel:)/i;

/** The address if its scheme is allowed in a link, else undefined. */
export const safeAddress = (address: string): string | undefined => (SAFE.test(address) ? address : undefined);

/** Parses an address; undefined where it is invalid. `URL.canParse` is newer than browsers in use. */
export function parseAddress(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

/** Whether an address is at one of the hosts: `example.com` matches that host, `*.example.com` its subdomains. */
export function isAtHost(address: string, hosts: readonly string[] | undefined): boolean | undefined {
  const { hostname = '' } = parseAddress(address) ?? {};
  return hosts?.some((host) => (host[0] === '*' ? hostname.endsWith(host.slice(1)) : hostname === host));
}
