import { Agent, request, type Dispatcher } from 'undici';
import { ACCEPT_ENCODING, readBody } from './body.ts';
import { asWebFailure, WebFailure } from './failure.ts';
import { createGate, guardedConnector, type GuardRules } from './guard.ts';

/** The only way out to an address that a user, a page or a model named. */
export interface Web {
  /** One page by GET, redirects followed. Rejects with a `WebFailure` and nothing else. */
  get(url: string, options: GetOptions): Promise<Page>;
  /** Cuts what is under way. */
  close(): Promise<void>;
}

export interface GetOptions {
  /** Media types the caller can read, such as `text/html`; anything else is a `content type` failure. */
  accept: string[];
  signal?: AbortSignal;
}

export interface Page {
  /** Where the page was in the end, after redirects. */
  url: string;
  /** Lower case, without parameters. */
  mediaType: string;
  /** As the header names it, if it does. */
  charset: string | undefined;
  /** Decoded from gzip or br, not from its charset. */
  body: Buffer;
}

export interface WebOptions extends GuardRules {
  /** Milliseconds for the whole of a `get`, redirects and body included; 15,000 by default. */
  deadline?: number;
  /** Bytes of a decoded body; 10 MB by default. */
  limit?: number;
}

const USER_AGENT = 'DocentBot/0.1';
const REDIRECTS = 5;

export function createWeb(options: WebOptions): Web {
  const { deadline = 15_000, limit = 10 * 1024 * 1024 } = options;
  const gate = createGate(options);
  const guarded = new Agent({ connect: guardedConnector(options), connections: 4 });
  const direct = new Agent({ connections: 4 });
  const { self } = options;

  /** One request and its body, or where it leads. */
  async function step(url: URL, accept: string[], signal: AbortSignal): Promise<Page | URL> {
    const headers = { 'user-agent': USER_AGENT, 'accept-encoding': ACCEPT_ENCODING, accept: accept.join(', ') };
    const way = gate(url);
    const path = url.pathname + url.search;
    const reply =
      way === 'self'
        ? await request(`http://${authority(self!.connect)}${path}`, {
            dispatcher: direct,
            headers: { ...headers, host: url.host },
            signal,
          })
        : await request(`${url.origin}${path}`, { dispatcher: guarded, headers, signal });
    try {
      return redirectOf(reply, url) ?? (await pageOf(reply, url, accept, limit));
    } finally {
      // A body that was not read to its end must not keep its connection, nor throw when it is cut.
      reply.body.on('error', () => {}).destroy();
    }
  }

  return {
    async get(address, { accept, signal }) {
      const clock = new AbortController();
      const timer = setTimeout(() => clock.abort(new Error(`no answer within ${deadline} ms`)), deadline);
      const leave = () => clock.abort(signal?.reason);
      signal?.addEventListener('abort', leave, { once: true });
      try {
        signal?.throwIfAborted();
        let url = parse(address);
        for (let hop = 0; hop <= REDIRECTS; hop++) {
          const result = await step(url, accept, clock.signal);
          if (!(result instanceof URL)) return result;
          url = result;
        }
        throw new WebFailure('download', `more than ${REDIRECTS} redirects`);
      } catch (error) {
        throw asWebFailure(error);
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      }
    },
    async close() {
      await Promise.all([guarded.destroy(), direct.destroy()]);
    },
  };
}

const authority = ({ host, port }: { host: string; port: number }): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

function parse(address: string, base?: URL): URL {
  try {
    const url = new URL(address, base);
    url.hash = '';
    return url;
  } catch {
    throw new WebFailure('download', 'not an address');
  }
}

function redirectOf(reply: Dispatcher.ResponseData, url: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(reply.statusCode)) return undefined;
  return parse(headerOf(reply, 'location'), url);
}

async function pageOf(reply: Dispatcher.ResponseData, url: URL, accept: string[], limit: number): Promise<Page> {
  const { statusCode } = reply;
  if (statusCode === 404 || statusCode === 410) throw new WebFailure('not found', String(statusCode));
  if (statusCode !== 200) throw new WebFailure('download', `status ${statusCode}`);
  const [type = '', ...parameters] = headerOf(reply, 'content-type').split(';');
  const mediaType = type.trim().toLowerCase();
  if (!accept.includes(mediaType)) throw new WebFailure('content type', mediaType || 'none');
  if (Number(headerOf(reply, 'content-length')) > limit) throw new WebFailure('download', `larger than ${limit} bytes`);
  const body = await readBody(reply.body, headerOf(reply, 'content-encoding'), limit);
  return { url: url.href, mediaType, charset: charsetOf(parameters), body };
}

function charsetOf(parameters: string[]): string | undefined {
  const found = parameters.map((one) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i.exec(one)?.[1]).find(Boolean);
  return found?.toLowerCase();
}

function headerOf(reply: Dispatcher.ResponseData, name: string): string {
  const value = reply.headers[name];
  return Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
}
