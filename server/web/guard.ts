import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isOwnAddress, isPublicAddress } from './addresses.ts';
import { blocked } from './errors.ts';

export type Lookup = (hostname: string) => Promise<{ address: string; family: number }[]>;

const resolveAll: Lookup = (hostname) => systemLookup(hostname, { all: true });

/** This server's own place on the network: what it may fetch of itself goes straight there. */
export interface Self {
  /** PUBLIC_URL's origin and the listening ones. */
  origins: string[];
  connect: { host: string; port: number };
  /** Prefixes that may be fetched, such as `/demo/`. */
  paths: string[];
}

export interface GuardRules {
  /** `host:port`, host a name or an IP literal (IPv6 in brackets): these pass beside the guard. */
  allow: string[];
  self?: Self | undefined;
  lookup?: Lookup | undefined;
}

/** Which way a request takes: past the guard by connection, or to this server itself. */
export type Way = 'guarded' | 'self';

const portOf = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80');
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** `host:port` as the URL parser would write it, so that every notation of one address is one entry. */
function allowKey(entry: string): string {
  const url = new URL(`http://${entry.trim()}`);
  return `${bare(url.hostname)}:${portOf(url)}`;
}

/**
 * Judges an address before each request, redirects included; throws a `blocked address` failure.
 * Names are judged again at connection time, by `guardedConnector`, where what they resolve to is known.
 */
export function createGate(rules: GuardRules): (url: URL) => Way {
  const allowed = new Set(rules.allow.map(allowKey));
  return (url) => {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw blocked(`scheme ${url.protocol}`);
    if (url.username || url.password) throw blocked('credentials in the address');
    if (rules.self?.origins.includes(url.origin)) return ownPath(url, rules.self);
    const host = bare(url.hostname);
    const exempt = allowed.has(`${host}:${portOf(url)}`);
    if (isIP(host) && !exempt) assertFree(host, portOf(url), rules.self);
    return 'guarded';
  };
}

/** An escaped dot, slash, backslash or percent has no place in our own pages' names, only in tricks. */
function ownPath(url: URL, self: Self): Way {
  const tricky = /%(?:2e|2f|5c|25|00)|\\|\/\//i.test(url.pathname);
  if (tricky || !self.paths.some((path) => url.pathname.startsWith(path))) throw blocked('a path of this server');
  return 'self';
}

const NOT_PUBLIC = 'the address is not public; whoever runs the server can allow its host:port in FETCH_ALLOW';

function assertFree(address: string, port: string, self: Self | undefined): void {
  if (!isPublicAddress(address)) throw blocked(address, NOT_PUBLIC);
  if (self && port === String(self.connect.port) && isOwnAddress(address)) throw blocked('this server by its address');
}

/**
 * Connects to an address that has been checked, and to no other: the name is resolved once, here, and every
 * address it has must be free. Literals never reach a lookup, so they are checked before.
 */
export function guardedConnector(rules: GuardRules): buildConnector.connector {
  const allowed = new Set(rules.allow.map(allowKey));
  const resolve = rules.lookup ?? resolveAll;
  const connect = (lookup: LookupFunction) => buildConnector({ lookup, autoSelectFamily: true, timeout: 10_000 });
  const open = connect(lookupBy(resolve, () => undefined));
  const guarded = new Map<string, buildConnector.connector>();
  const guardedBy = (port: string) => {
    const check = (address: string) => assertFree(address, port, rules.self);
    const made = guarded.get(port) ?? connect(lookupBy(resolve, check));
    guarded.set(port, made);
    return made;
  };
  return (options, done) => {
    const host = bare(options.hostname);
    const port = options.port || (options.protocol === 'https:' ? '443' : '80');
    if (allowed.has(`${host}:${port}`)) return open(options, done);
    try {
      if (isIP(host)) assertFree(host, port, rules.self);
    } catch (error) {
      return done(error as Error, null);
    }
    guardedBy(port)(options, done);
  };
}

function lookupBy(resolve: Lookup, check: (address: string) => void): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname)
      .then((all) => {
        const first = all[0];
        if (!first) throw new Error(`no address for ${hostname}`);
        for (const { address } of all) check(address);
        if (options.all) done(null, all);
        else done(null, first.address, first.family);
      })
      .catch((error: unknown) => done(error as NodeJS.ErrnoException, []));
  };
}
