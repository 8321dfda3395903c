import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from './chromium.ts';
import { startBuiltServer, type BuiltServer } from './built-server.ts';

let served: BuiltServer;
let browser: Browser;

beforeAll(async () => {
  served = await startBuiltServer();
  browser = await launchChromium();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

test('the Markdown page streams the text of its field under a strict content security policy', async () => {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${served.base}/demo/markdown.html`);
  const shown = page.locator('.shown');
  await shown.locator('h3').waitFor();
  await page.locator('[name=speed]').fill('2000');
  await page.locator('textarea').fill('- [x] **done**\n\n| a |\n|---|\n| b |\n\n<img src=x onerror=alert(1)>');
  await shown.getByText('onerror').waitFor();
  expect(await shown.locator('strong').textContent()).toBe('done');
  expect(await shown.locator('input[type=checkbox]').isDisabled()).toBe(true);
  expect(await shown.locator('td').textContent()).toBe('b');
  expect(await shown.locator('img').count()).toBe(0);
  expect(errors).toEqual([]);
});
