import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real site on loopback that counts the connections it got; it has a robots.txt only where the handler makes one. */
export async function listen(handler: RequestListener, host = '127.0.0.1', robots = false) {
  let connections = 0;
  const server = createServer((request, response) => {
    if (request.url === '/robots.txt' && !robots) response.writeHead(404).end();
    else handler(request, response);
  });
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
