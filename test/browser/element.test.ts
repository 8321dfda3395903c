import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from '../../server/dev/build.mjs';
import { blocksOf, textOf } from '../readme/texts.ts';
import { launchChromium } from './chromium.ts';

let browser: Browser;

beforeAll(async () => {
  [browser] = await Promise.all([launchChromium(), ensureBuilt()]);
}, 120_000);

afterAll(() => browser?.close());

const [lines = ''] = blocksOf(textOf('component'), 'html');
const page = `<!doctype html><docent-chat server="http://docent.example" chatbot="c1"></docent-chat>${lines}`;

/** Where a reader of the guide copies the files from. */
const fileAt = (path: string): string =>
  path.replace('/vendor/', './node_modules/').replace('/docent/component/', './dist/component/');

test('an element that was on the page before its definition becomes one chat, without a bundler by the lines of the guide', async () => {
  const visited = await browser.newPage();
  await visited.route('http://shop.example/**', (route) => {
    const { pathname } = new URL(route.request().url());
    return route.fulfill(pathname === '/' ? { contentType: 'text/html', body: page } : { path: fileAt(pathname) });
  });
  await visited.goto('http://shop.example/');
  await expect.poll(() => visited.evaluate(() => Boolean(customElements.get('docent-chat')))).toBe(true);
  await expect.poll(() => visited.locator('docent-widget').count()).toBe(1);
});
