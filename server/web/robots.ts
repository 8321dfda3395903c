import { LRUCache } from 'lru-cache';
import { setImmediate } from 'node:timers/promises';
import robotsParser from 'robots-parser';
import type { Clock } from '../schema/ids.ts';
import { readStart } from './body.ts';
import { headerOf, type Exchange, type Reply } from './exchange.ts';
import { asWebFailure, WebFailure } from './errors.ts';

/** Our user agent name in a robots.txt. */
export const ROBOT = 'DocentBot';

/** The rules of a robots.txt for us, by RFC 9309. */
interface Rules {
  /** Throws a `robots` failure where the page is disallowed. */
  check(url: URL): void;
  /** Crawl-delay in milliseconds. */
  gap: number;
  /** Addresses of sitemaps. */
  sitemaps: string[];
}

interface RobotsOptions {
  exchange: Exchange;
  clock: Clock;
  /** Milliseconds for a robots.txt, redirects included. */
  deadline: number;
}

interface CachedRules {
  rules: Promise<Rules>;
  since: number;
  until: number;
}

/** Milliseconds for which a robots.txt is cached. */
const CACHE_MS = 60 * 60_000;
/** Milliseconds for which a robots.txt with status 5xx or 429 is not requested again. */
const ERROR_CACHE_MS = 60_000;
/** Milliseconds after which a cached refusal is checked again, so that an owner who has just changed robots.txt need not wait. */
const REFUSAL_CACHE_MS = 5_000;
const MAX_CACHED_ORIGINS = 1000;
/** Bytes that are read: the least that RFC 9309 requires. */
const MAX_FILE_BYTES = 500 * 1024;
const MAX_ROBOTS_REDIRECTS = 5;
const MAX_GAP_MS = 10_000;
/** Characters of all rules times characters of the address: the parser's worst case, which blocks the event loop. */
const MAX_COMPARISONS = 2e7;
/** A site with more rules for us is not fetched. */
const MAX_RULES = 5000;
/** Lines parsed before other work gets its turn in the event loop. */
const LINES_PER_TURN = 500;
const MAX_SITEMAPS = 50;

/** Caches the rules of each origin for an hour; of at most 1000 origins. */
export class Robots {
  readonly #options: RobotsOptions;
  readonly #cache = new LRUCache<string, CachedRules>({ max: MAX_CACHED_ORIGINS });

  constructor(options: RobotsOptions) {
    this.#options = options;
  }

  /** Resolves with the crawl delay; rejects where the page is disallowed, or the site cannot be reached. */
  async gap(url: URL): Promise<number> {
    const entry = this.#cached(url.origin);
    const rules = await entry.rules;
    try {
      rules.check(url);
      return rules.gap;
    } catch (refusal) {
      if (this.#options.clock() - entry.since < REFUSAL_CACHE_MS || entry.until - entry.since < CACHE_MS) throw refusal;
      this.#cache.delete(url.origin);
      const again = await this.#cached(url.origin).rules;
      again.check(url);
      return again.gap;
    }
  }

  /** Rejects where the site cannot be reached. */
  async sitemaps(url: URL): Promise<string[]> {
    return (await this.#cached(url.origin).rules).sitemaps;
  }

  #cached(origin: string): CachedRules {
    const now = this.#options.clock();
    const known = this.#cache.get(origin);
    if (known && now < known.until) return known;
    const entry: CachedRules = { rules: Promise.resolve(ALLOW_ALL), since: now, until: now + CACHE_MS };
    entry.rules = this.#load(origin, entry);
    entry.rules.catch(() => this.#cache.delete(origin));
    this.#cache.set(origin, entry);
    return entry;
  }

  async #load(origin: string, entry: CachedRules): Promise<Rules> {
    const { exchange, deadline } = this.#options;
    const signal = AbortSignal.timeout(deadline);
    const read = (reply: Reply) => this.#read(reply, origin, entry);
    try {
      let url = new URL('/robots.txt', origin);
      for (let hop = 0; hop <= MAX_ROBOTS_REDIRECTS; hop++) {
        const result = await exchange.ask(url, { accept: 'text/plain, */*;q=0.5' }, signal, read);
        if (!(result instanceof URL)) return result;
        url = result;
      }
      return ALLOW_ALL;
    } catch (error) {
      throw asWebFailure(error);
    }
  }

  async #read(reply: Reply, origin: string, entry: CachedRules): Promise<Rules> {
    const { statusCode } = reply;
    if (statusCode >= 500 || statusCode === 429) {
      entry.until = entry.since + ERROR_CACHE_MS;
      return unavailable(statusCode);
    }
    if (statusCode >= 300) return ALLOW_ALL;
    const body = await readStart(reply.body, headerOf(reply, 'content-encoding'), MAX_FILE_BYTES);
    return rulesOf(origin, new TextDecoder().decode(body));
  }
}

