import type { Browser, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { demoSite } from '../../demo/pages.ts';
import { launchChromium } from './chromium.ts';
import { startBuiltServer, type BuiltServer } from './built-server.ts';
import { askQuestion, field } from './visitor.ts';

/** A chat in a page's own flow: what goes on in it never moves the page. */

let server: BuiltServer;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

beforeEach(async () => {
  const chatbot = await server.chatbot();
  const script = `<script src="${server.base}/embed.js" data-chatbot="${chatbot}" data-inline="#chat"></script>`;
  const place = '<div style="height:300px"></div><div id="chat" style="height:450px"></div><div style="height:1500px">';
  const body = `<!doctype html><html lang="en"><body style="margin:0">${place}</div>${script}`;
  page = await browser.newPage({ viewport: { width: 1000, height: 500 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(10_000);
  await page.route('**/inline', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(`${server.base}/inline`);
  await field(page).waitFor();
});

afterEach(() => page?.close());

const scroll = (top: number): Promise<void> => page.evaluate((y) => scrollTo(0, y), top);
const top = (): Promise<number> => page.evaluate(() => scrollY);

test('a card under a mouse that passes by', async () => {
  await askQuestion(page, demoSite.sampleQuestion);
  await page.getByRole('button', { name: 'Copy with sources' }).waitFor();
  await scroll(0);
  const { x, y } = (await page.locator('.text button.marker').last().boundingBox())!;
  const edge = Math.round(y - 480);
  await scroll(edge);
  await page.mouse.move(x + 4, y - edge + 4);
  await page.getByRole('dialog', { name: /^Source/ }).waitFor();
  expect(await top()).toBe(edge);
});

test('a question of the page’s own', async () => {
  await scroll(900);
  await page.evaluate((query) => {
    (globalThis as unknown as { Docent: { ask(query: string): void } }).Docent.ask(query);
  }, demoSite.sampleQuestion);
  await page.getByRole('button', { name: 'Copy with sources' }).waitFor();
  expect(await top()).toBe(900);
});

test('a click beside every button of a chat larger than the window', async () => {
  await page.setViewportSize({ width: 1000, height: 300 });
  await scroll(290);
  await page.mouse.click(500, 30);
  await page.waitForTimeout(100);
  expect(await top()).toBe(290);
});
