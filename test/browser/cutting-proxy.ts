import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A TCP proxy that cuts a connection on request. */
export interface CuttingProxy {
  base: string;
  /** The next answer is cut in the middle of what follows its first piece of text. */
  cutNext(): void;
  cuts(): number;
  close(): Promise<void>;
}

export async function startCuttingProxy(port: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let armed = false;
  let cuts = 0;

  function join(visitor: Socket): void {
    const server = connect(port, '127.0.0.1');
    const end = (): void => void (visitor.destroy(), server.destroy());
    for (const socket of [visitor, server]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => sockets.delete(socket));
    }
    visitor.on('close', end).pipe(server);
    server.on('end', () => visitor.end());
    server.on('data', (piece: Buffer) => {
      const place = armed ? placeToCut(piece) : -1;
      if (place < 0) return void visitor.write(piece);
      armed = false;
      cuts += 1;
      visitor.write(piece.subarray(0, place), end);
    });
  }

  const proxy = createServer(join).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    base: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cutNext: () => (armed = true),
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

/** Just behind the first `delta` event, within the next event where that has come in the same piece. */
function placeToCut(piece: Buffer): number {
  const delta = piece.indexOf('event: delta');
  const after = delta < 0 ? -1 : piece.indexOf('\n\n', delta);
  return after < 0 ? -1 : Math.min(after + 12, piece.length);
}
