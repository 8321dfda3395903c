import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChatServer, type ChatServer } from './fixture.ts';

const PANEL = `export const panel = ${JSON.stringify('a'.repeat(500))};`;
const VERSION = createHash('sha256').update(PANEL).digest('hex').slice(0, 8);

let docent: ChatServer;
let dist: string;

beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'docent-dist-'));
  await mkdir(join(dist, 'embed', 'folder'), { recursive: true });
  await mkdir(join(dist, 'server'));
  await Promise.all([
    writeFile(join(dist, 'embed.js'), 'launcher();'),
    writeFile(join(dist, 'embed', 'panel.js'), PANEL),
    writeFile(join(dist, 'embed', 'panel.js.br'), brotliCompressSync(PANEL)),
    writeFile(join(dist, 'embed', 'panel.js.gz'), gzipSync(PANEL)),
    writeFile(join(dist, 'embed', 'de-Ab3_x9-Q.js'), 'export {};'),
    writeFile(join(dist, 'embed', 'a-language.js'), 'export {};'),
    writeFile(join(dist, 'embed', 'style.css'), ':host {}'),
    writeFile(join(dist, 'embed', 'folder', 'inner.js'), 'secret'),
    writeFile(join(dist, 'server', 'main.js'), 'secret'),
  ]);
  docent = await startChatServer({ dist });
});
afterAll(async () => {
  await docent.stop();
  await rm(dist, { recursive: true });
});

const LONG = 'public, max-age=31536000, immutable';

/** By hand: `fetch` decodes what it gets and tidies paths. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: docent.port, path, headers, method }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject).end();
  });
}

const kept = async (path: string) => (await get(path)).headers['cache-control'];

describe('the widget’s files', () => {
  it('are served to pages of any origin, with their types', async () => {
    const [launcher, panel, style] = await Promise.all([
      get('/embed.js'),
      get('/embed/panel.js'),
      get('/embed/style.css'),
    ]);
    expect(launcher.body.toString()).toBe('launcher();');
    expect(panel.body.toString()).toBe(PANEL);
    expect([launcher, panel, style].map(({ headers }) => headers['content-type'])).toEqual([
      'text/javascript; charset=utf-8',
      'text/javascript; charset=utf-8',
      'text/css; charset=utf-8',
    ]);
    for (const { headers } of [launcher, panel, style]) {
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        vary: 'Accept-Encoding',
      });
    }
  });

  it.each([
    ['br, gzip', 'br', brotliCompressSync(PANEL)],
    ['gzip', 'gzip', gzipSync(PANEL)],
    ['gzip;q=1, br;q=0', 'gzip', gzipSync(PANEL)],
    ['identity', undefined, Buffer.from(PANEL)],
    ['zstd', undefined, Buffer.from(PANEL)],
  ])('for Accept-Encoding %s come as %s', async (accepted, encoding, bytes) => {
    const reply = await get('/embed/panel.js', { 'Accept-Encoding': accepted });
    expect(reply.headers['content-encoding']).toBe(encoding);
    expect(reply.headers['content-length']).toBe(String(bytes.length));
    expect(reply.body.equals(bytes)).toBe(true);
  });

  it('are cached for a year where the name has a hash, and else revalidated', async () => {
    expect(await kept(`/embed/panel.js?v=${VERSION}`)).toBe(LONG);
    expect(await kept('/embed/de-Ab3_x9-Q.js')).toBe(LONG);
    expect(await kept('/embed/panel.js?v=00000000')).toBe('no-cache');
    expect(await kept('/embed/panel.js')).toBe('no-cache');
    expect(await kept('/embed/a-language.js')).toBe('no-cache');
    expect(await kept('/embed.js')).toBe('no-cache');
  });

  it('are 304 for a matching ETag', async () => {
    const first = await get('/embed/panel.js', { 'Accept-Encoding': 'br' });
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^"[^"]+"$/);
    const again = await get('/embed/panel.js', { 'Accept-Encoding': 'br', 'If-None-Match': etag });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
    expect(again.headers['access-control-allow-origin']).toBe('*');
    expect((await get('/embed/panel.js', { 'Accept-Encoding': 'gzip', 'If-None-Match': etag })).status).toBe(200);
  });

  it('answer HEAD, and no other method', async () => {
    const head = await get('/embed/panel.js', {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, String(PANEL.length), 0]);
    const posted = await get('/embed/panel.js', {}, 'POST');
    expect([posted.status, posted.headers.allow]).toEqual([405, 'HEAD, GET']);
  });

  it.each([
    '/embed/',
    '/embed',
    '/embed/panel.js.br',
    '/embed/folder/inner.js',
    '/embed/../server/main.js',
    '/embed/..%2fserver%2fmain.js',
    '/embed/%2e%2e/server/main.js',
    '/embed//panel.js',
    '/server/main.js',
  ])('are all there is: %s is not found', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});
