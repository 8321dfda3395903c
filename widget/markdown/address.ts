/** What a link of an answer may begin with; every other address (scripts, data, relative ones) is left out. */
const SAFE = /^(?:https?:\/\/|mailto:|tel:)/i;

/** An address as it may stand in a link; undefined for what may not. */
export const safeAddress = (address: string): string | undefined => (SAFE.test(address) ? address : undefined);

/** An address in its parts; undefined for what is none. `URL.canParse` is younger than browsers in use. */
export function parseAddress(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

/** True for a web address at one of the hosts: `example.com` is that host alone, `*.example.com` all below it. */
export function isAtHost(address: string, hosts: readonly string[] | undefined): boolean | undefined {
  const { hostname = '' } = parseAddress(address) ?? {};
  return hosts?.some((host) => (host[0] === '*' ? hostname.endsWith(host.slice(1)) : hostname === host));
}
