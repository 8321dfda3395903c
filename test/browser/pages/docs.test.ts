import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../chromium.ts';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { clickUntil } from '../visitor.ts';

let server: BuiltServer;
let browser: Browser;
let page: Page;
const faults: string[] = [];
const requests: string[] = [];

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer({ DEMO: '0' }), launchChromium()]);
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(60_000);
  // Violations of the page's content security policy come as console errors.
  page.on('console', (message) => void (/error|warning/.test(message.type()) && faults.push(message.text())));
  page.on('pageerror', (error) => void faults.push(error.message));
  page.on('request', (request) => void requests.push(request.url()));
  await page.goto(`${server.base}/docs`);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const docs = () => page.locator('rapi-doc');
const operation = (id: string) => docs().locator(`[id="${id}"]`);

test('/docs shows every operation without a key, with example replies', async () => {
  const document = await (await fetch(`${server.base}/api/v1/openapi.json`)).json();
  const operations = Object.values(document.paths as Record<string, object>).flatMap((item) => Object.values(item));
  expect(operations.length).toBeGreaterThan(40);
  await clickUntil(operation('link-get-/api/v1/user'), operation('get-/api/v1/user').getByText('owner@localhost'));
  const summaries = operations.map(({ summary }: { summary: string }) => summary);
  const headings = async () => (await docs().locator('h2').allTextContents()).map((text) => text.trim());
  await expect.poll(headings, { timeout: 60_000 }).toEqual(expect.arrayContaining(summaries));
});

test('TRY sends an operation with the key that was set, to this server', async () => {
  await docs().getByPlaceholder('api-token').fill(server.key);
  await clickUntil(docs().getByRole('button', { name: 'SET' }), docs().getByText('1 API key applied'));
  // With the key RapiDoc replaces the operation, and a click on the former button sends nothing.
  const clickTry = async () => {
    const reply = page.waitForResponse(`${server.base}/api/v1/user`, { timeout: 5000 }).catch(() => undefined);
    await operation('get-/api/v1/user').getByRole('button', { name: 'TRY' }).click();
    return (await reply)?.json();
  };
  await expect.poll(clickTry, { timeout: 60_000 }).toEqual({ data: { email: 'owner@localhost' } });
});

test('the page logs no error, violates no policy and requests nothing of other hosts', async () => {
  expect(faults).toEqual([]);
  expect(requests).toContain(`${server.base}/docs/rapidoc.js`);
  expect(requests.filter((url) => !url.startsWith(`${server.base}/`))).toEqual([]);
});

test('the script is sent in the best encoding that the browser accepts, and answers 304 to its ETag', async () => {
  const url = `${server.base}/docs/rapidoc.js`;
  const sizes = await Promise.all(
    ['br', 'gzip', 'identity'].map(async (encoding) => {
      const reply = await fetch(url, { headers: { 'Accept-Encoding': encoding } });
      expect(reply.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
      return (await reply.arrayBuffer()).byteLength;
    }),
  );
  expect(new Set(sizes).size, 'the same script').toBe(1);
  const first = await fetch(url, { headers: { 'Accept-Encoding': 'br' } });
  // Without Cache-Control, fetch adds no-cache to a request with a validator, and the server sends the whole file.
  const headers = {
    'Accept-Encoding': 'br',
    'If-None-Match': first.headers.get('etag')!,
    'Cache-Control': 'max-age=0',
  };
  const again = await fetch(url, { headers });
  expect(again.status).toBe(304);
});

test('/docs refuses POST with 405 and redirects from /docs/', async () => {
  const reply = await fetch(`${server.base}/docs`, { method: 'POST' });
  expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'HEAD, GET']);
  expect((await fetch(`${server.base}/docs/`)).url).toBe(`${server.base}/docs`);
  expect((await fetch(`${server.base}/docs/../package.json`)).status).toBe(404);
});
