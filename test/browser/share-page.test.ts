import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, FrameLocator, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchChromium } from './chromium.ts';
import { startBuiltServer, until, type BuiltServer } from './built-server.ts';

/** The page /c/{chatbot}, and the list of sites that may ask, as a browser meets them. */

const QUESTION = 'How long is the warranty on a lamp?';
const ANSWER = 'Every lamp has a warranty of seven years from the day of delivery.';

let server: BuiltServer;
let browser: Browser;
let page: Page;
let faults: string[];
let chatbot: string;
const sites: Server[] = [];

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer({ DEMO: '0' }), launchChromium()]);
  chatbot = (await api('POST', '/chatbot/create', { name: 'Lamp help', visibility: 'public', show_citations: true }))
    .uuid;
  await api('POST', `/chatbot/${chatbot}/data-source/qa`, { question: QUESTION, answer: ANSWER });
  await until(async () => (await api('GET', `/chatbot/${chatbot}/data-sources`))[0].status === 'success');
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

beforeEach(async () => {
  await set({ allowed_origins: [], image_hosts: [], title: '' });
  page = await browser.newPage();
  watch(page);
});

afterEach(async () => {
  await page.close();
  for (const site of sites.splice(0)) site.close();
});

// The replies' shapes are the interface's; the tests of the API look at them.
// oxlint-disable-next-line no-explicit-any
async function api(method: string, path: string, body?: object): Promise<any> {
  const headers = { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return (await fetch(`${server.base}/api/v1${path}`, init)).json();
}

const set = (settings: object) => api('POST', `/chatbot/${chatbot}/widget`, settings);

/** What a console says of refused loads and styles is a report of the policy, too. */
function watch(one: Page): void {
  one.setDefaultTimeout(10_000);
  faults = [];
  one.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  one.on('pageerror', (error) => faults.push(String(error)));
}

async function answered(place: Page | FrameLocator): Promise<string> {
  const field = place.getByRole('textbox', { name: 'Your question' });
  await field.fill(QUESTION);
  await field.press('Enter');
  const answer = place.getByRole('group', { name: 'Answer' }).last();
  await answer
    .getByRole('button', { name: /^Source 1/ })
    .first()
    .waitFor();
  return answer.innerText();
}

test('a question is answered on the share page, which the widget fills', async () => {
  await set({ title: 'Lamps, and all about them', image_hosts: ['cdn.example'] });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${server.base}/c/${chatbot}`);
  expect(await answered(page)).toContain(ANSWER);
  expect(await page.title()).toBe('Lamps, and all about them');
  const size = await page.locator('docent-widget').evaluate((host) => host.getBoundingClientRect().toJSON());
  expect(size).toMatchObject({ x: 0, y: 0, width: 390, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(800);
  expect(faults).toEqual([]);
});

test('the share page answers although allowed_origins lists another site, and only that site may frame it', async () => {
  const frame = `<iframe title="Help" src="${server.base}/c/${chatbot}" width="500" height="700"></iframe>`;
  const [listed, other] = [await elsewhere(frame), await elsewhere(frame)];
  await set({ allowed_origins: [new URL(listed).origin] });
  await page.goto(`${server.base}/c/${chatbot}`);
  expect(await answered(page)).toContain(ANSWER);
  await page.goto(listed);
  expect(await answered(page.frameLocator('iframe'))).toContain(ANSWER);
  expect(faults).toEqual([]);
  await page.goto(other);
  await expect.poll(() => faults.join()).toMatch(/frame-ancestors|refused to connect|Framing/i);
  expect(await page.frameLocator('iframe').getByRole('textbox').count()).toBe(0);
});

test('the script tag answers on a listed site and on no other', async () => {
  const snippet = `<script src="${server.base}/embed.js" data-chatbot="${chatbot}"></script>`;
  const [listed, other] = [await elsewhere(snippet), await elsewhere(snippet)];
  await set({ allowed_origins: [new URL(listed).origin] });
  const open = (): Promise<void> => page.getByRole('button', { name: 'Open chat' }).click();
  await page.goto(listed);
  await open();
  expect(await answered(page)).toContain(ANSWER);
  expect(faults).toEqual([]);
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (new URL(response.url()).pathname.startsWith('/chat/')) statuses.push(response.status());
  });
  await page.goto(other);
  await open();
  await page.getByRole('textbox', { name: 'Your question' }).fill(QUESTION);
  await page.keyboard.press('Enter');
  // The page can read that it is refused: the visitor is not left waiting for a network.
  await page.getByText('This chat is not available.').first().waitFor();
  expect(new Set(statuses)).toEqual(new Set([403]));
});

test('the share page speaks the language of the browser where the settings name none', async () => {
  const german = await browser.newPage({ locale: 'de-DE' });
  try {
    await german.goto(`${server.base}/c/${chatbot}`);
    await german.getByRole('textbox', { name: 'Ihre Frage' }).waitFor();
    expect(await german.locator('html').getAttribute('lang')).toMatch(/^de/);
  } finally {
    await german.close();
  }
});

test('without JavaScript the share page says that it is needed', async () => {
  const plain = await browser.newPage({ javaScriptEnabled: false });
  try {
    await plain.goto(`${server.base}/c/${chatbot}`);
    expect(await plain.locator('main').innerText()).toMatch(/^This chat needs JavaScript.*\.$/);
  } finally {
    await plain.close();
  }
});

async function elsewhere(html: string): Promise<string> {
  const site = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><title>Elsewhere</title><link rel="icon" href="data:,"><body>${html}`);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  sites.push(site);
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
}
