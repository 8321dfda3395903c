import { readFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { parse } from 'yaml';

// The least that holding a file of conversations takes: read it, and send each question to a server that only echoes it.
const { conversations } = parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const server = createServer((asked, reply) => asked.pipe(reply)).listen(0, '127.0.0.1');
await new Promise((done) => server.once('listening', done));
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const ask = (/** @type {string} */ query) =>
  new Promise((done, fail) => {
    const sent = request({ port, agent, method: 'POST', headers: { 'content-type': 'application/json' } }, (reply) => {
      let text = '';
      reply.setEncoding('utf8');
      reply.on('data', (piece) => (text += piece));
      reply.on('end', () => done(JSON.parse(text)));
    });
    sent.once('error', fail);
    sent.end(JSON.stringify({ query }));
  });
const turns = conversations.flatMap((/** @type {{turns: {ask: string}[]}} */ one) => one.turns);
await Promise.all(turns.map((/** @type {{ask: string}} */ turn) => ask(turn.ask)));
process.exit(0);
