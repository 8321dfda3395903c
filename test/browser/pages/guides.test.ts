import type { Browser, BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { guides } from '../../../server/docs/guides.ts';
import { launchChromium } from '../chromium.ts';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';

let server: BuiltServer;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer({ DEMO: '0' }), launchChromium()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const faults: string[] = [];

/** Opens one page of the server; what its policy refuses is a fault. */
async function visit(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on('console', (said) => void (/error|warning/.test(said.type()) && faults.push(said.text())));
  page.on('pageerror', (error) => void faults.push(error.message));
  await page.addInitScript({ path: 'node_modules/axe-core/axe.min.js' });
  await page.goto(server.base + path);
  return page;
}

interface Axe {
  run(options: { runOnly: string[] }): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

async function violations(page: Page): Promise<string[]> {
  const found = await page.evaluate((runOnly) => (globalThis as unknown as { axe: Axe }).axe.run({ runOnly }), tags);
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
}

const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

describe.each(Object.entries(guides))('/docs/%s', (name, title) => {
  test.each<[string, BrowserContextOptions]>([
    ['light', { colorScheme: 'light' }],
    ['dark, on a phone', { colorScheme: 'dark', ...phone }],
  ])('has no finding of axe, %s', async (_name, options) => {
    const page = await visit(`/docs/${name}`, options);
    expect(await page.title()).toBe(`${title} · Docent`);
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.locator('nav [aria-current="page"]').textContent()).toBe(title);
    expect(await violations(page)).toEqual([]);
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(wider, 'pixels that scroll sideways').toBeLessThanOrEqual(0);
    const [ground, text] = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body);
      return [backgroundColor, color];
    });
    expect([ground, text]).toEqual(
      options.colorScheme === 'dark'
        ? ['rgb(17, 20, 24)', 'rgb(229, 231, 235)']
        : ['rgb(255, 255, 255)', 'rgb(31, 41, 55)'],
    );
    await page.context().close();
  });

  test('has links that lead to a page of this server and a heading of it', async () => {
    const page = await visit(`/docs/${name}`);
    const hrefs = await page.locator('a').evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).href));
    expect(hrefs).toContain(`${server.base}/docs`);
    for (const href of new Set(hrefs)) {
      const reply = await fetch(href);
      expect([href, reply.status]).toEqual([href, 200]);
      const fragment = new URL(href).hash.slice(1);
      if (fragment) expect(await reply.text(), href).toContain(`id="${fragment}"`);
    }
    await page.context().close();
  });

  test('has no script, and a content security policy that allows none', async () => {
    const reply = await fetch(`${server.base}/docs/${name}`);
    expect(await reply.text()).not.toMatch(/<script|javascript:|\son\w+=/i);
    expect(reply.headers.get('content-security-policy')).toBe(
      "default-src 'none';style-src 'self';img-src data:;base-uri 'none';form-action 'none';frame-ancestors 'none'",
    );
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });
});

test('the API reference links to each guide, with and without scripts', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const page = await visit('/docs', { javaScriptEnabled });
    const links = page.getByRole('navigation', { name: 'Guides' }).getByRole('link');
    expect(await links.allTextContents()).toEqual(Object.values(guides));
    await links.first().click();
    await page.waitForURL(`${server.base}/docs/widget`);
    await page.context().close();
  }
});

test('the guides log no error and violate no policy', () => {
  expect(faults).toEqual([]);
});

test('an unknown guide answers 404, and a guide refuses POST with 405', async () => {
  for (const name of ['nothing', 'widget.md', 'widget.html', 'widget/', '__proto__', 'licenses.md', '..%2fembed.js']) {
    expect([name, (await fetch(`${server.base}/docs/${name}`)).status]).toEqual([name, 404]);
  }
  const posted = await fetch(`${server.base}/docs/widget`, { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'HEAD, GET']);
});
