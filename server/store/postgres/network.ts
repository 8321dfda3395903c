import { connect as connectSocket, Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { connect, type Address, type ConnectionOptions } from './connection.ts';

/** Seconds between two attempts to connect, and while none is made: then what waits for one is to fail soon. */
const [PAUSE, REFUSED_PAUSE] = [0.25, 0.02];

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
  #isRefusing = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** For the driver, whose own pause grows to 20 s. */
  readonly backoff = (): number => (this.#isRefusing ? REFUSED_PAUSE : PAUSE);

  /** For the driver. */
  readonly open = ({ host, port, path }: Address): Socket => {
    if (this.#isRefusing) return refusedSocket();
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

  /** Ends every connection, and refuses new ones until `accept`: what waits for a reply, or for a connection, fails. */
  refuse(): void {
    this.#isRefusing = true;
    for (const socket of this.#sockets) {
      // Under TLS nobody listens, and an error would end the process.
      if (socket.listenerCount('error') > 0) socket.destroy(lost('ECONNRESET'));
      else socket.destroy();
    }
    this.#sockets.clear();
  }

  accept(): void {
    this.#isRefusing = false;
  }

  /**
   * Asks the database for a sign of life on a connection of its own: those of the pool may be busy. Rejects where there is none for
   * `patience` ms.
   */
  async probe(patience: number): Promise<void> {
    const own = new Network(this.#options);
    const sql = connect({ ...this.#options, max: 1, network: own });
    const over = new AbortController();
    const silence = wait(patience, undefined, { signal: over.signal, ref: false })
      // A process that was busy for so long has not read the answer yet.
      .then(() => nextTurn())
      .then(() => Promise.reject(lost('ETIMEDOUT')));
    try {
      await Promise.race([sql`select 1`, silence]);
    } finally {
      over.abort();
      silence.catch(() => {});
      // Not before the driver has taken leave: under TLS that would be a write on a closed file, whose error nobody hears.
      const leaving = sql.end({ timeout: 0 }).catch(() => {});
      void leaving.then(() => own.refuse());
    }
  }
}

/**
 * Fails as the driver writes to it, or soon after where it does not. Before that, the driver would wait for ever for the write that it
 * has put off: on the next connection in place of this one it would send nothing.
 */
function refusedSocket(): Socket {
  const socket = new Socket();
  const refuse = (): boolean => {
    socket.destroy(lost('ECONNREFUSED'));
    return true;
  };
  socket.write = refuse;
  setImmediate(() => setImmediate(refuse));
  return socket;
}
