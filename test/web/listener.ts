import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real site on loopback that counts the connections it got. */
export async function listen(handler: RequestListener, host = '127.0.0.1') {
  let connections = 0;
  const server = createServer(handler);
  server.on('connection', () => connections++);
  await new Promise<void>((ready) => server.listen(0, host, ready));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    connections: () => connections,
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
