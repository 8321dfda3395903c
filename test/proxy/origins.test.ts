import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { start, type Running } from '../running.ts';

const SHOP = 'https://shop.example';
const LIST = [
  SHOP,
  'https://*.shop.example',
  'http://localhost:5173',
  'https://*.Partner.example:8443',
  'http://[::1]',
];

let docent: Running;
let chatbot: string;
beforeAll(async () => void (docent = await start()));
afterAll(() => docent.stop());
beforeEach(async () => {
  chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Shop', visibility: 'public' })).body.uuid;
  await keepTo(LIST);
});

const keepTo = (allowed_origins: string[]) => docent.api('POST', `/chatbot/${chatbot}/widget`, { allowed_origins });

const from = (origin: string | undefined, path = '', method = 'GET', more: Record<string, string> = {}) =>
  fetch(`${docent.base}/chat/${chatbot}${path}`, {
    method,
    headers: { ...(origin === undefined ? {} : { Origin: origin }), ...more },
  });

const preflight = (origin: string | undefined, path = '/ask') =>
  from(origin, path, 'OPTIONS', {
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'content-type',
  });

const allowHeaders = ({ headers }: Response): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

const UUID = 'a'.repeat(32);
const ROUTES = [
  ['GET', ''],
  ['HEAD', ''],
  ['POST', '/session'],
  ['POST', '/ask'],
  ['GET', `/session/${UUID}/messages`],
  ['POST', `/session/${UUID}/delete`],
  ['GET', `/session/${UUID}/message/${UUID}/stream`],
  ['POST', `/session/${UUID}/message/${UUID}/stop`],
  ['POST', `/session/${UUID}/message/${UUID}/feedback`],
] as const;

describe('with a list of origins', () => {
  it.each(ROUTES)(
    'a page of another site is refused at %s %s, before anything else is looked at, and can read that it is',
    async (method, path) => {
      const reply = await from('https://evil.example', path, method);
      expect(reply.status).toBe(403);
      expect(reply.headers.get('vary')).toMatch(/\bOrigin\b/);
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      if (method === 'HEAD') return;
      expect(await reply.json()).toEqual({
        error: expect.stringMatching(/may not be asked/),
        code: 'forbidden_origin',
      });
    },
  );

  it.each(ROUTES)('a listed page passes at %s %s, and the reply is for it alone', async (method, path) => {
    const reply = await from(SHOP, path, method);
    expect(reply.status).not.toBe(403);
    expect(reply.headers.get('access-control-allow-origin')).toBe(SHOP);
    expect(reply.headers.get('vary')).toMatch(/\bOrigin\b/);
  });

  it.each(ROUTES)(
    'a preflight passes for every origin at %s %s; the request itself is checked',
    async (_method, path) => {
      for (const origin of ['https://evil.example', SHOP]) {
        const passed = await preflight(origin, path);
        expect(passed.status).toBe(204);
        expect(passed.headers.get('access-control-allow-origin')).toBe('*');
        expect(passed.headers.get('access-control-allow-headers')).toMatch(/Content-Type/i);
      }
    },
  );

  it.each([
    'https://SHOP.example',
    'https://shop.example:443',
    'https://www.shop.example',
    'https://a.b.shop.example',
    'http://localhost:5173',
    'https://x.partner.example:8443',
    'http://[::1]:80',
  ])('%s is allowed', async (origin) => {
    expect((await from(origin)).status).toBe(200);
  });

  it.each([
    undefined,
    'null',
    'http://shop.example',
    'https://shop.example:8443',
    'https://shop.example.evil.example',
    'https://evilshop.example',
    'https://.shop.example',
    'https://evil.example/.shop.example',
    'https://evil.example?.shop.example',
    'https://evil.example#.shop.example',
    'https://evil.example\\.shop.example',
    'https://a@x.shop.example',
    'https://shop.example, https://evil.example',
    'https://*.shop.example',
    'https://shop.example/',
    'http://localhost',
    'http://localhost:51730',
    'https://partner.example:8443',
    'https://x.partner.example',
    'file://',
    'chrome-extension://abcdefgh',
    'shop.example',
  ])('%s is refused', async (origin) => {
    expect((await from(origin)).status).toBe(403);
  });

  it('a sandboxed frame passes where "null" is listed', async () => {
    await keepTo([SHOP, 'null']);
    expect((await from('null')).headers.get('access-control-allow-origin')).toBe('null');
    expect((await from(undefined)).status).toBe(403);
  });

  it('pages of this server pass, whether or not the browser sends their origin', async () => {
    const own = { 'Sec-Fetch-Site': 'same-origin' };
    expect((await from(undefined, '', 'GET', own)).status).toBe(200);
    const reply = await from(docent.base, '/session', 'POST', own);
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, null]);
    for (const site of ['same-site', 'cross-site', 'none', 'same-origin, same-origin'])
      expect((await from(undefined, '', 'GET', { 'Sec-Fetch-Site': site })).status).toBe(403);
  });

  it('is found under every spelling of the identifier', async () => {
    const written = chatbot.replace(/^(.{8})(.{4})/, '$1-$2-').toUpperCase();
    const encoded = `%${chatbot.charCodeAt(0).toString(16)}${chatbot.slice(1)}`;
    for (const uuid of [written, encoded]) {
      const init = { headers: { Origin: 'https://evil.example' } };
      expect((await fetch(`${docent.base}/chat/${uuid}`, init)).status).toBe(403);
    }
  });

  it('does not show that a private chatbot has a list', async () => {
    const paths = ['', '/session'];
    const told = async (origin: string): Promise<unknown[]> => {
      const replies = await Promise.all(paths.flatMap((path) => [from(origin, path), preflight(origin, path)]));
      return Promise.all(replies.map(async (one) => [one.status, allowHeaders(one), await one.text()]));
    };
    await docent.api('POST', `/chatbot/${chatbot}/update`, { visibility: 'private' });
    const hidden = await told('https://evil.example');
    await docent.api('DELETE', `/chatbot/${chatbot}/delete`);
    expect(hidden).toEqual(await told('https://evil.example'));
  });
});

describe('without a list', () => {
  it('every page may ask, and one that names no origin', async () => {
    await keepTo([]);
    for (const origin of ['https://evil.example', 'null', undefined]) {
      const reply = await from(origin);
      expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBe('*');
    }
  });
});

it('a changed list applies from the next request on', async () => {
  expect((await from('https://new.example')).status).toBe(403);
  await keepTo(['https://new.example']);
  expect((await from('https://new.example')).status).toBe(200);
  expect((await from(SHOP)).status).toBe(403);
});
