import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { Client } from '../../server/control/client.ts';
import { connectToSocket } from '../../server/control/socket.ts';
import { API_KEY, start, type Running } from '../running.ts';
import { OWN, send, signIn } from './requests.ts';

/** Who may reach the console, and what it is made of. */

const started = async (env: NodeJS.ProcessEnv, dir?: string): Promise<Running> => {
  const docent = await start(env, undefined, dir);
  onTestFinished(() => docent.stop());
  return docent;
};

describe('CONSOLE=0', () => {
  it('leaves out every path, and takes no cookie', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'docent-console-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const before = await start({ DATA_DIR: dataDir });
    const cookie = await signIn(before.base, { key: API_KEY });
    await before.stop();
    const { base } = await started({ DATA_DIR: dataDir, CONSOLE: '0' });
    const paths = ['/console', '/console/', '/console/session', '/console/sessions', '/console/agents'];
    for (const path of paths) expect((await send(base, 'GET', path, { ...OWN, cookie })).status).toBe(404);
    expect((await send(base, 'POST', '/console/session', OWN, { key: API_KEY })).status).toBe(404);
    const api = await send(base, 'GET', '/api/v1/chatbots', { ...OWN, cookie });
    expect(api).toMatchObject({ status: 401, body: { error: expect.stringContaining('an API key is required') } });
    const linking = new Client(connectToSocket(dataDir)).addLoginLink();
    await expect(linking).rejects.toThrow('CONSOLE=0 leaves the console out');
  });
});

describe('CONSOLE_ALLOW', () => {
  const allow = '10.0.0.0/8, 2001:db8::/32 ,192.0.2.7';
  const inside = ['10.1.2.3', '192.0.2.7', '2001:db8:1::1', '::ffff:10.9.9.9', '10.1.2.3:555', '[2001:db8::2]:99'];
  const outside = ['11.0.0.1', '192.0.2.8', '2001:db9::1', '::ffff:11.0.0.1', 'fe80::1%eth0', '::1'];
  let docent: Running;
  beforeAll(async () => {
    docent = await start({ CONSOLE_ALLOW: allow, TRUST_PROXY_HOPS: '1' });
  });
  afterAll(() => docent.stop());
  const from = (address: string) => ({ ...OWN, 'x-forwarded-for': address });

  it.each(inside)('lets %s sign in and use the cookie', async (address) => {
    const cookie = await signIn(docent.base, { key: API_KEY }, from(address));
    for (const path of ['/console/session', '/api/v1/chatbots'])
      expect((await send(docent.base, 'GET', path, { ...from(address), cookie })).status).toBe(200);
  });

  it.each(outside)('lets %s neither', async (address) => {
    const cookie = await signIn(docent.base, { key: API_KEY }, from('10.0.0.1'));
    const asked = { ...from(address), cookie };
    for (const path of ['/console', '/console/', '/console/session', '/console/sessions'])
      expect((await send(docent.base, 'GET', path, asked)).status).toBe(404);
    expect((await send(docent.base, 'POST', '/console/session', asked, { key: API_KEY })).status).toBe(404);
    expect((await send(docent.base, 'GET', '/api/v1/chatbots', asked)).status).toBe(401);
    const authorization = `Bearer ${API_KEY}`;
    expect((await send(docent.base, 'GET', '/api/v1/chatbots', { ...asked, authorization })).status).toBe(200);
  });

  it('believes no header without a proxy that is trusted', async () => {
    const { base } = await started({ CONSOLE_ALLOW: '10.0.0.0/8' });
    expect((await send(base, 'POST', '/console/session', from('10.0.0.1'), { key: API_KEY })).status).toBe(404);
    const { base: local } = await started({ CONSOLE_ALLOW: '127.0.0.0/8' });
    expect(await signIn(local, { key: API_KEY }, from('11.0.0.1'))).toMatch(/^docent=/);
  });

  it.each(['10.0.0.0/33', 'example.com', '10.0.0.0/8,', '2001:db8::/129', '10.0.0', '10.0.0.0/8;::1', '10.0.0.0/-1'])(
    'is refused as %j',
    (value) => {
      expect(() => readConfig({ CONSOLE_ALLOW: value })).toThrow(/^CONSOLE_ALLOW must be addresses and networks/);
    },
  );

  it('is all addresses where it is empty, and CONSOLE is 0 or 1', () => {
    expect(readConfig({ CONSOLE_ALLOW: '' })).toMatchObject({ console: true, consoleAllow: undefined });
    expect(() => readConfig({ CONSOLE: 'no' })).toThrow('CONSOLE must be 0 or 1');
  });
});

