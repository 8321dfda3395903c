import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from '../../server/dev/build.mjs';
import { launchChromium } from './chromium.ts';

let browser: Browser;

beforeAll(async () => {
  [browser] = await Promise.all([launchChromium(), ensureBuilt()]);
}, 120_000);

afterAll(() => browser?.close());

const page = `<!doctype html><script type="importmap">${JSON.stringify({
  imports: {
    preact: '/node_modules/preact/dist/preact.mjs',
    'preact/hooks': '/node_modules/preact/hooks/dist/hooks.mjs',
    '@preact/signals': '/node_modules/@preact/signals/dist/signals.mjs',
    '@preact/signals-core': '/node_modules/@preact/signals-core/dist/signals-core.mjs',
  },
})}</script><docent-chat server="http://docent.example" chatbot="c1"></docent-chat>
<script type="module">
  import { defineElement } from '/dist/component/index.js';
  await defineElement();
  document.title = 'defined';
</script>`;

test('an element that was on the page before its definition becomes one chat', async () => {
  const visited = await browser.newPage();
  await visited.route('http://shop.example/**', (route) => {
    const { pathname } = new URL(route.request().url());
    return route.fulfill(pathname === '/' ? { contentType: 'text/html', body: page } : { path: `.${pathname}` });
  });
  await visited.goto('http://shop.example/');
  await expect.poll(() => visited.title()).toBe('defined');
  expect(await visited.locator('docent-widget').count()).toBe(1);
});
