import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Locator, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { answers, askQuestion, field, openChat } from '../visitor.ts';

let server: BuiltServer;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium(['--disable-back-forward-cache'])]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('an open chat goes along: to the next page, and through a body that is replaced; a closed one does not', async () => {
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  const stored = (): Promise<number> => page.evaluate(() => localStorage.length + sessionStorage.length);
  const tag = `<script src="${server.base}/embed.js" data-chatbot="${await server.chatbot()}"></script>`;
  const body = `<!doctype html><html lang="en"><title>Page</title><body><p>words</p>${tag}`;
  await page.route('**/page?*', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(`${server.base}/page?1`);
  await page.getByRole('button', { name: 'Open chat' }).waitFor();
  expect(await stored()).toBe(0);
  await openChat(page);
  await askQuestion(page, 'Can I return a sale item?');
  await answers(page).getByText('45 days').first().waitFor();
  await page.goto(`${server.base}/page?2`);
  await answers(page).getByText('45 days').first().waitFor();
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('body');
  // As Turbo does: another body with the tag in it, and another address.
  await page.evaluate(() => {
    const script = document.createElement('script');
    const { src, dataset } = document.querySelector<HTMLScriptElement>('script[data-chatbot]')!;
    Object.assign(script, { src });
    Object.assign(script.dataset, dataset);
    const body = document.createElement('body');
    body.append(script);
    document.body.replaceWith(body);
    history.pushState({}, '', '/page?4');
  });
  await page.waitForTimeout(300);
  expect(await page.locator('docent-widget').count()).toBe(1);
  await answers(page).getByText('45 days').first().waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close chat' }).click();
  await page.goto(`${server.base}/page?3`);
  await page.getByRole('button', { name: 'Open chat' }).hover();
  await page.waitForTimeout(500);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.close();
});

test('an answer that ends while the panel is closed sounds where the owner wants it, and marks launcher and title', async () => {
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.addInitScript(() => {
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (when) {
      document.documentElement.dataset['sounds'] = `${Number(document.documentElement.dataset['sounds'] ?? 0) + 1}`;
      start.call(this, when);
    };
  });
  const tag = `<script src="${server.base}/embed.js" data-chatbot="${await server.chatbot()}" data-sound></script>`;
  const body = `<!doctype html><html lang="en"><title>Page</title><body><p>words</p>${tag}`;
  await page.route('**/page', (route) => route.fulfill({ contentType: 'text/html', body }));
  let send = (): void => {};
  const closed = new Promise<void>((resolve) => (send = resolve));
  await page.route('**/ask', (route) => void closed.then(() => route.continue()));
  await page.goto(`${server.base}/page`);
  await openChat(page);
  await askQuestion(page, 'Can I return a sale item?');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  send();
  await page.getByRole('button', { name: 'Open chat (New answer)' }).waitFor();
  await expect.poll(() => page.title()).toBe('(1) Page');
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['sounds'])).toBe('1');
  expect(faults).toEqual([]);
  await page.close();
});

/** Waits until the panel is there, closed. */
const loaded = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => document.querySelector('docent-widget')?.shadowRoot?.querySelector('slot'));