describe('the page', () => {
  const html = '<!doctype html><title>Console</title>';
  const script = `console.log(${JSON.stringify('x'.repeat(500))})`;
  let dir: string;
  let docent: Running;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-page-'));
    await mkdir(join(dir, 'assets'));
    await writeFile(join(dir, 'index.html'), html);
    await writeFile(join(dir, 'assets', 'index-Ab3dEf_9.js'), script);
    await writeFile(join(dir, 'assets', 'index-Ab3dEf_9.js.br'), brotliCompressSync(script));
    await writeFile(join(dir, 'assets', 'index-Ab3dEf_9.js.gz'), gzipSync(script));
    await writeFile(join(dir, 'assets', 'index-Ab3dEf_9.js.map'), '{}');
    await writeFile(join(dir, 'assets', 'style-Zz3dEf_9.css'), 'a{}');
    await writeFile(join(dir, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    docent = await start({}, undefined, dir);
  });
  afterAll(async () => {
    await docent.stop();
    await rm(dir, { recursive: true, force: true });
  });
  const get = (path: string, headers = {}) => send(docent.base, 'GET', path, headers);

  it.each(['/console/', '/console/agents', '/console/conversations/a%2Fb?q=1', '/console/index.html'])(
    'is at %s, for anybody, by a strict policy',
    async (path) => {
      const reply = await get(path);
      expect(reply).toMatchObject({ status: 200, text: html });
      expect(reply.headers).toMatchObject({
        'cache-control': 'no-cache',
        'content-type': 'text/html; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(String(reply.headers['content-security-policy']).split(';')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]);
      expect(reply.headers['set-cookie']).toBeUndefined();
      expect(reply.headers['access-control-allow-origin']).toBeUndefined();
    },
  );

  it('is where /console leads, below any path of a proxy', async () => {
    const reply = await get('/console');
    expect(reply).toMatchObject({ status: 308, headers: { location: 'console/' } });
    expect(await (await fetch(`${docent.base}/console`)).text()).toBe(html);
  });

  it('has files of hashed names, compressed and immutable, and others that are asked for anew', async () => {
    const path = '/console/assets/index-Ab3dEf_9.js';
    const plain = await get(path);
    expect(plain).toMatchObject({ status: 200, text: script });
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect((await get(path, { 'accept-encoding': 'br, gzip' })).headers['content-encoding']).toBe('br');
    expect((await get(path, { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip');
    expect((await get('/console/assets/style-Zz3dEf_9.css')).headers['content-type']).toBe('text/css; charset=utf-8');
    expect((await get('/console/icon.svg')).headers['cache-control']).toBe('no-cache');
    const { etag } = (await get('/console/')).headers;
    expect((await get('/console/', { 'if-none-match': etag })).status).toBe(304);
  });

  it.each([
    '/console/../package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/assets/../../package.json',
    '/console/assets/index-Ab3dEf_9.js.map',
    '/console/assets/index-Ab3dEf_9.js.br',
    '/console/missing.js',
    '/console/assets/',
    '/console//etc/passwd',
    '/consoles',
    '/Console/',
  ])('sends no file of the disk at %s', async (path) => {
    const reply = await get(path);
    if (reply.status === 200) expect(reply.text).toBe(html);
    else expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const isScreen = path.startsWith('/console/') && !path.includes('.');
    expect(reply.status).toBe(isScreen ? 200 : 404);
  });

  it('has the preview of the widget in a sandbox that only the console frames', async () => {
    const reply = await get('/console/preview');
    expect(reply).toMatchObject({ status: 200, headers: { 'cache-control': 'no-cache' } });
    const scripts = Array.from(String(reply.text).matchAll(/<script>([^]*?)<\/script>/g), ([, text]) => text!);
    const [hash] = scripts.map((text) => createHash('sha256').update(text).digest('base64'));
    expect(scripts).toHaveLength(1);
    expect(String(reply.headers['content-security-policy']).split(';')).toEqual([
      "default-src 'none'",
      // WebKit takes 'self' for nothing in a sandboxed frame.
      `script-src 'self' ${docent.base} 'sha256-${hash}'`,
      expect.stringMatching(/^style-src 'sha256-[\w+/=]+'$/),
      'img-src data: https:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
      'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox',
    ]);
  });

  it('leaves a Host header with other characters out of the policy of the preview', async () => {
    for (const host of ["a;script-src'", 'a,b']) {
      const reply = await send(docent.base, 'GET', '/console/preview', { host });
      if (reply.status === 200)
        expect(String(reply.headers['content-security-policy'])).toMatch(/;script-src 'self' 'sha256-[\w+/=]+';/);
      else expect(reply.status, host).toBe(400);
    }
  });

  it('takes no other method', async () => {
    for (const path of ['/console', '/console/', '/console/preview', '/console/agents', '/console/icon.svg'])
      expect((await send(docent.base, 'POST', path, OWN, {})).status).toBe(405);
  });

  it('is a 404 where it is not built, while sign-ins work', async () => {
    const { base } = await started({}, join(dir, 'missing'));
    for (const path of ['/console', '/console/', '/console/agents', '/console/preview'])
      expect((await send(base, 'GET', path)).status).toBe(404);
    expect(await signIn(base, { key: API_KEY })).toMatch(/^docent=/);
  });
});
