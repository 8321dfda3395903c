import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, start, type Running } from '../running.ts';
import { OWN, send, signIn } from './requests.ts';

/** What a page of another origin can do with the cookie of somebody who is signed in, by each header that browsers send. */

let docent: Running;
let own: string;
let cookie: string;
let chatbot: string;
beforeAll(async () => {
  docent = await start();
  own = docent.base;
  cookie = await signIn(own, { key: API_KEY });
  chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Mine' })).body.uuid;
});
afterAll(() => docent.stop());

const other = 'https://evil.example';
const name = async (): Promise<string> => (await docent.api('GET', `/chatbot/${chatbot}`)).body.name;
const signIns = async (): Promise<number> =>
  (await send(own, 'GET', '/console/sessions', { ...OWN, cookie })).body.length;

type Headers = Record<string, string>;
const ownPages = (): Headers[] => [
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'same-origin', origin: own },
  { origin: own },
];
const otherPages = (): Headers[] => [
  {},
  { origin: 'null' },
  { origin: other },
  { origin: `${own}.evil.example` },
  { origin: own.replace('http:', 'https:') },
  { origin: own.replace(/\d+$/, '1') },
  { origin: `${own}/` },
  { origin: `${own}, ${other}` },
  { 'sec-fetch-site': 'cross-site', origin: other },
  { 'sec-fetch-site': 'cross-site', origin: own },
  { 'sec-fetch-site': 'same-site', origin: own },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': '' },
  { 'sec-fetch-site': 'Same-Origin' },
  { 'sec-fetch-site': 'same-origin, cross-site' },
  { referer: '' },
];
const refused = { status: 403, body: { code: 'forbidden_origin', error: expect.stringContaining('open the console') } };

describe('a request that changes something, by cookie', () => {
  it('is done for a page of this server', async () => {
    for (const [i, headers] of ownPages().entries()) {
      const path = `/api/v1/chatbot/${chatbot}/update`;
      expect((await send(own, 'POST', path, { ...headers, cookie }, { name: `Own ${i}` })).status).toBe(200);
      expect(await name()).toBe(`Own ${i}`);
    }
  });

  it('is refused for any other, and changes nothing', async () => {
    const [before, count] = [await name(), await signIns()];
    for (const headers of otherPages()) {
      const sent = { ...headers, cookie };
      const ask = async (method: string, path: string, body?: object) =>
        expect({ sent, ...(await send(own, method, path, sent, body)) }).toMatchObject(refused);
      await ask('POST', `/api/v1/chatbot/${chatbot}/update`, { name: 'Taken' });
      await ask('DELETE', `/api/v1/chatbot/${chatbot}/delete`);
      await ask('POST', '/api/v1/chatbot/create', { name: 'Planted' });
      await ask('PUT', '/api/v1/nothing');
      await ask('DELETE', '/console/session');
      await ask('DELETE', `/console/sessions/${'a'.repeat(32)}`);
      // Else somebody could be signed in as another, and would write into the other's account.
      await ask('POST', '/console/session', { key: API_KEY });
    }
    expect([await name(), await signIns()]).toEqual([before, count]);
    expect((await docent.api('GET', '/chatbots')).body).toHaveLength(1);
  });

  it('is refused as a form sends it, whatever its type', async () => {
    const types = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'];
    for (const type of types) {
      const headers = { cookie, origin: other, 'content-type': type };
      const reply = await send(own, 'POST', `/api/v1/chatbot/${chatbot}/update`, headers, '{"name":"Taken"}');
      expect(reply).toMatchObject(refused);
    }
  });

  it('sets no cookie for a sign-in of another page, and uses up no link or try', async () => {
    for (let i = 0; i < 12; i++) {
      const reply = await send(own, 'POST', '/console/session', { origin: other }, { key: 'wrong' });
      expect(reply).toMatchObject(refused);
      expect(reply.headers['set-cookie']).toBeUndefined();
    }
    expect((await send(own, 'POST', '/console/session', OWN, { key: 'wrong' })).status).toBe(401);
  });
});

describe('a request that reads, by cookie', () => {
  it.each(['/api/v1/chatbots', '/console/session', '/console/sessions'])(
    'of %s is for own pages alone',
    async (path) => {
      const isRead = async (headers: Headers) => {
        const [got, head] = [
          await send(own, 'GET', path, { ...headers, cookie }),
          await send(own, 'HEAD', path, { ...headers, cookie }),
        ];
        expect(head.status).toBe(got.status);
        if (got.status === 401) expect(got.text).not.toContain('Own');
        return got.status;
      };
      // The person who types the address, and programs, which have the cookie from nowhere but their user.
      for (const headers of [...ownPages(), {}, { 'sec-fetch-site': 'none' }]) expect(await isRead(headers)).toBe(200);
      const typed = (headers: Headers) => headers['sec-fetch-site'] === 'none';
      const plain = (headers: Headers) => headers['sec-fetch-site'] === undefined && headers['origin'] === undefined;
      for (const headers of otherPages().filter((one) => !typed(one) && !plain(one)))
        expect({ headers, status: await isRead(headers) }).toEqual({ headers, status: 401 });
    },
  );

  it('allows no page of another origin to read a reply that a cookie gives', async () => {
    const paths = ['/api/v1/chatbots', '/console/session', '/console/sessions'];
    for (const path of paths) {
      for (const headers of [...ownPages(), { origin: other }]) {
        const reply = await send(own, 'GET', path, { ...headers, cookie });
        // With `*` alone a browser hands out no reply to a request with cookies.
        expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
        expect(reply.headers['access-control-allow-origin']).toBe(path.startsWith('/api/') ? '*' : undefined);
      }
      const asked = { origin: other, 'access-control-request-method': 'POST' };
      const preflight = await send(own, 'OPTIONS', path, { ...asked, cookie });
      expect(preflight.headers['access-control-allow-credentials']).toBeUndefined();
      if (!path.startsWith('/api/')) expect(preflight).toMatchObject(refused);
    }
  });
});

