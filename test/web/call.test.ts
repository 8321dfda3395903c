import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createCaller, type Call } from '../../server/web/call.ts';
import { listen } from './listener.ts';

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
});

async function toolServer(handler: RequestListener, { timeout = 5000, allowed = true } = {}) {
  const site = await listen(handler);
  const caller = createCaller({ allow: allowed ? [`127.0.0.1:${site.port}`] : [], timeout });
  closing.push(site.close, () => caller.close());
  const call = (more: Partial<Call> = {}, path = '/', signal = new AbortController().signal) =>
    caller.call({ url: new URL(path, site.origin), method: 'GET', headers: {}, ...more }, signal);
  return { site, call };
}

const json = { 'content-type': 'application/json' };

describe('a call', () => {
  it('sends method, headers and body, and no cookie that an earlier reply set', async () => {
    const seen: unknown[] = [];
    const { call } = await toolServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        const { cookie, authorization } = request.headers;
        seen.push([request.method, request.url, request.headers['x-key'], body, cookie, authorization]);
        response.writeHead(200, { ...json, 'set-cookie': 'a=b' }).end('{"ok":true}');
      });
    });
    const sent = {
      method: 'PUT',
      headers: { 'x-key': 'k', 'content-type': 'application/json' },
      body: '{"a":1}',
    } as const;
    expect(await call(sent, '/orders?x=1')).toEqual({ status: 200, text: '{"ok":true}', isPage: false });
    expect(await call({ method: 'DELETE' }, '/orders')).toEqual({ status: 200, text: '{"ok":true}', isPage: false });
    expect(seen).toEqual([
      ['PUT', '/orders?x=1', 'k', '{"a":1}', undefined, undefined],
      ['DELETE', '/orders', undefined, '', undefined, undefined],
    ]);
  });

  it('does not send headers that belong to the connection', async () => {
    let seen: object = {};
    const { call, site } = await toolServer((request, response) => {
      seen = request.headers;
      response.end('ok');
    });
    const headers = {
      host: 'inside',
      'transfer-encoding': 'chunked',
      'content-length': '7',
      expect: 'x',
      upgrade: 'h2',
    };
    expect(await call({ headers: { ...headers, 'proxy-authorization': 'x' } })).toEqual({
      status: 200,
      text: 'ok',
      isPage: false,
    });
    expect(Object.keys(seen).toSorted()).toEqual(['accept-encoding', 'connection', 'host', 'user-agent']);
    expect(seen).toMatchObject({ host: `127.0.0.1:${site.port}` });
  });

  it('is decoded, and gives the text of other statuses too', async () => {
    const { call } = await toolServer((request, response) => {
      const status = Number(request.url!.slice(1));
      response.writeHead(status, { 'content-type': 'text/plain; charset=iso-8859-1', 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.from('caf\xe9', 'latin1')));
    });
    expect(await call({}, '/200')).toEqual({ status: 200, text: 'café', isPage: false });
    expect(await call({}, '/404')).toEqual({ status: 404, text: 'café', isPage: false });
  });

  it.each<[string, RequestListener]>([
    ['timeout', () => {}],
    ['timeout', (_, response) => void response.writeHead(200, json).write('{')],
    ['redirect', (_, response) => void response.writeHead(302, { location: 'http://elsewhere.test/' }).end()],
    ['redirect', (_, response) => void response.writeHead(307, { location: '/other' }).end()],
    ['too_large', (_, response) => void response.writeHead(200, json).end('x'.repeat(256 * 1024 + 1))],
    [
      'too_large',
      (_, response) =>
        void response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1_000_000))),
    ],
    ['content_type', (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('x')],
    ['unreachable', (request) => void request.socket.destroy()],
    ['unreachable', (request) => void request.socket.end('HTTP/1.1 200 OK\r\nbad header\r\n\r\n')],
  ])('fails with %s (%#)', async (reason, handler) => {
    const { call } = await toolServer(handler, { timeout: 300 });
    await expect(call({ headers: { authorization: 'secret' } })).rejects.toMatchObject({ reason });
  });

  it('may have 256 KB', async () => {
    const { call } = await toolServer((_, response) => void response.writeHead(200, json).end('x'.repeat(256 * 1024)));
    expect((await call()).text).toHaveLength(256 * 1024);
  });

  it('is blocked where the address is private, before any connection', async () => {
    const { call, site } = await toolServer((_, response) => void response.end('x'), { allowed: false });
    await expect(call()).rejects.toMatchObject({ reason: 'blocked' });
    expect(site.connections()).toBe(0);
  });

  it('ends when its caller ends it', async () => {
    const leaving = new AbortController();
    const { call } = await toolServer(() => leaving.abort());
    await expect(call({}, '/', leaving.signal)).rejects.toThrow();
    await expect(call({}, '/', leaving.signal)).rejects.toThrow();
  });
});

it('is told to be refused before it is made, by what its name resolves to', async () => {
  const zone: Record<string, string> = { 'shop.example': '93.184.215.14', 'db.internal': '10.0.0.5' };
  const lookup = async (name: string) => {
    if (!zone[name]) throw new Error('ENOTFOUND');
    return [{ address: zone[name], family: 4 }];
  };
  const caller = createCaller({ allow: ['db.internal:8443'], lookup });
  closing.push(() => caller.close());
  const isBlocked = (address: string) => caller.isBlocked(new URL(address));
  for (const open of ['https://shop.example/', 'https://db.internal:8443/', 'https://nobody.example/'])
    expect([open, await isBlocked(open)]).toEqual([open, false]);
  for (const shut of ['https://db.internal/', 'http://10.0.0.5/', 'http://[::1]/', 'http://2130706433/'])
    expect([shut, await isBlocked(shut)]).toEqual([shut, true]);
});
