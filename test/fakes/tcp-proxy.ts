import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A network between a client and a server on 127.0.0.1, which a test can cut. */
export interface TcpProxy {
  port: number;
  /** Breaks off every connection, and refuses new ones until `mend`. */
  cut(): void;
  /** Loses what the server replies from now on, until `mend`; it still has what clients send. */
  loseReplies(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let losesReplies = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (chunk) => void (losesReplies || near.write(chunk)));
  });
  const breakOff = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      breakOff();
    },
    loseReplies() {
      losesReplies = true;
    },
    mend() {
      isCut = losesReplies = false;
    },
    async close() {
      breakOff();
      await new Promise((done) => server.close(done));
    },
  };
}
