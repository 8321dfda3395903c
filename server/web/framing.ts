/** Who may show a page in a frame, by the headers that browsers go by. */

export interface Framing {
  /** Of `X-Frame-Options`. */
  options: string[];
  /** Of `Content-Security-Policy`. */
  policies: string[];
}

/**
 * Whether a page of `origin` may frame the page at `url`. Every policy with `frame-ancestors` has to allow it; where there is none,
 * `X-Frame-Options` counts. A source of another form than an origin, a host or a scheme allows nobody.
 */
export function mayFrame({ options, policies }: Framing, url: string, origin: string): boolean {
  const ancestors = listsOf(policies).flatMap((policy) => ancestorsIn(policy) ?? []);
  const [page, framing] = [new URL(url), new URL(origin)];
  if (ancestors.length > 0)
    return ancestors.every((sources) => sources.some((source) => isNamed(source, framing, page)));
  return listsOf(options).every((option) => {
    if (/^deny$/i.test(option)) return false;
    return !/^sameorigin$/i.test(option) || page.origin === framing.origin;
  });
}

/** A header may hold several values between commas. */
const listsOf = (headers: string[]): string[] =>
  headers.flatMap((header) => header.split(',').map((one) => one.trim()));

/** The sources of the first `frame-ancestors`, the only one that counts; undefined where the policy has none. */
function ancestorsIn(policy: string): [string[]] | undefined {
  const directives = policy.split(';').map((one) => one.trim().split(/\s+/));
  const found = directives.find(([name = '']) => name.toLowerCase() === 'frame-ancestors');
  return found && [found.slice(1).map((source) => source.toLowerCase())];
}

function isNamed(source: string, origin: URL, page: URL): boolean {
  if (source === '*' || source === origin.protocol) return true;
  if (source === "'self'") return origin.origin === page.origin;
  const [, scheme, below, host, port] = /^(?:(https?):\/\/)?(\*\.)?([\w.-]+)(?::(\d+|\*))?\/?$/.exec(source) ?? [];
  if (!host || (below ? !origin.hostname.endsWith(`.${host}`) : origin.hostname !== host)) return false;
  const protocol = scheme ? `${scheme}:` : page.protocol;
  // A source of http counts for the same host over https, too.
  if (origin.protocol !== protocol && !(protocol === 'http:' && origin.protocol === 'https:')) return false;
  return port === '*' || (port ?? '') === origin.port || port === DEFAULT_PORTS[origin.protocol];
}

const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };
