import { connect as connectSocket, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { connect, type Address, type ConnectionOptions } from './connection.ts';

/** Milliseconds that a database has to accept a connection and answer on it. */
const ANSWER_MS = 3000;

/** An error of the network, with the code that Node has for it. */
const lost = (code: string): Error => Object.assign(new Error('the connection to the database is lost'), { code });

/**
 * The connections of a pool. The driver waits for a reply for as long as the system keeps a connection that nothing comes from any
 * more, which takes minutes.
 */
export class Network {
  readonly #options: ConnectionOptions;
  readonly #sockets = new Set<Socket>();
  #turn = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** For the driver. */
  readonly open = ({ host, port, path }: Address): Socket => {
    for (const one of this.#sockets) if (one.destroyed) this.#sockets.delete(one);
    const turn = this.#turn++ % host.length;
    const to = path ? { path } : { host: host[turn]!, port: port[turn]! };
    const socket = connectSocket(to);
    // The driver connects again without a pause, and for ever, where a connection is closed before a word was said on it.
    socket.once('end', () => socket.bytesRead === 0 && socket.destroy(lost('ECONNRESET')));
    this.#sockets.add(socket);
    // The driver looks for the name of the certificate there.
    return Object.assign(socket, to);
  };

  /** Ends every connection: what waits for a reply on one fails. */
  breakOff(): void {
    for (const socket of this.#sockets) {
      // Under TLS nobody listens, and an error would end the process.
      if (socket.listenerCount('error') > 0) socket.destroy(lost('ECONNRESET'));
      else socket.destroy();
    }
    this.#sockets.clear();
  }

  /** Asks the database for a sign of life on a connection of its own: those of the pool may be busy. Rejects where there is none. */
  async probe(): Promise<void> {
    const own = new Network(this.#options);
    const sql = connect({ ...this.#options, max: 1, open: own.open });
    const over = new AbortController();
    const silence = wait(ANSWER_MS, undefined, { signal: over.signal, ref: false })
      // A process that was busy for so long has not read the answer yet.
      .then(() => nextTurn())
      .then(() => Promise.reject(lost('ETIMEDOUT')));
    try {
      await Promise.race([sql`select 1`, silence]);
    } finally {
      over.abort();
      silence.catch(() => {});
      void sql.end({ timeout: 0 }).catch(() => {});
      own.breakOff();
    }
  }
}
