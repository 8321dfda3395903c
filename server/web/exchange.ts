import { Agent, request, type Dispatcher } from 'undici';
import { ACCEPT_ENCODING } from './body.ts';
import { WebFailure } from './errors.ts';
import { createGate, guardedConnector, type GuardRules, type Way } from './guard.ts';

export type Reply = Dispatcher.ResponseData;

/** One request at a time, through the guard. */
export interface Exchange {
  /** Throws a `blocked address` failure. */
  way(url: URL): Way;
  /** Where the reply leads, or what `read` makes of it. A body that `read` leaves is cut. */
  ask<T>(url: URL, headers: Record<string, string>, signal: AbortSignal, read: Read<T>): Promise<T | URL>;
  close(): Promise<void>;
}

type Read<T> = (reply: Reply) => T | Promise<T>;

/** No more at once of one site, whichever ways lead there. */
const PER_ORIGIN = 2;
const FEW = 16 * 1024;

export function createExchange(rules: GuardRules, agent: string): Exchange {
  const way = createGate(rules);
  const guarded = new Agent({ connect: guardedConnector(rules), connections: PER_ORIGIN });
  const direct = new Agent({ connections: 4 });

  function send(url: URL, more: Record<string, string>, signal: AbortSignal): Promise<Reply> {
    const headers = { 'user-agent': agent, 'accept-encoding': ACCEPT_ENCODING, ...more };
    const path = url.pathname + url.search;
    if (way(url) === 'guarded') return request(url.origin + path, { dispatcher: guarded, headers, signal });
    const to = `http://${authority(rules.self!.connect)}${path}`;
    return request(to, { dispatcher: direct, headers: { ...headers, host: url.host }, signal });
  }

  return {
    way,
    async ask(url, headers, signal, read) {
      const reply = await send(url, headers, signal);
      try {
        const result = redirectOf(reply, url) ?? (await read(reply));
        // Few bytes read to their end leave a connection that serves the next request.
        if (!reply.body.readableEnded) await reply.body.dump({ limit: FEW, signal });
        return result;
      } finally {
        // A body that was not read to its end must not keep its connection, nor throw when it is cut.
        reply.body.on('error', () => {}).destroy();
      }
    },
    async close() {
      await Promise.all([guarded.destroy(), direct.destroy()]);
    },
  };
}

const authority = ({ host, port }: { host: string; port: number }): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

function redirectOf(reply: Reply, url: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(reply.statusCode)) return undefined;
  return parseAddress(headerOf(reply, 'location'), url);
}

export function parseAddress(address: string, base?: URL): URL {
  try {
    const url = new URL(address, base);
    url.hash = '';
    return url;
  } catch {
    throw new WebFailure('download', 'not an address');
  }
}

/** The first of that name, '' where there is none. */
export const headerOf = (reply: Reply, name: string): string => headersOf(reply, name)[0] ?? '';

export const headersOf = (reply: Reply, name: string): string[] => [reply.headers[name] ?? []].flat();
