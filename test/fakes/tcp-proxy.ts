import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A network between a client and a server on 127.0.0.1, which a test can cut. */
export interface TcpProxy {
  port: number;
  /** Breaks off every connection, and refuses new ones until `mend`. */
  cut(): void;
  /** Breaks off every connection, and each new one once it has passed on so many bytes of the server's, until `mend`. */
  breakOffAfter(bytes: number): void;
  /** Loses what the server replies from now on, until `mend`; it still has what clients send. */
  loseReplies(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let losesReplies = false;
  let limit = Infinity;
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
    let passed = 0;
    far.on('data', (chunk: Buffer) => {
      if (losesReplies) return;
      const rest = limit - passed;
      passed += chunk.length;
      if (chunk.length < rest) return void near.write(chunk);
      // Sent, and then broken off.
      near.write(chunk.subarray(0, rest), () => near.destroy());
    });
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
    breakOffAfter(bytes) {
      limit = bytes;
      breakOff();
    },
    loseReplies() {
      losesReplies = true;
    },
    mend() {
      isCut = losesReplies = false;
      limit = Infinity;
    },
    async close() {
      breakOff();
      await new Promise((done) => server.close(done));
    },
  };
}
