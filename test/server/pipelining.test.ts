import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { handleSequentially } from '../../server/http/pipelining.ts';

let server: Server;
let socket: Socket;
let received: string;
/** Requests that were run, in order. */
let run: { path: string; response: ServerResponse }[];

beforeEach(async () => {
  [run, received] = [[], ''];
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    run.push({ path: request.url ?? '', response });
  };
  server = createServer(handleSequentially(handle));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
});
afterEach(async () => {
  socket.destroy();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: docent.test\r\n\r\n`;
const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i += 1) await new Promise(setImmediate);
};

it('handles the next request of a connection after the previous reply is sent', async () => {
  socket.write(get('/1') + get('/2') + get('/3'));
  for (const count of [1, 2, 3]) {
    await expect.poll(() => run.length).toBe(count);
    await turns();
    expect(run).toHaveLength(count);
    run.at(-1)!.response.end(`reply ${count}`);
  }
  await expect.poll(() => received.match(/reply \d/g)).toEqual(['reply 1', 'reply 2', 'reply 3']);
});

it('handles requests of another connection concurrently', async () => {
  const other = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(get('/1'));
  other.write(get('/2'));
  await expect.poll(() => run.map(({ path }) => path).toSorted()).toEqual(['/1', '/2']);
  other.destroy();
});

it('handles no further request of a closed connection', async () => {
  socket.write(get('/1') + get('/2'));
  await expect.poll(() => run.length).toBe(1);
  const closed = new Promise((done) => run[0]!.response.once('close', done));
  socket.destroy();
  await closed;
  await turns();
  expect(run).toHaveLength(1);
});

it('closes a connection with more than 32 waiting requests and handles none of them', async () => {
  const closed = new Promise((done) => socket.once('close', done));
  socket.write(get('/').repeat(33));
  await expect.poll(() => run.length).toBe(1);
  await turns();
  expect(socket.destroyed).toBe(false);
  socket.write(get('/').repeat(1000));
  await closed;
  expect(run).toHaveLength(1);
});
