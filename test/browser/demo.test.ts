import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Browser, FrameLocator, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { demoSite } from '../../demo/pages.ts';
import { startFakeModel } from '../fakes/model.ts';
import { launchChromium } from './chromium.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { startBuiltServer, type BuiltServer } from './built-server.ts';

let server: BuiltServer;
let browser: Browser;
let page: Page;
let faults: string[];
const sites: Server[] = [];

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

beforeEach(async () => {
  page = await browser.newPage();
  page.setDefaultTimeout(10_000);
  faults = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
});

afterEach(async () => {
  await page.close();
  for (const site of sites.splice(0)) site.close();
});

type Place = Page | FrameLocator;

const field = (place: Place) => place.getByRole('textbox', { name: 'Your question' });
const answers = (place: Place) => place.getByRole('group', { name: 'Answer' });

async function open(place: Place): Promise<void> {
  await place.getByRole('button', { name: 'Open chat' }).click();
  await field(place).waitFor();
}

async function ask(place: Place, query: string): Promise<void> {
  await field(place).fill(query);
  await field(place).press('Enter');
}

/** The whole of the last answer, once its sources are there. */
async function answered(place: Place): Promise<string> {
  await citation(place).first().waitFor();
  return answers(place).last().innerText();
}

const citation = (place: Place) =>
  answers(place)
    .last()
    .getByRole('button', { name: /^Source 1/ });

