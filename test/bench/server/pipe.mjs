import { Agent, createServer, request } from 'node:http';

/** Baseline: forwards each POST to the model server over keep-alive connections and pipes the body back. */
const upstream = new URL(process.argv[2] ?? '');
const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity });

const server = createServer((incoming, response) => {
  const { hostname, port, pathname } = upstream;
  const headers = { 'content-type': 'application/json' };
  const outgoing = request({ agent, hostname, port, path: pathname, method: 'POST', headers }, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 8192 }, () => {
  const address = server.address();
  if (address && typeof address === 'object')
    process.stdout.write(`${JSON.stringify({ port: address.port })}
`);
});
