import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { newPage, signInByKey, violations } from './console.ts';

/** What Settings tells the operator of the model, in Chromium. */

let server: BuiltServer;
let plain: BuiltServer;
let browser: Browser;
let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
  const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: '<img src=x>', LLM_API_KEY: 'key-of-the-model' };
  [server, plain, browser] = await Promise.all([startBuiltServer(env), startBuiltServer(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await plain?.stop();
  await model?.close();
});

test.each([
  ['light', { colorScheme: 'light' as const }],
  ['dark', { colorScheme: 'dark' as const }],
  ['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
])('a test by keyboard says what is wrong, then that it works, %s', async (_, options) => {
  const { page, faults } = await newPage(browser, options);
  await signInByKey(page, server, '/console/settings');
  faults.length = 0;
  const host = new URL(model.baseUrl).host;
  await page.getByText(`Answers: <img src=x> at ${host}`).waitFor();
  const button = page.getByRole('button', { name: 'Test', exact: true });
  model.next({ status: 401, raw: ['{}'] });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.getByText(`${host} refuses the key (status 401).`).waitFor();
  await page.getByText('Set LLM_API_KEY to a key of that server.').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByText('Answers: works,').waitFor();
  expect(await page.getByText('refuses the key').count()).toBe(0);
  expect(await page.content()).not.toContain('key-of-the-model');
  if ('hasTouch' in options)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('without a model it says that answers are quoted', async () => {
  const { page } = await newPage(browser);
  await signInByKey(page, plain, '/console/settings');
  await page.getByText('No model writes answers: they are quoted from the sources.').waitFor();
  expect(await page.getByRole('button', { name: 'Test', exact: true }).count()).toBe(0);
  await page.context().close();
});
