import { orAbort } from '../async/abort.ts';
import type { Clock } from '../schema/ids.ts';
import { createExchange, headerOf, parseAddress, type Reply } from './exchange.ts';
import { asWebFailure, WebFailure } from './errors.ts';
import type { GuardRules } from './guard.ts';
import { Politeness } from './politeness.ts';
import { retryAfterSeconds } from '../outbound/retry-after.ts';
import { checkTag, pageOf, type Page } from './page.ts';
import { Robots, ROBOT } from './robots.ts';

/** HTTP requests to addresses from users, pages and models. No other module may request these. */
export interface Web {
  /**
   * Gets a page and follows redirects, as the site's robots.txt allows. Rejects with a `WebFailure` and nothing else.
   * Waits for Crawl-delay and Retry-After, up to 30 s at a time.
   */
  get(url: string, options: GetOptions): Promise<Page>;
  /** As `get`, by a conditional request; undefined where the site replies 304. */
  getChanged(url: string, known: Known, options: GetOptions): Promise<Page | undefined>;
  /** The sitemaps that the robots.txt of the site names. Rejects with a `WebFailure`. */
  sitemaps(url: string): Promise<string[]>;
  /** Aborts requests under way. */
  close(): Promise<void>;
}

export interface GetOptions {
  /** Media types the caller can read, such as `text/html`; anything else is a `content type` failure. */
  accept: string[];
  /** Whether a redirect may be followed; where not, it is an `off site` failure, and that site is not requested. */
  within?: ((url: URL) => boolean) | undefined;
  /** Longest Retry-After in milliseconds that is waited for; with a longer one the page fails. 30,000 by default. */
  patience?: number | undefined;
  signal?: AbortSignal;
}

/** What a conditional request needs of an earlier `Page`. */
export type Known = Pick<Page, 'url' | 'etag' | 'lastModified'>;

export interface WebOptions extends GuardRules {
  /** Milliseconds for the requests of a `get`, redirects and bodies included; 15,000 by default. */
  deadline?: number;
  /** Bytes of a decoded body; 10 MB by default. */
  limit?: number;
  /** Address in the User-Agent at which a site's owner can read about the crawler. */
  about?: string | undefined;
  clock?: Clock;
}

const MAX_REDIRECTS = 5;
const MAX_RETRIES = 2;

export function createWeb(options: WebOptions): Web {
  const { deadline = 15_000, limit = 10 * 1024 * 1024, clock = Date.now } = options;
  const exchange = createExchange(options, agentOf(options.about));
  const robots = new Robots({ exchange, clock, deadline: Math.min(deadline, 10_000) });
  const politeness = new Politeness(clock);

  /** Resolves when the page may be requested. */
  async function admit(url: URL, signal: AbortSignal, patience: number | undefined): Promise<void> {
    if (exchange.way(url) === 'self') return;
    const gap = await orAbort(robots.gap(url), signal);
    await politeness.turn(url.origin, gap, signal, patience);
  }

  /** Undefined for 304, `RetryLater` for 429 and 503 with Retry-After, else the page. */
  async function read(reply: Reply, url: URL, accept: string[]): Promise<Page | RetryLater | undefined> {
    const { statusCode } = reply;
    if (statusCode === 304) {
      checkTag(reply);
      return undefined;
    }
    const busy = statusCode === 429 || statusCode === 503;
    const seconds = busy ? retryAfterSeconds(headerOf(reply, 'retry-after'), clock()) : undefined;
    return seconds === undefined ? pageOf(reply, url, accept, limit) : new RetryLater(seconds * 1000);
  }

  async function follow(address: string, known: Known | undefined, options: GetOptions) {
    const { accept, within: mayLead, patience, signal = NEVER_ABORTED } = options;
    let url = parseAddress(address);
    let left = deadline;
    let retries = 0;
    for (let hops = 0; hops <= MAX_REDIRECTS;) {
      await admit(url, signal, patience);
      const began = performance.now();
      const headers = { accept: accept.join(', '), ...(known?.url === url.href ? conditions(known) : {}) };
      const at = url;
      const result = await withDeadline(left, signal, (cut) =>
        exchange.ask(at, headers, cut, (reply) => read(reply, at, accept)),
      );
      left -= performance.now() - began;
      if (result instanceof URL) {
        if (mayLead && !mayLead(result)) throw new WebFailure('off site', 'redirected elsewhere');
        url = result;
        hops++;
      } else if (result instanceof RetryLater) {
        politeness.hold(url.origin, result.wait);
        if (++retries > MAX_RETRIES) throw new WebFailure('download', 'asked to come back once too often');
      } else return result;
    }
    throw new WebFailure('download', `more than ${MAX_REDIRECTS} redirects`);
  }

  const sitemapsOf = async (url: URL) => (exchange.way(url) === 'self' ? [] : robots.sitemaps(url));

  const withWebFailure = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw asWebFailure(error);
    }
  };

  return {
    async get(url, getOptions) {
      const page = await withWebFailure(follow(url, undefined, getOptions));
      if (!page) throw new WebFailure('download', 'status 304, to a request that named no state');
      return page;
    },
    getChanged: (url, known, getOptions) => withWebFailure(follow(url, known, getOptions)),
    sitemaps: (url) => withWebFailure(sitemapsOf(parseAddress(url))),
    close: () => exchange.close(),
  };
}

/** A reply with Retry-After; `wait` in milliseconds. */
class RetryLater {
  readonly wait: number;

  constructor(wait: number) {
    this.wait = wait;
  }
}

const NEVER_ABORTED = new AbortController().signal;

const agentOf = (about: string | undefined): string =>
  `${ROBOT}/0.1 (${about ? `+${about}` : 'Docent, a chatbot that learns the pages its owner names; obeys robots.txt'})`;

const conditions = ({ etag, lastModified }: Known): Record<string, string> => ({
  ...(etag ? { 'if-none-match': etag } : {}),
  ...(lastModified ? { 'if-modified-since': lastModified } : {}),
});

/** Runs `work` with a signal that is aborted after `ms`, or with the caller's. */
async function withDeadline<T>(ms: number, caller: AbortSignal, work: (cut: AbortSignal) => Promise<T>): Promise<T> {
  const own = new AbortController();
  const timer = setTimeout(() => own.abort(new Error('no answer in time')), ms);
  const leave = () => own.abort(caller.reason);
  caller.addEventListener('abort', leave, { once: true });
  try {
    caller.throwIfAborted();
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    caller.removeEventListener('abort', leave);
  }
}
