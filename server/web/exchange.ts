import type { Dispatcher } from 'undici';
import { ACCEPT_ENCODING } from './body.ts';
import { WebFailure } from './errors.ts';
import { createGate, guardedConnector, type GuardRules, type Way } from './guard.ts';
import { Agent, request } from '../outbound/undici.ts';

export type Reply = Dispatcher.ResponseData;

/** Sends single requests through the address guard. */
export interface Exchange {
  /** Throws a `blocked address` failure. */
  way(url: URL): Way;
  /** Resolves with the target of a redirect, else with what `read` returns. A body that `read` does not read is closed. */
  ask<T>(url: URL, headers: Record<string, string>, signal: AbortSignal, read: Read<T>, sent?: Sent): Promise<T | URL>;
  close(): Promise<void>;
}

/** GET without a body where it is absent. */
interface Sent {
  method: Dispatcher.HttpMethod;
  body?: string | undefined;
}

type Read<T> = (reply: Reply) => T | Promise<T>;

/** Connections to one origin that is crawled. */
const CONNECTIONS_PER_ORIGIN = 2;
/** Bytes. Of a longer rest of a body the connection is closed: a new one costs less than the rest. */
const MAX_DUMP_BYTES = 16 * 1024;

export function createExchange(rules: GuardRules, agent: string, connections = CONNECTIONS_PER_ORIGIN): Exchange {
  const way = createGate(rules);
  const guarded = new Agent({ connect: guardedConnector(rules), connections });
  const direct = new Agent({ connections: 4 });

  function send(url: URL, more: Record<string, string>, signal: AbortSignal, sent: Sent): Promise<Reply> {
    const headers = { 'user-agent': agent, 'accept-encoding': ACCEPT_ENCODING, ...more };
    const path = url.pathname + url.search;
    if (way(url) === 'guarded') return request(guarded, { ...sent, origin: url.origin, path, headers, signal });
    const origin = `http://${authority(rules.self!.connect)}`;
    return request(direct, { ...sent, origin, path, headers: { ...headers, host: url.host }, signal });
  }

  return {
    way,
    async ask(url, headers, signal, read, sent = { method: 'GET' }) {
      const reply = await send(url, headers, signal, sent);
      try {
        const result = redirectOf(reply, url) ?? (await read(reply));
        // The connection can serve the next request once the body has been read to its end.
        if (!reply.body.readableEnded) await reply.body.dump({ limit: MAX_DUMP_BYTES, signal });
        return result;
      } finally {
        // An unread body would keep its connection, and emits an error when it is destroyed.
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

/** The first header of that name; '' where there is none. */
export const headerOf = (reply: Reply, name: string): string => headersOf(reply, name)[0] ?? '';

export const headersOf = (reply: Reply, name: string): string[] => [reply.headers[name] ?? []].flat();