const ALLOW_ALL: Rules = { check() {}, gap: 0, sitemaps: [] };

const TOO_MANY_RULES: Rules = {
  check() {
    throw new WebFailure('robots', `robots.txt has more than ${MAX_RULES} rules`);
  },
  gap: 0,
  sitemaps: [],
};

const unavailable = (status: number): Rules => ({
  check() {
    throw new WebFailure('robots', `robots.txt answers ${status}`, undefined, true);
  },
  gap: 0,
  sitemaps: [],
});

async function rulesOf(origin: string, text: string): Promise<Rules> {
  const lines = await linesForUs(text);
  if (lines.length > MAX_RULES) return TOO_MANY_RULES;
  const ourLines = lines.join('\n');
  const robots = robotsParser(`${origin}/robots.txt`, ourLines);
  return {
    check({ pathname, search }) {
      const path = unescaped(pathname + search);
      if (ourLines.length * path.length > MAX_COMPARISONS) throw new WebFailure('robots', 'too long to compare');
      if (!robots.isAllowed(origin + path, ROBOT)) throw new WebFailure('robots', 'disallowed by robots.txt');
    },
    gap: Math.min(MAX_GAP_MS, Math.max(0, (robots.getCrawlDelay(ROBOT) ?? 0) * 1000)),
    sitemaps: [...text.matchAll(/^[ \t]*sitemap[ \t]*:[ \t]*([^\s#]+)/gim)]
      .slice(0, MAX_SITEMAPS)
      .map((line) => line[1]!),
  };
}

/**
 * The lines for us, at most one more than `MAX_RULES`. The parser gives every rule to every agent named above
 * it: a file of many names and many rules would exhaust memory, so other agents are left out.
 */
async function linesForUs(text: string): Promise<string[]> {
  const lines: string[] = [];
  let names = new Set<string>();
  let naming = false;
  let read = 0;
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    if (++read % LINES_PER_TURN === 0) await setImmediate();
    if (lines.length > MAX_RULES) break;
    const [, key = '', value = ''] = /^\s*([\w-]+)\s*:([^#]*)/.exec(line) ?? [];
    if (/^user-?agent$/i.test(key)) {
      if (!naming) names = new Set();
      naming = true;
      const name = nameOf(value.trim());
      if (name && !names.has(name)) lines.push(`user-agent: ${name}`);
      if (name) names.add(name);
    } else if (/^(?:dis)?allow$/i.test(key)) {
      naming = false;
      if (names.size > 0) lines.push(`${key}: ${unescaped(value.trim())}`);
    } else if (/^crawl-?delay$/i.test(key) && names.size > 0) lines.push(`crawl-delay: ${value.trim()}`);
  }
  return lines;
}

/** Our name, or `*`; undefined for other agents. */
function nameOf(value: string): string | undefined {
  if (value.startsWith('*')) return '*';
  return /^[a-z_-]*/i.exec(value)![0].toLowerCase() === ROBOT.toLowerCase() ? ROBOT : undefined;
}

/** Unescapes letters, digits and `-._~`, since `%7E` and `~` are the same address. */
const unescaped = (path: string): string =>
  path.replace(/%([0-9a-f]{2})/gi, (escape, digits: string) => {
    const character = String.fromCharCode(parseInt(digits, 16));
    return /[\w.~-]/.test(character) ? character : escape;
  });
