import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Client } from '../../server/control/client.ts';
import { connectToSocket } from '../../server/control/socket.ts';
import { runCommand } from '../../server/cli/run.ts';
import { API_KEY, start, type Running } from '../running.ts';

/** HTTP over DATA_DIR/docent.sock, by which commands reach the server. */

const ROUTES: [method: string, path: string, body?: object][] = [
  ['GET', '/control/server'],
  ['GET', '/control/users'],
  ['POST', '/control/user/add', { email: 'eve@example.com' }],
  ['POST', '/control/user/remove', { email: 'ann@example.com', with_chatbots: true }],
  ['GET', '/control/keys'],
  ['POST', '/control/key/add', { email: 'owner@localhost', name: 'stolen' }],
  ['POST', '/control/keys/revoke', { keys: ['laptop'] }],
  ['GET', '/control/chatbots'],
  ['POST', `/control/chatbot/${'0'.repeat(32)}/ask`, { query: 'hi' }],
  ['GET', `/control/job/${'0'.repeat(32)}`],
  ['POST', `/control/job/${'0'.repeat(32)}/stop`],
];

describe('the socket of a server', () => {
  let running: Running;
  beforeAll(async () => void (running = await start()));
  afterAll(() => running.stop());

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const socketPath = join(running.dataDir, 'docent.sock');
    const sending = request({ socketPath, method, path, headers });
    // A body that is too large is refused before it is sent whole.
    sending.on('error', () => {});
    sending.end(typeof body === 'string' ? body : body && JSON.stringify(body));
    const [reply] = (await once(sending, 'response')) as [IncomingMessage];
    return { status: reply.statusCode, body: JSON.parse(await text(reply)) };
  }

  it('serves the API without a key, as the owner or as the user in the header', async () => {
    expect((await call('POST', '/control/user/add', { email: 'ann@example.com' })).status).toBe(200);
    expect(await call('GET', '/api/v1/user')).toEqual({ status: 200, body: { data: { email: 'owner@localhost' } } });
    const asAnn = await call('GET', '/api/v1/user', undefined, { Authorization: 'User ann@example.com' });
    expect(asAnn.body).toEqual({ data: { email: 'ann@example.com' } });
    expect((await call('POST', '/control/user/add', { email: 'ann@例え.jp' })).status).toBe(200);
    const named = `User ${encodeURIComponent('ann@例え.jp')}`;
    const asOther = await call('GET', '/api/v1/user', undefined, { Authorization: named });
    expect(asOther.body).toEqual({ data: { email: 'ann@例え.jp' } });
    const asUnreadable = await call('GET', '/api/v1/user', undefined, { Authorization: 'User %zz' });
    expect(asUnreadable).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    const asNobody = await call('GET', '/api/v1/user', undefined, { Authorization: 'User bob@example.com' });
    expect(asNobody).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it.each(ROUTES)('%s %s is 404 over TCP with any credentials', async (method, path, body) => {
    const before = await Promise.all([call('GET', '/control/users'), call('GET', '/control/keys')]);
    const authorizations = [undefined, `Bearer ${API_KEY}`, 'User owner@localhost'];
    for (const authorization of authorizations) {
      const headers = {
        'Content-Type': 'application/json',
        ...(authorization === undefined ? {} : { Authorization: authorization }),
      };
      const init = { method, headers, ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}) };
      const reply = await fetch(running.base + path, init);
      expect({ status: reply.status, body: await reply.json() }).toMatchObject({
        status: 404,
        body: { error: 'no such page', code: 'not_found' },
      });
    }
    expect(await Promise.all([call('GET', '/control/users'), call('GET', '/control/keys')])).toEqual(before);
    const here = await call(method, path, {});
    expect(here.body).not.toMatchObject({ error: expect.stringContaining('another version') });
  });

  it('refuses a user name in place of a key over TCP', async () => {
    const headers = { Authorization: 'User owner@localhost' };
    expect((await fetch(`${running.base}/api/v1/user`, { headers })).status).toBe(401);
  });

  it.each([
    ['no JSON', 'nonsense', 400, 'bad_json'],
    ['no object', 'null', 422, 'invalid_field'],
    ['an empty object', {}, 422, 'invalid_field'],
    ['a field of another type', { email: {} }, 422, 'invalid_field'],
    ['more than a megabyte', { email: 'x'.repeat(1_100_000) }, 413, 'too_large'],
  ])('refuses a body that is %s with the JSON error', async (_, body, status, code) => {
    expect(await call('POST', '/control/user/add', body)).toEqual({
      status,
      body: expect.objectContaining({ error: expect.any(String), code }),
    });
  });

  it.each([
    ['GET', '/control/nothing'],
    ['DELETE', '/control/users'],
    ['GET', '/'],
  ])('answers %s %s, which is unknown, with the version error', async (method, path) => {
    expect(await call(method, path)).toMatchObject({
      status: 404,
      body: { error: 'the server that runs is of another version' },
    });
  });

  it('frees a command whose client disconnects during a compressed body', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const body = gzipSync(JSON.stringify({ email: 'ann@example.com' }));
    const head = [
      'POST /control/user/add HTTP/1.1',
      'Host: x',
      'Content-Encoding: gzip',
      `Content-Length: ${body.length}`,
    ];
    for (let i = 0; i < 5; i++) {
      const socket = connect(join(running.dataDir, 'docent.sock'));
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      socket.write(body.subarray(0, 15));
      await expect.poll(timers).toBeGreaterThan(before);
      socket.destroy();
      await expect.poll(timers).toBe(before);
    }
  });

  it('answers bytes that are not HTTP with a JSON error and keeps serving', async () => {
    const socket = connect(join(running.dataDir, 'docent.sock'));
    socket.end('{"verb":"users","words":[]}');
    expect(await text(socket)).toMatch(
      /^HTTP\/1\.1 400 [^]*\{"error":"the request is not HTTP","code":"bad_request"\}$/,
    );
    expect((await call('GET', '/control/users')).status).toBe(200);
  });
});

describe('a command', () => {
  let dir: string;
  beforeEach(async () => void (dir = await mkdtemp(join(tmpdir(), 'docent-socket-'))));
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it.each([
    ['a reply that is not HTTP', '{"error":"what?"}'],
    ['a reply that is not JSON', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK'],
  ])('reports %s as a server of another version', async (_, reply) => {
    const other = createServer((socket) => socket.once('data', () => socket.end(reply)));
    await once(other.listen(join(dir, 'docent.sock')), 'listening');
    let err = '';
    const terminal = { out: () => {}, err: (words: string) => void (err += words) };
    expect(await runCommand(['user', 'list'], { DATA_DIR: dir }, terminal)).toBe(1);
    expect(err).toBe('docent: the server that runs is of another version\n');
    other.close();
  });

  it('suggests a restart for a server that does not answer', async () => {
    const other = createServer(() => {});
    await once(other.listen(join(dir, 'docent.sock')), 'listening');
    const client = new Client(connectToSocket(dir, 50));
    await expect(client.users()).rejects.toThrow(
      'the server that runs did not answer in time; if it is of another version, restart it',
    );
    other.close();
  });
});
