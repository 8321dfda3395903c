import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
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
