import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { contrastOf } from './contrast.ts';
import { askQuestion, openChat } from '../visitor.ts';

let model: FakeModel;
let server: BuiltServer;
let browser: Browser;

beforeAll(async () => {
  model = await startFakeModel({ json: { pieces: ['{"tags":[]}'] } });
  [server, browser] = await Promise.all([
    startBuiltServer({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'any' }),
    launchChromium(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([server?.stop(), model?.close()]);
});

test('code in an answer is coloured once it has ended, without a change of its elements', async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(`${server.base}/demo/`);
  await openChat(page);
  model.next({ pieces: ['So:\n\n```py\ndef f(x):\n', '    return "a" # b\n```\n\nThat is all.'] });
  await askQuestion(page, 'How do I write that in Python, please?');
  await page.getByRole('button', { name: 'Helpful', exact: true }).waitFor();
  const coloured = (): Promise<string[]> =>
    page.evaluate(() =>
      Array.from(CSS.highlights, ([name, ranges]) => [name, ...Array.from(ranges, String)].join(' ')).toSorted(),
    );
  await expect
    .poll(coloured, { timeout: 15_000 })
    .toEqual(['docent-comment # b', 'docent-keyword def return', 'docent-string "a"']);
  expect(await page.locator('pre code *').count()).toBe(0);
  await page.close();
});

test.each([
  ['light', ''],
  ['dark', '&scheme=dark'],
  ['light, yellow', '&color=%23facc15'],
  ['dark, pink', '&color=%23db2777&scheme=dark'],
])('the colours of code have a contrast of 4.5 at least, %s', async (_name, query) => {
  const page = await browser.newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(`${server.base}/demo/states.html?scene=Code${query}`);
  await page.getByRole('button', { name: 'Helpful', exact: true }).waitFor();
  await expect.poll(() => page.evaluate(() => CSS.highlights.size), { timeout: 15_000 }).toBeGreaterThan(2);
  const [ground, ...colors] = await page
    .locator('pre code')
    .evaluate((code) => [
      getComputedStyle(code.closest('.scroll')!).backgroundColor,
      ...['comment', 'string', 'number', 'keyword'].map(
        (kind) => getComputedStyle(code, `::highlight(docent-${kind})`).color,
      ),
    ]);
  const contrasts = await Promise.all(colors.map((color) => contrastOf(page, color, ground!)));
  expect(Math.min(...contrasts), contrasts.map((one) => one.toFixed(1)).join()).toBeGreaterThanOrEqual(4.5);
  await page.close();
});

test('in forced colours code keeps the colour of the text', async () => {
  const page = await browser.newPage({ forcedColors: 'active' });
  page.setDefaultTimeout(15_000);
  const loaded = page.waitForEvent('requestfinished', (request) => /\/colours-\w+/.test(request.url()));
  await page.goto(`${server.base}/demo/states.html?scene=Code`);
  await loaded;
  await page.getByRole('button', { name: 'Helpful', exact: true }).waitFor();
  expect(await page.evaluate(() => CSS.highlights.size)).toBe(0);
  await page.close();
});
