import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A load balancer over HTTP as nginx is one: servers in turn, over connections that are kept alive; the next one where a connection
 * fails, but for a POST that has been sent, which gets 502. A stream that breaks off breaks off here.
 */
export interface Balancer {
  /** Requests below `/n` are those of visitor `n`, in an address of its own. */
  base: string;
  close(): Promise<void>;
}

export async function startBalancer(ports: number[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    for (let tries = 0; tries < ports.length; tries++) {
      const port = ports[(turn = (turn + 1) % ports.length)]!;
      const result = await forward(incoming, body, port, response);
      if (result === 'replied') return;
      if (result === 'lost' && incoming.method === 'POST') break;
    }
    response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
  }

  /** `unsent`: the server took no connection; `lost`: the connection failed later, before a reply. */
  function forward(
    incoming: IncomingMessage,
    body: Buffer,
    port: number,
    response: ServerResponse,
  ): Promise<'replied' | 'unsent' | 'lost'> {
    const [, visitor, path] = /^\/(\d+)(.*)/.exec(incoming.url!)!;
    const headers = {
      ...incoming.headers,
      'x-forwarded-for': `10.0.${Number(visitor) >> 8}.${Number(visitor) & 255}`,
      connection: 'keep-alive',
    };
    return new Promise((resolve) => {
      const outgoing = request({ agent, host: '127.0.0.1', port, method: incoming.method, path, headers });
      outgoing.on('response', (reply) => {
        const { connection: _, 'transfer-encoding': __, 'keep-alive': ___, ...fields } = reply.headers;
        response.writeHead(reply.statusCode!, fields);
        reply.on('error', () => response.destroy());
        reply.pipe(response);
        resolve('replied');
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code === 'ECONNREFUSED' ? 'unsent' : 'lost');
      });
      response.on('close', () => outgoing.destroy());
      outgoing.end(body);
    });
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', 1024, done));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
