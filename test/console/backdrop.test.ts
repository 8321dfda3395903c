import { mkdtemp, rm } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { API_KEY, site, start, until, type Running } from '../running.ts';
import { cookieOf, OWN, send, signIn } from './requests.ts';

/** /console/backdrop/{chatbot}: the page of a site behind the preview of the widget. */

const HTML = '<!doctype html><title>Lamps</title><p>Lamps are sold from May on, and repaired all year long.</p>';

type Pages = Parameters<typeof site>[0];
let shop: Awaited<ReturnType<typeof site>>;
let docent: Running;
let cookie: string;
const sent: string[] = [];
const page =
  (headers: OutgoingHttpHeaders = {}): Pages[string] =>
  (request, response) => {
    sent.push(request.url!);
    response.writeHead(200, { 'Content-Type': 'text/html', ...headers });
    response.end(HTML);
  };

beforeAll(async () => {
  shop = await site({
    '/open': page(),
    '/refused': page({ 'X-Frame-Options': 'SAMEORIGIN' }),
    '/policy': page({ 'Content-Security-Policy': "frame-ancestors 'none'" }),
    '/moved': (_, response) => response.writeHead(302, { Location: '/open?a="><script>&b=1' }).end(),
    '/open?a=%22%3E%3Cscript%3E&b=1': page(),
  });
  docent = await start({ FETCH_ALLOW: shop.host });
  cookie = await signIn(docent.base, { key: API_KEY });
});
afterAll(async () => {
  await docent.stop();
  await shop.close();
});

async function chatbotOf(path: string): Promise<string> {
  const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body;
  if (!path) return uuid;
  await docent.api('POST', `/chatbot/${uuid}/data-source/site`, { url: shop.base + path, max_pages: 1 });
  const sites = () => docent.api('GET', `/chatbot/${uuid}/data-source/sites`);
  await until(sites, ({ body }) => body[0].status !== 'running');
  return uuid;
}

const ask = (uuid: string, headers: OutgoingHttpHeaders = {}, query = '') =>
  send(docent.base, 'GET', `/console/backdrop/${uuid}${query}`, { ...OWN, cookie, ...headers });

it('frames the page without scripts, at no other origin than its own', async () => {
  const reply = await ask(await chatbotOf('/open'));
  expect(reply.text).toContain(`<iframe title="Your site" src="${shop.base}/open" sandbox inert></iframe>`);
  const policy = String(reply.headers['content-security-policy']).split(';');
  expect(policy).toEqual(
    expect.arrayContaining(["default-src 'none'", `frame-src ${shop.base}`, "frame-ancestors 'self'"]),
  );
  expect(policy.join()).not.toContain('script-src');
  expect(reply.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'private, max-age=300',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  expect(reply.text).toContain('<meta name="color-scheme" content="light dark">');
  expect((await ask(await chatbotOf('/open'), {}, '?scheme=dark')).text).toContain('content="dark"');
  expect((await ask(await chatbotOf('/open'), {}, '?scheme="><script>')).text).toContain('content="light dark"');
});

it('frames where the page was found, and no markup of its address', async () => {
  const { text } = await ask(await chatbotOf('/moved'));
  expect(text).toContain(`src="${shop.base}/open?a=%22%3E%3Cscript%3E&amp;b=1" sandbox inert`);
  expect(text).not.toContain('<script');
});

it.each([
  ['/refused', 'lets no other page frame it'],
  ['/policy', 'lets no other page frame it'],
  ['', 'No site has been read yet'],
  ['/missing', 'No site has been read yet'],
])('says in a sentence why there is no page of %s', async (path, why) => {
  const reply = await ask(await chatbotOf(path));
  expect(reply.status).toBe(200);
  expect(reply.text).toContain(why);
  expect(reply.text).not.toContain('<iframe');
  expect(reply.headers['content-security-policy']).not.toContain('frame-src');
});

it('does not frame a page of http in one of https', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'docent-backdrop-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const other = await start({ FETCH_ALLOW: shop.host, DATA_DIR: dataDir, PUBLIC_URL: 'https://chat.example.com' });
  onTestFinished(() => other.stop());
  const { uuid } = (await other.api('POST', '/chatbot/create', { name: 'Shop' })).body;
  await other.api('POST', `/chatbot/${uuid}/data-source/site`, { url: `${shop.base}/open`, max_pages: 1 });
  const headers = { authorization: `Bearer ${API_KEY}` };
  expect((await send(other.base, 'GET', `/console/backdrop/${uuid}`, headers)).text).toContain('not served over HTTPS');
});

it('is for those who may change the widget', async () => {
  const uuid = await chatbotOf('/open');
  const before = sent.length;
  expect((await ask(uuid, { cookie: '' })).status).toBe(401);
  // A link on another page is followed without the cookie; where one is sent all the same, it counts for nothing.
  expect((await ask(uuid, { 'sec-fetch-site': 'cross-site' })).status).toBe(401);
  expect((await ask('0'.repeat(32))).status).toBe(404);
  for (const path of ['', 'nonsense', `${uuid}/`, `${uuid}/x`, '%2e%2e'])
    expect((await ask(path)).status, path).toBe(404);
  expect((await send(docent.base, 'POST', `/console/backdrop/${uuid}`, { ...OWN, cookie })).status).toBe(405);
  const by = { ...OWN, cookie };
  const invited = await send(docent.base, 'POST', `/api/v1/chatbot/${uuid}/invitation/create`, by, {
    email: 'ann@shop.example',
    role: 'operator',
  });
  const [, link] = /#invitation=(\S+)$/.exec(invited.body.link)!;
  const joined = await send(docent.base, 'POST', '/console/invitation/accept', OWN, { link });
  expect(await ask(uuid, { cookie: cookieOf(joined) })).toMatchObject({
    status: 403,
    body: { error: expect.stringContaining('operator: this needs owner or editor') },
  });
  expect(sent.length).toBe(before);
});
