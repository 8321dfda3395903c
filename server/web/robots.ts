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
export interface Rules {
  /** Throws a `robots` failure where the page is disallowed. */
  check(url: URL): void;
  /** Crawl-delay in milliseconds. */
  gap: number;
  /** Addresses of sitemaps. */
  sitemaps: string[];
}

export interface RobotsOptions {
  exchange: Exchange;
  clock: Clock;
  /** Milliseconds for a robots.txt, redirects included. */
  deadline: number;
}

interface Kept {
  rules: Promise<Rules>;
  since: number;
  until: number;
}

const KEPT = 60 * 60_000;
/** Milliseconds for which a robots.txt with status 5xx or 429 is not requested again. */
const KEPT_OUT_OF_ORDER = 60_000;
/** Milliseconds after which a cached refusal is checked again: a site's owner who has just allowed us tries at once. */
const REFUSING = 5_000;
const MAX_ORIGINS = 1000;
/** Bytes: what RFC 9309 asks for at least. */
const LONGEST = 500 * 1024;
const REDIRECTS = 5;
const LONGEST_GAP = 10_000;
/** Characters of all rules times characters of the address: the parser's worst case, which it does without a pause. */
const MOST_COMPARED = 2e7;
/** A site with more rules for us is not fetched. */
const MOST_RULES = 5000;
/** Lines read between two turns of the event loop. */
const TURN = 500;
const SITEMAPS = 50;

/** The rules of each origin, kept for an hour; of a thousand origins at most. */
export class Robots {
  readonly #options: RobotsOptions;
  readonly #kept = new LRUCache<string, Kept>({ max: MAX_ORIGINS });

  constructor(options: RobotsOptions) {
    this.#options = options;
  }

  /** Resolves with the crawl delay; rejects where the page is disallowed, or the site cannot be reached. */
  async gap(url: URL): Promise<number> {
    const kept = this.#of(url.origin);
    const rules = await kept.rules;
    try {
      rules.check(url);
      return rules.gap;
    } catch (refusal) {
      if (this.#options.clock() - kept.since < REFUSING || kept.until - kept.since < KEPT) throw refusal;
      this.#kept.delete(url.origin);
      const again = await this.#of(url.origin).rules;
      again.check(url);
      return again.gap;
    }
  }

  /** Rejects where the site cannot be reached. */
  async sitemaps(url: URL): Promise<string[]> {
    return (await this.#of(url.origin).rules).sitemaps;
  }

  #of(origin: string): Kept {
    const now = this.#options.clock();
    const known = this.#kept.get(origin);
    if (known && now < known.until) return known;
    const kept: Kept = { rules: Promise.resolve(FREE), since: now, until: now + KEPT };
    kept.rules = this.#load(origin, kept);
    kept.rules.catch(() => this.#kept.delete(origin));
    this.#kept.set(origin, kept);
    return kept;
  }

  async #load(origin: string, kept: Kept): Promise<Rules> {
    const { exchange, deadline } = this.#options;
    const signal = AbortSignal.timeout(deadline);
    const read = (reply: Reply) => this.#read(reply, origin, kept);
    try {
      let url = new URL('/robots.txt', origin);
      for (let hop = 0; hop <= REDIRECTS; hop++) {
        const result = await exchange.ask(url, { accept: 'text/plain, */*;q=0.5' }, signal, read);
        if (!(result instanceof URL)) return result;
        url = result;
      }
      return FREE;
    } catch (error) {
      throw asWebFailure(error);
    }
  }

  async #read(reply: Reply, origin: string, kept: Kept): Promise<Rules> {
    const { statusCode } = reply;
    if (statusCode >= 500 || statusCode === 429) {
      kept.until = kept.since + KEPT_OUT_OF_ORDER;
      return outOfOrder(statusCode);
    }
    if (statusCode >= 300) return FREE;
    const body = await readStart(reply.body, headerOf(reply, 'content-encoding'), LONGEST);
    return rulesOf(origin, new TextDecoder().decode(body));
  }
}

const FREE: Rules = { check() {}, gap: 0, sitemaps: [] };

const TOO_MANY: Rules = {
  check() {
    throw new WebFailure('robots', `robots.txt has more than ${MOST_RULES} rules`);
  },
  gap: 0,
  sitemaps: [],
};

const outOfOrder = (status: number): Rules => ({
  check() {
    throw new WebFailure('robots', `robots.txt answers ${status}`, undefined, true);
  },
  gap: 0,
  sitemaps: [],
});

async function rulesOf(origin: string, text: string): Promise<Rules> {
  const lines = await oursOf(text);
  if (lines.length > MOST_RULES) return TOO_MANY;
  const ours = lines.join('\n');
  const robots = robotsParser(`${origin}/robots.txt`, ours);
  return {
    check({ pathname, search }) {
      const path = unescaped(pathname + search);
      if (ours.length * path.length > MOST_COMPARED) throw new WebFailure('robots', 'too long to compare');
      if (!robots.isAllowed(origin + path, ROBOT)) throw new WebFailure('robots', 'disallowed by robots.txt');
    },
    gap: Math.min(LONGEST_GAP, Math.max(0, (robots.getCrawlDelay(ROBOT) ?? 0) * 1000)),
    sitemaps: [...text.matchAll(/^[ \t]*sitemap[ \t]*:[ \t]*([^\s#]+)/gim)].slice(0, SITEMAPS).map((line) => line[1]!),
  };
}

/**
 * The lines for us, at most one more than `MOST_RULES`. The parser gives every rule to every agent named above
 * it: a file of many names and many rules would fill the memory, so that other agents are left out.
 */
async function oursOf(text: string): Promise<string[]> {
  const lines: string[] = [];
  let names = new Set<string>();
  let naming = false;
  let read = 0;
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    if (++read % TURN === 0) await setImmediate();
    if (lines.length > MOST_RULES) break;
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
