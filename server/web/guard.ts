import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { isOwnAddress, isPublicAddress } from './addresses.ts';
import { blocked, WebFailure } from './errors.ts';
import { buildConnector } from '../outbound/undici.ts';

export type Lookup = (hostname: string) => Promise<{ address: string; family: number }[]>;

const resolveAll: Lookup = (hostname) => systemLookup(hostname, { all: true });

/** This server's own addresses, and what it may fetch of itself; that is requested from `connect` directly. */
interface Self {
  /** The origins of PUBLIC_URL and of the listening addresses. */
  origins: string[];
  connect: { host: string; port: number };
  /** Prefixes that may be fetched, such as `/demo/`. */
  paths: string[];
}

export interface GuardRules {
  /** `host:port`, host a name or an IP literal (IPv6 in brackets): exempt from the guard. */
  allow: string[];
  self?: Self | undefined;
  lookup?: Lookup | undefined;
}

/** Whether a request connects through the guard, or to this server itself. */
export type Way = 'guarded' | 'self';

const portOf = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80');
const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** Normalises `host:port` with the URL parser, so that every notation of an address is one entry. */
function allowKey(entry: string): string {
  const url = new URL(`http://${entry.trim()}`);
  return `${withoutBrackets(url.hostname)}:${portOf(url)}`;
}

/**
 * Checks an address before each request, redirects included; throws a `blocked address` failure. What names resolve to is
 * checked by `guardedConnector`, at connection time.
 */
export function createGate(rules: GuardRules): (url: URL) => Way {
  const allowed = new Set(rules.allow.map(allowKey));
  return (url) => {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw blocked(`scheme ${url.protocol}`);
    if (url.username || url.password) throw blocked('credentials in the address');
    if (rules.self?.origins.includes(url.origin)) return ownPath(url, rules.self);
    const host = withoutBrackets(url.hostname);
    const exempt = allowed.has(`${host}:${portOf(url)}`);
    if (isIP(host) && !exempt) assertPublic(host, portOf(url), rules.self);
    return 'guarded';
  };
}

/** Refuses escaped dots, slashes, backslashes and percent signs: no page of ours has them in its path. */
function ownPath(url: URL, self: Self): Way {
  const hasEscapes = /%(?:2e|2f|5c|25|00)|\\|\/\//i.test(url.pathname);
  if (hasEscapes || !self.paths.some((path) => url.pathname.startsWith(path))) throw blocked('a path of this server');
  return 'self';
}

const NOT_PUBLIC = 'the address is not public; whoever runs the server can allow its host:port in FETCH_ALLOW';

function assertPublic(address: string, port: string, self: Self | undefined): void {
  if (!isPublicAddress(address)) throw blocked(address, NOT_PUBLIC);
  if (self && port === String(self.connect.port) && isOwnAddress(address)) throw blocked('this server by its address');
}

/**
 * Connects to checked addresses only: a name is resolved once, here, and each of its addresses must be public. IP literals
 * are checked before, since node does not look them up.
 */
export function guardedConnector(rules: GuardRules): buildConnector.connector {
  const allowed = new Set(rules.allow.map(allowKey));
  const resolve = rules.lookup ?? resolveAll;
  const connect = (lookup: LookupFunction) => buildConnector({ lookup, autoSelectFamily: true, timeout: 10_000 });
  const open = connect(lookupBy(resolve, () => undefined));
  const guarded = new Map<string, buildConnector.connector>();
  const guardedBy = (port: string) => {
    const check = (address: string) => assertPublic(address, port, rules.self);
    const connector = guarded.get(port) ?? connect(lookupBy(resolve, check));
    guarded.set(port, connector);
    return connector;
  };
  return (options, done) => {
    const host = withoutBrackets(options.hostname);
    const port = options.port || (options.protocol === 'https:' ? '443' : '80');
    if (allowed.has(`${host}:${port}`)) return open(options, done);
    try {
      if (isIP(host)) assertPublic(host, port, rules.self);
    } catch (error) {
      return done(error as Error, null);
    }
    guardedBy(port)(options, done);
  };
}

const CHECK_MS = 1000;

/** As both of these, for an address that is not requested now: false where its name does not resolve within `CHECK_MS`. */
export function createBlockCheck(rules: GuardRules): (url: URL) => Promise<boolean> {
  const way = createGate(rules);
  const allowed = new Set(rules.allow.map(allowKey));
  const resolve = rules.lookup ?? resolveAll;
  return async (url) => {
    const host = withoutBrackets(url.hostname);
    try {
      if (way(url) === 'self' || isIP(host) || allowed.has(`${host}:${portOf(url)}`)) return false;
      const found = resolve(host).catch(() => []);
      const late = wait(CHECK_MS, [], { ref: false });
      for (const { address } of await Promise.race([found, late])) assertPublic(address, portOf(url), rules.self);
      return false;
    } catch (error) {
      if (error instanceof WebFailure) return true;
      throw error;
    }
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
