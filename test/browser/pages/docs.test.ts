import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../chromium.ts';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';

let server: BuiltServer;
let browser: Browser;
let page: Page;
const faults: string[] = [];
const asked: string[] = [];

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer({ DEMO: '0' }), launchChromium()]);
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(60_000);
  // What the policy of the page refuses is told here as well.
  page.on('console', (said) => void (/error|warning/.test(said.type()) && faults.push(said.text())));
  page.on('pageerror', (error) => void faults.push(error.message));
  page.on('request', (request) => void asked.push(request.url()));
  await page.goto(`${server.base}/docs`);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const docs = () => page.locator('rapi-doc');
const operation = (id: string) => docs().locator(`[id="${id}"]`);

test('/docs shows every operation to whoever comes, with the replies of a real server', async () => {
  const document = await (await fetch(`${server.base}/api/v1/openapi.json`)).json();
  const operations = Object.values(document.paths as Record<string, object>).flatMap((item) => Object.values(item));
  expect(operations.length).toBeGreaterThan(40);
  await operation('link-get-/api/v1/user').click();
  await operation('get-/api/v1/user').getByText('owner@localhost').first().waitFor();
  const shown = await docs().locator('h2').allTextContents();
  expect(shown.map((words) => words.trim())).toEqual(
    expect.arrayContaining(operations.map(({ summary }: { summary: string }) => summary)),
  );
});

test('an operation is tried out with a key, on this server', async () => {
  await docs().getByPlaceholder('api-token').fill(server.key);
  await docs().getByRole('button', { name: 'SET' }).click();
  await docs().getByText('1 API key applied').waitFor();
  // RapiDoc may draw the operation anew with the key: a press on the button that was there before does nothing.
  const pressed = async () => {
    const reply = page.waitForResponse(`${server.base}/api/v1/user`, { timeout: 5000 }).catch(() => undefined);
    await operation('get-/api/v1/user').getByRole('button', { name: 'TRY' }).click();
    return (await reply)?.json();
  };
  await expect.poll(pressed, { timeout: 60_000 }).toEqual({ data: { email: 'owner@localhost' } });
});

test('nothing failed, nothing was refused, and no other host was asked', async () => {
  expect(faults).toEqual([]);
  expect(asked).toContain(`${server.base}/docs/rapidoc.js`);
  expect(asked.filter((url) => !url.startsWith(`${server.base}/`))).toEqual([]);
});

test('the script is sent as small as the browser can take it, and once', async () => {
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
  // Without the last of these, fetch itself would ask for the whole.
  const headers = {
    'Accept-Encoding': 'br',
    'If-None-Match': first.headers.get('etag')!,
    'Cache-Control': 'max-age=0',
  };
  const again = await fetch(url, { headers });
  expect(again.status).toBe(304);
});

test('/docs takes GET alone, and answers one slash more', async () => {
  const reply = await fetch(`${server.base}/docs`, { method: 'POST' });
  expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'HEAD, GET']);
  expect((await fetch(`${server.base}/docs/`)).url).toBe(`${server.base}/docs`);
  expect((await fetch(`${server.base}/docs/../package.json`)).status).toBe(404);
});
