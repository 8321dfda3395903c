/** Whether both have the same host, with or without `www.`, by http or https. */
export function sameSite(one: URL, other: URL): boolean {
  if (one.origin === other.origin) return true;
  return one.port === '' && other.port === '' && withoutWww(one.hostname) === withoutWww(other.hostname);
}

const withoutWww = (host: string): string => host.replace(/^www\./, '');