interface Axe {
  run(options: { runOnly: string[] }): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

async function violations(): Promise<string[]> {
  const found = await page.evaluate((runOnly) => (globalThis as unknown as { axe: Axe }).axe.run({ runOnly }), tags);
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
}

test('a visitor asks the demo, reads the answer, opens its source and finds the conversation again', async () => {
  await page.goto(`${server.base}/demo/`);
  await open(page);
  await ask(page, demoSite.sampleQuestion);
  expect(await answered(page)).toMatch(/45 days/);

  await citation(page).first().click();
  const card = page.getByRole('dialog', { name: /^Source 1/ });
  expect(await card.innerText()).toMatch(/^1?Returns\b/m);
  expect(await card.innerText()).toMatch(/You have 45 days to return something/);
  const link = card.getByRole('link');
  expect(await link.getAttribute('href')).toMatch(/\/demo\/returns\.html#:~:text=/);

  await page.reload();
  // It stays open.
  await field(page).waitFor();
  expect(await answered(page)).toMatch(/45 days/);
  expect(faults).toEqual([]);
});

test('the text fragment in a citation’s link occurs on the page', async () => {
  await page.goto(`${server.base}/demo/`);
  await open(page);
  await ask(page, demoSite.sampleQuestion);
  await answered(page);
  await citation(page).first().click();
  const link = page.getByRole('dialog', { name: /^Source 1/ }).getByRole('link');
  const href = (await link.getAttribute('href')) ?? '';
  const [from = '', to = from] = href
    .slice(href.indexOf('text=') + 5)
    .split(',')
    .map(decodeURIComponent);
  await page.goto(href);
  const text = (await page.locator('main').innerText()).replace(/\s+/g, ' ');
  expect(text).toContain(from);
  expect(text).toContain(to);
});

test.each(['light', 'dark'] as const)(
  'axe finds nothing, closed, open and with an answer, in a %s scheme',
  async (scheme) => {
    // Not by a script tag: the page's own policy refuses that.
    await page.addInitScript({ path: 'node_modules/axe-core/axe.min.js' });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.goto(`${server.base}/demo/`);
    await page.getByRole('button', { name: 'Open chat' }).waitFor();
    expect(await violations()).toEqual([]);
    await open(page);
    expect(await violations()).toEqual([]);
    await ask(page, demoSite.sampleQuestion);
    await answered(page);
    expect(await violations()).toEqual([]);
    await citation(page).first().click();
    expect(await violations()).toEqual([]);
    expect(faults).toEqual([]);
  },
);

test('nothing is stored or requested before the visitor reaches for the launcher', async () => {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  await page.goto(`${server.base}/demo/`);
  await page.getByRole('button', { name: 'Open chat' }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(requests.toSorted()).toEqual(['/demo/', '/demo/site.css', '/embed.js']);
  expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([0, 0, '']);
});

test('five files of the widget, small together, are all that loads for a first answer with sources and actions', async () => {
  const loaded: string[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/embed')) loaded.push(pathname);
  });
  await page.goto(`${server.base}/demo/`);
  await open(page);
  await ask(page, demoSite.sampleQuestion);
  await citation(page).first().waitFor();
  await answers(page)
    .last()
    .getByRole('link', { name: /Returns/ })
    .waitFor();
  await answers(page).last().getByRole('button', { name: 'Helpful', exact: true }).waitFor();
  const parts = loaded.map((path) => path.replace(/-.{8}\.js$/, ''));
  const later = ['after-answer', 'presence', 'sources'].map((name) => `/embed/${name}`);
  expect([parts.slice(0, 2), parts.slice(2).toSorted()]).toEqual([['/embed.js', '/embed/panel'], later]);
  const sizes = loaded.map((path) => gzipSync(readFileSync(`dist${path}`), { level: 9 }).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(26_000);
});

test('an answer cut by the network resumes without repeated or lost text', async () => {
  const network = await startCuttingProxy(server.port);
  try {
    await page.goto(`${network.base}/demo/`);
    await open(page);
    await ask(page, demoSite.sampleQuestion);
    await answered(page);
    // Asked once more, a question gets all of the section that was quoted.
    await ask(page, demoSite.sampleQuestion);
    await expect.poll(() => answers(page).count()).toBe(2);
    const whole = await answered(page);
    network.cutNext();
    await ask(page, demoSite.sampleQuestion);
    await expect.poll(() => answers(page).count()).toBe(3);
    expect(await answered(page)).toBe(whole);
    expect(network.cuts()).toBe(1);
  } finally {
    await network.close();
  }
});

test('a model’s answer is streamed, and a cut repeats and loses no word', async () => {
  const words = Array.from({ length: 60 }, (_, index) => `word${index} `);
  const model = await startFakeModel({
    script: {
      pieces: [...words, '. We reply with a return label by the end of the next working day', ' [1]'],
      pace: 25,
    },
  });
  const written = await startBuiltServer({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'any' });
  const network = await startCuttingProxy(written.port);
  try {
    await page.goto(`${network.base}/demo/`);
    await open(page);
    network.cutNext();
    await ask(page, demoSite.sampleQuestion);
    const lengths = new Set<number>();
    while ((await citation(page).count()) === 0) lengths.add((await answers(page).innerText()).length);
    expect(lengths.size).toBeGreaterThan(5);
    expect(network.cuts()).toBe(1);
    expect((await answered(page)).match(/word\d+ /g)).toEqual(words);
  } finally {
    await network.close();
    await written.stop();
    await model.close();
  }
});

/** A page elsewhere on the web, under a policy that names only our server. */
async function elsewhere(html: string): Promise<string> {
  const site = createServer((_request, response) => {
    const from = server.base;
    response.setHeader(
      'Content-Security-Policy',
      `default-src 'none'; img-src data:; script-src ${from}; connect-src ${from}`,
    );
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><title>Elsewhere</title><link rel="icon" href="data:,"><body>${html}`);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  sites.push(site);
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
}

const snippet = async (): Promise<string> =>
  `<script async src="${server.base}/embed.js" data-chatbot="${await server.chatbot()}"></script>`;

test('the script tag works on a page of another origin', async () => {
  await page.goto(await elsewhere(await snippet()));
  await open(page);
  await ask(page, demoSite.sampleQuestion);
  expect(await answered(page)).toMatch(/45 days/);
  await page.reload();
  // It stays open.
  await field(page).waitFor();
  expect(await answered(page)).toMatch(/45 days/);
  expect(faults).toEqual([]);
});

test('the widget answers in a sandboxed frame without origin and storage', async () => {
  const frameOf = `<iframe title="Help" sandbox="allow-scripts" width="500" height="700" srcdoc='${await snippet()}'></iframe>`;
  await page.goto(await elsewhere(frameOf));
  const frame = page.frameLocator('iframe');
  const sent = page.waitForRequest((request) => request.url().endsWith('/ask'));
  await open(frame);
  await ask(frame, demoSite.sampleQuestion);
  expect(await (await sent).headerValue('origin')).toBe('null');
  expect(await answered(frame)).toMatch(/45 days/);
  expect(faults).toEqual([]);
});
