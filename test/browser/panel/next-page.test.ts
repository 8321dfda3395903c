import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { answers, askQuestion, openChat } from '../visitor.ts';

let server: BuiltServer;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
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
