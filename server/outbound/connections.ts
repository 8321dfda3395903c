import type { Dispatcher } from 'undici';
import { buildConnector, Client } from './undici.ts';

interface Timeouts {
  /** Milliseconds, all three. */
  connect: number;
  firstByte: number;
  betweenChunks: number;
}

/**
 * A visitor waits for the first two before the answer falls back to quotes. Five seconds are enough for two lost packets of
 * a handshake; proxies and clients commonly close a silent connection after 30, and loading a model from disk seldom takes
 * 20. There is no fallback in the middle of an answer.
 */
export const TIMEOUTS: Timeouts = { connect: 5_000, firstByte: 20_000, betweenChunks: 30_000 };

/**
 * Kept-alive connections to one server, as many as there are requests at a time. undici's own Pool searches all its
 * connections for a free one, and never closes those of a busy hour.
 */
export class Connections {
  readonly #origin: URL;
  readonly #options: Client.Options;
  readonly #all = new Set<Connection>();
  #idle: Connection[] = [];
  #lost = 0;

  constructor(origin: string, timeouts: Partial<Timeouts> = {}) {
    const { connect, firstByte, betweenChunks } = { ...TIMEOUTS, ...timeouts };
    this.#origin = new URL(origin);
    this.#options = {
      connect: buildConnector({ timeout: connect }),
      headersTimeout: firstByte,
      bodyTimeout: betweenChunks,
      pipelining: 1,
    };
  }

  /** A connection for one caller, until `giveBack` or `drop`. The one used last comes first. */
  take(): Connection {
    for (let found = this.#idle.pop(); found; found = this.#idle.pop()) {
      if (found.lost) continue;
      found.idle = false;
      return found;
    }
    return this.#open();
  }

  giveBack(connection: Connection): void {
    connection.idle = true;
    this.#idle.push(connection);
  }

  drop(connection: Connection): void {
    connection.lost = true;
    this.#all.delete(connection);
    connection.client.destroy(() => {});
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map(({ client }) => client.destroy()));
  }

  #open(): Connection {
    const connection: Connection = { client: new Client(this.#origin, this.#options), idle: false, lost: false };
    this.#all.add(connection);
    // The server closed an idle connection; for one in use the request fails.
    connection.client.on('disconnect', () => {
      if (connection.idle) this.#lose(connection);
    });
    return connection;
  }

  #lose(connection: Connection): void {
    if (connection.lost) return;
    this.drop(connection);
    this.#lost += 1;
    if (this.#lost * 2 < this.#idle.length) return;
    this.#idle = this.#idle.filter(({ lost }) => !lost);
    this.#lost = 0;
  }
}

export interface Connection {
  client: Pick<Client, 'dispatch' | 'destroy' | 'on'> & Dispatcher;
  idle: boolean;
  lost: boolean;
}