describe('an Authorization header', () => {
  it('is taken in place of the cookie, from pages of any origin', async () => {
    const authorization = `Bearer ${API_KEY}`;
    for (const headers of otherPages()) {
      const path = `/api/v1/chatbot/${chatbot}/update`;
      const reply = await send(own, 'POST', path, { ...headers, authorization }, { name: 'By key' });
      expect(reply.status).toBe(200);
    }
  });

  it('that is wrong is refused, though the cookie is right', async () => {
    for (const authorization of ['Bearer wrong', 'Basic YTpi', '', 'Bearer'])
      expect((await send(own, 'GET', '/api/v1/chatbots', { ...OWN, cookie, authorization })).status).toBe(401);
  });
});

describe('a cookie', () => {
  it.each([
    ['of another name', (token: string) => `docen=${token}`],
    ['of the name for HTTPS', (token: string) => `__Host-docent=${token}`],
    ['after a byte that only looks like white space', (token: string) => `\u00a0docent=${token}`],
    ['that is there twice', (token: string) => `docent=${token}; docent=${token}`],
    ['beside one that another host set', (token: string) => `docent=${'A'.repeat(43)}; docent=${token}`],
    ['in capitals', (token: string) => `DOCENT=${token}`],
    ['with a sign more', (token: string) => `docent=${token}A`],
    ['in quotation marks', (token: string) => `docent="${token}"`],
  ])('%s is none', async (_, write) => {
    const sent = { ...OWN, cookie: write(cookie.slice('docent='.length)) };
    expect((await send(own, 'GET', '/api/v1/chatbots', sent)).status).toBe(401);
    expect((await send(own, 'GET', '/console/session', sent)).status).toBe(401);
  });

  it('is found among others', async () => {
    const sent = { ...OWN, cookie: `a=b; ${cookie};__Host-docent=x; c` };
    expect((await send(own, 'GET', '/api/v1/chatbots', sent)).status).toBe(200);
  });
});

describe('over HTTPS', () => {
  const ways: [string, NodeJS.ProcessEnv, Headers][] = [
    ['PUBLIC_URL', { PUBLIC_URL: 'https://chat.example.com' }, {}],
    ['PUBLIC_URL with a path', { PUBLIC_URL: 'https://chat.example.com/docent' }, {}],
    ['X-Forwarded-Proto', { TRUST_PROXY_HOPS: '1' }, { 'x-forwarded-proto': 'https', host: 'chat.example.com' }],
    ['two proxies', { TRUST_PROXY_HOPS: '2' }, { 'x-forwarded-proto': 'https, http', host: 'chat.example.com' }],
    ['the outer of two', { TRUST_PROXY_HOPS: '2' }, { 'x-forwarded-proto': 'https', host: 'chat.example.com' }],
  ];
  it.each(ways)('by %s the cookie is Secure and __Host-, and none of plain HTTP counts', async (_, env, headers) => {
    const secure = await start(env);
    try {
      const reply = await send(secure.base, 'POST', '/console/session', { ...OWN, ...headers }, { key: API_KEY });
      expect(reply.body.is_secure).toBe(true);
      expect(reply.body.public_url).toBe(env['PUBLIC_URL'] ?? '');
      const [set = '', ...others] = reply.headers['set-cookie'] ?? [];
      expect(others).toEqual([]);
      expect(set).toMatch(/^__Host-docent=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; Secure; SameSite=Strict$/);
      const token = /=([\w-]{43});/.exec(set)![1]!;
      const statusOf = async (sent: string, more: Headers = OWN) =>
        (await send(secure.base, 'GET', '/api/v1/chatbots', { ...headers, ...more, cookie: sent })).status;
      expect(await statusOf(`__Host-docent=${token}`)).toBe(200);
      expect(await statusOf(`docent=${token}`)).toBe(401);
      expect(await statusOf(`docent=${'A'.repeat(43)}; __Host-docent=${token}`)).toBe(200);
      const change = async (origin: string) => {
        const sent = { ...headers, origin, cookie: `__Host-docent=${token}` };
        return (await send(secure.base, 'POST', '/api/v1/chatbot/create', sent, { name: 'x' })).status;
      };
      expect(await change('https://chat.example.com')).toBe(200);
      for (const origin of ['http://chat.example.com', 'https://chat.example.com:8443', 'https://example.com'])
        expect(await change(origin)).toBe(403);
    } finally {
      await secure.stop();
    }
  });

  it('is nothing that a caller says without a proxy that is trusted', async () => {
    const headers = { ...OWN, 'x-forwarded-proto': 'https' };
    const reply = await send(own, 'POST', '/console/session', headers, { key: API_KEY });
    expect(reply.body.is_secure).toBe(false);
    expect(reply.headers['set-cookie']?.[0]).toMatch(/^docent=/);
  });
});