test('a page from the back/forward cache opens and closes the chat as another page left it, loaded there or not', async () => {
  const site = createServer(async ({ url }, response) => {
    const settings = url === '/loaded' ? 'data-label="Open chat"' : '';
    const tag = `<script src="${server.base}/embed.js" data-chatbot="${await server.chatbot()}" ${settings}></script>`;
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><body>${tag}`);
  });
  await once(site.listen(0, '127.0.0.1'), 'listening');
  const base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  const go = (by: number): Promise<void> => page.evaluate((pages) => history.go(pages), by);
  const isAt = (path: string): Promise<unknown> => page.waitForURL(base + path, { waitUntil: 'commit' });
  for (const path of ['/loaded', '/launcher', '/chat']) {
    await page.goto(base + path);
    await page.getByRole('button', { name: 'Open chat' }).waitFor();
    await page.evaluate(() => Object.assign(globalThis, { isKept: true }));
    if (path === '/loaded') await loaded(page);
  }
  await openChat(page);
  for (const path of ['/launcher', '/loaded']) {
    await go(-1);
    await isAt(path);
    await field(page).waitFor();
    expect(await page.evaluate(() => 'isKept' in globalThis)).toBe(true);
  }
  await page.getByRole('dialog').getByRole('button', { name: 'Close chat' }).click();
  await go(2);
  await isAt('/chat');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.close();
  site.close();
});

test('what marks an unread answer stays on the next page, in the visitor’s language, whatever the page’s elements are named', async () => {
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  const tag = `<script src="${server.base}/embed.js" data-chatbot="${await server.chatbot()}"></script>`;
  const named = ['title', 'head', 'hidden'].map((name) => `<img name="${name}" alt="">`).join('');
  const body = `<!doctype html><html lang="de"><title>Seite</title><body>${named}${tag}`;
  await page.route('**/page', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(`${server.base}/page`);
  await page.getByRole('button', { name: 'Open chat' }).click();
  await page.getByRole('textbox', { name: 'Ihre Frage' }).fill('Can I return a sale item?');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  const isMarked = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Chat öffnen (Neue Antwort)' }).waitFor();
    await expect.poll(() => page.title()).toBe('(1) Seite');
  };
  await isMarked();
  await page.reload();
  await isMarked();
  await page.getByRole('button', { name: 'Chat öffnen (Neue Antwort)' }).click();
  await expect.poll(() => page.title()).toBe('Seite');
  await page.getByRole('button', { name: 'Chat schließen', exact: true }).first().waitFor();
  expect(faults).toEqual([]);
  await page.close();
});

test.each([
  [390, 844],
  [844, 390],
])('on a phone of %i by %i px the chat opens by nothing but a press', async (width, height) => {
  const page = await browser.newPage({ viewport: { width, height }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  const tag = `<script src="${server.base}/embed.js" data-chatbot="${await server.chatbot()}" data-open></script>`;
  const body = `<!doctype html><html lang="en"><title>Page</title><body>${tag}`;
  await page.route('**/page?*', (route) => route.fulfill({ contentType: 'text/html', body }));
  const loadPanel = async (): Promise<void> => {
    const launcher = page.getByRole('button', { name: 'Open chat' });
    await launcher.hover();
    await expect.poll(() => launcher.getAttribute('aria-expanded')).toBe('false');
    // The profile comes after that.
    await page.waitForTimeout(500);
    expect(await page.getByRole('dialog').count()).toBe(0);
  };
  await page.goto(`${server.base}/page?1`);
  await loadPanel();
  await page.getByRole('button', { name: 'Open chat' }).click();
  await field(page).waitFor();
  await page.goto(`${server.base}/page?2`);
  await loadPanel();
  await page.close();
});

test('a source of the site opens in its tab, where the chat stays open; one of another site, or from a frame, in a new one', async () => {
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  const source = (): Locator =>
    answers(page)
      .last()
      .getByRole('link', { name: /Returns/ })
      .last();
  await page.goto(`${server.base}/demo/`);
  await openChat(page);
  await askQuestion(page, 'Can I return a sale item?');
  await source().click();
  await page.waitForURL(/returns/);
  await answers(page).getByText('45 days').first().waitFor();
  expect(page.context().pages()).toHaveLength(1);

  await page.setViewportSize({ width: 390, height: 700 });
  await source().click();
  await page.getByRole('button', { name: 'Open chat' }).waitFor();
  expect(page.context().pages()).toHaveLength(1);
  await page.close();

  const frame = await browser.newPage();
  frame.setDefaultTimeout(15_000);
  const html = `<!doctype html><title>Frame</title><iframe title="Shop" src="${server.base}/demo/" width="900" height="650"></iframe>`;
  await frame.route('**/framing', (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await frame.goto(`${server.base}/framing`);
  const inside = frame.frameLocator('iframe');
  await inside.getByRole('button', { name: 'Open chat' }).click();
  await inside.getByRole('textbox', { name: 'Your question' }).fill('Can I return a sale item?');
  await inside.getByRole('textbox', { name: 'Your question' }).press('Enter');
  const [opened] = await Promise.all([
    frame.context().waitForEvent('page'),
    inside
      .getByRole('group', { name: 'Answer' })
      .last()
      .getByRole('link', { name: /Returns/ })
      .last()
      .click(),
  ]);
  await opened.waitForURL(/returns/);
  await frame.context().close();
});
