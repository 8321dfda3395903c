import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStartupHandler, type StartupHandler } from '../../server/http/starting.ts';

const REFUSED = { error: 'the server is starting; try again soon', code: 'unavailable' };

describe('requests while the server starts', () => {
  let starting: StartupHandler;
  let server: Server;
  let base: string;
  const arrived: unknown[] = [];
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    starting = createStartupHandler(3, 1000);
    arrived.length = 0;
    server = createServer(starting.handle).on('request', (request) => void arrived.push(request));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    vi.useRealTimers();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  async function haveArrived(count: number): Promise<void> {
    while (arrived.length < count) await new Promise(setImmediate);
  }

  /** Resolves when they have arrived, with what answers them. */
  async function ask(count: number): Promise<Promise<Response>[]> {
    const all = arrived.length + count;
    const replies = Array.from({ length: count }, () => fetch(`${base}/healthz`));
    await haveArrived(all);
    return replies;
  }

  const start = (): void => starting.started((_, response) => void response.end('ready'));

  it('wait until the server is ready and are answered', async () => {
    const replies = await ask(3);
    start();
    for (const reply of replies) expect(await (await reply).text()).toBe('ready');
    vi.advanceTimersByTime(1000);
    expect(await (await fetch(base)).text()).toBe('ready');
  });

  it('are refused with 503 where too many wait', async () => {
    const waiting = await ask(3);
    const [refused] = await ask(1);
    const reply = (await refused)!;
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5']);
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
    expect(await reply.json()).toEqual(REFUSED);
    start();
    for (const one of waiting) expect((await one).status).toBe(200);
  });

  it('free their place when the client disconnects', async () => {
    const leaving = new AbortController();
    const gone = once(server, 'request').then(([, response]) => once(response as ServerResponse, 'close'));
    const left = fetch(base, { signal: leaving.signal }).catch(() => 'left');
    await haveArrived(1);
    const waiting = await ask(2);
    leaving.abort();
    await gone;
    waiting.push(...(await ask(1)));
    start();
    for (const reply of waiting) expect((await reply).status).toBe(200);
    expect(await left).toBe('left');
  });

  it('are all refused with 503 after the time limit', async () => {
    const waiting = await ask(2);
    vi.advanceTimersByTime(1000);
    for (const reply of [...waiting, ...(await ask(1))]) expect((await reply).status).toBe(503);
    const preflight = await fetch(base, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://shop.test',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type',
      },
    });
    const allowed = ['origin', 'methods', 'headers'].map((one) => preflight.headers.get(`access-control-allow-${one}`));
    expect([preflight.status, ...allowed]).toEqual([204, '*', 'POST', 'content-type']);
    expect((await fetch(base, { method: 'OPTIONS' })).status).toBe(503);
    start();
    expect((await fetch(base)).status).toBe(200);
  });
});
