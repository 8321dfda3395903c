const NAME = /^(\*\.)?([^\s/:@?#\\*[\]]+)$/;
const HOST = /^[\w-]+(?:\.[\w-]+)*$/;
const MOST = 50;

function readHost(written: string): string | undefined {
  const [, below = '', name = ''] = NAME.exec(written) ?? [];
  if (!URL.canParse(`https://${name}`)) return undefined;
  const { hostname } = new URL(`https://${name}`);
  return HOST.test(hostname) && hostname.length <= 250 ? below + hostname : undefined;
}

/** Hosts between commas or spaces, as the API keeps them; undefined where it would refuse one, or their number. */
export function readHosts(text: string): string[] | undefined {
  const written = text.match(/[^\s,]+/g) ?? [];
  const hosts = written.flatMap((one) => readHost(one) ?? []);
  return hosts.length < written.length || written.length > MOST ? undefined : [...new Set(hosts)];
}
