import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../../../server/dev/build.mjs';
import { answerParseErrors } from '../../../server/http/parse-errors.ts';
import { startBuiltServer, until, type BuiltServer } from '../../browser/built-server.ts';

/** Requests that Node's own parser refuses, sent to the built server as bytes. */

let server: BuiltServer;
beforeAll(async () => {
  await ensureBuilt();
  server = await startBuiltServer({ DEMO: '0' });
}, 120_000);
afterAll(() => server.stop());

async function answerTo(...pieces: string[]): Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  let said = '';
  socket.on('data', (piece) => (said += String(piece))).on('error', () => {});
  for (const piece of pieces) socket.write(piece);
  await once(socket, 'close');
  return said;
}

function parsed(reply: string): { status: number; headers: Headers; body: unknown } {
  const [head = '', body = ''] = reply.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers(fields.map((field) => field.split(': ') as [string, string]));
  return { status: Number(line.split(' ')[1]), headers, body: JSON.parse(body) };
}

const HOST = 'Host: docent.test\r\n';
const large = { error: expect.stringMatching(/^the request line and the headers/), code: 'headers_too_large' };
const bad = { error: 'the request is not HTTP', code: 'bad_request' };

describe('an unreadable request gets the JSON error, with an id', () => {
  it.each([
    ['a request line of 17 kB', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\n${HOST}\r\n`, 431, large],
    ['headers of 17 kB', `GET / HTTP/1.1\r\n${HOST}X-Long: ${'a'.repeat(17_000)}\r\n\r\n`, 431, large],
    ['headers of 2 MB', `GET / HTTP/1.1\r\n${HOST}${`X-A: ${'a'.repeat(1000)}\r\n`.repeat(2000)}\r\n`, 431, large],
    ['words that are no HTTP', 'hello there\r\n\r\n', 400, bad],
    ['two lengths', `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400, bad],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, { error: 'the request has no Host', code: 'bad_request' }],
    [
      'an expectation',
      `GET /healthz HTTP/1.1\r\n${HOST}Expect: 200-nope\r\n\r\n`,
      400,
      { error: 'the only expectation that is met here is 100-continue', code: 'bad_request' },
    ],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, bad],
  ])('%s', async (_what, bytes, status, body) => {
    const reply = parsed(await answerTo(bytes));
    expect([reply.status, reply.body]).toEqual([status, body]);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
    expect(reply.headers.get('connection')).toBe('close');
  });

  it('to a caller that reads once everything is sent', async () => {
    const socket = connect(server.port, '127.0.0.1')
      .on('error', () => {})
      .pause();
    socket.write(`GET / HTTP/1.1\r\n${HOST}`);
    for (let n = 0; n < 8; n++) {
      socket.write(`X-A: ${'a'.repeat(17_000)}\r\n`);
      await new Promise((done) => setTimeout(done, 20));
    }
    const [reply] = (await once(socket.resume(), 'data')) as [Buffer];
    expect(parsed(String(reply)).status).toBe(431);
    socket.destroy();
  });

  it('also behind a request on the same connection that was answered', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`GET /healthz HTTP/1.1\r\n${HOST}\r\n`);
    await once(socket, 'data');
    await new Promise((done) => setTimeout(done, 50));
    socket.write('nonsense\r\n\r\n');
    const [reply] = (await once(socket, 'data')) as [Buffer];
    expect(parsed(String(reply)).status).toBe(400);
    socket.destroy();
  });

  it('but never in the middle of another reply, which is broken off', async () => {
    const half = createServer((_request, response) => void response.write('half of a reply'));
    answerParseErrors(half, pino({ level: 'silent' }));
    await once(half.listen(0, '127.0.0.1'), 'listening');
    const socket = connect((half.address() as AddressInfo).port, '127.0.0.1');
    let said = '';
    socket.on('error', () => {}).on('data', (piece) => (said += String(piece)));
    socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    await until(async () => said.includes('half of a reply'));
    socket.write('nonsense\r\n\r\n');
    await once(socket, 'close');
    expect(said.match(/HTTP\/1\.1/g)).toHaveLength(1);
    half.close();
  });
});

it('accepts HTTP/1.0 without a Host', async () => {
  expect(await answerTo('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
});

it('accepts 15 kB of headers', async () => {
  const reply = await fetch(`${server.base}/healthz`, { headers: { 'X-Long': 'a'.repeat(15_000) } });
  expect(reply.status).toBe(200);
});
