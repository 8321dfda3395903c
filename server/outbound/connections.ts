import { buildConnector, Client, type Dispatcher } from 'undici';

interface Timeouts {
  /** Milliseconds, all three. */
  connect: number;
  firstByte: number;
  betweenChunks: number;
}

/**
 * A visitor waits for the first two before quotes stand in for the model. Five seconds leave room for two lost packets
 * of a handshake; proxies and clients commonly give up on a silent reply after 30, and a model that has to be loaded
 * from disk first seldom takes 20. In the middle of an answer nothing stands in.
 */
export const TIMEOUTS: Timeouts = { connect: 5_000, firstByte: 20_000, betweenChunks: 30_000 };

/**
 * Kept-alive connections to one server, as many as there are requests at a time. undici's own Pool looks through all its
 * connections for a free one and keeps what a busy hour opened for ever; here both cost nothing.
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

  /** A connection of the caller's own, until it gives it back or drops it. The one used last comes first. */
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
    // The server's end of an idle connection; one in use tells its request.
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
