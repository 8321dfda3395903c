import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from '../../server/dev/build.mjs';
import { openShop, ORDER, type Shop } from '../answer/tools/fixture.ts';
import { launchChromium } from './chromium.ts';
import { answers, askQuestion, log, openChat } from './visitor.ts';

let shop: Shop;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  await ensureBuilt();
  [shop, browser] = await Promise.all([openShop(), launchChromium()]);
});

afterAll(async () => {
  await browser?.close();
  await shop?.close();
});

test('a visitor sees the step of a tool function, confirms a call by the keyboard, and reads how the answer goes on', async () => {
  const meta = { class: 'ask', step: 'Cancel <b>the</b> order' };
  const external_url = `${shop.tool.base}/cancel`;
  await shop.addFunction({ name: 'cancel_order', parameters: ORDER, external_url, meta });
  let finish = (): void => undefined;
  shop.tool.reply = (_, response) => {
    finish = () => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"cancelled":true}');
  };
  shop.model.next({ toolCalls: [{ id: 'call_1', name: 'cancel_order', arguments: { order: 7 } }] });
  page = await browser.newPage();
  page.setDefaultTimeout(10_000);
  const faults: string[] = [];
  const loaded: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('response', (response) => loaded.push(new URL(response.url()).pathname));
  await page.goto(`${shop.docent.base}/c/${shop.chatbot}`);
  if (!(await page.getByRole('textbox').isVisible())) await openChat(page);
  expect(loaded.filter((path) => path.includes('confirmation'))).toEqual([]);
  await askQuestion(page, 'Please cancel order 7');
  const call = page.getByRole('group', { name: meta.step, exact: true });
  await call.getByRole('row', { name: 'order 7' }).waitFor();
  expect(shop.tool.calls).toEqual([]);
  await call.getByRole('button', { name: 'Yes' }).focus();
  shop.model.next({ pieces: ['Order 7 is', ' cancelled.'] });
  await page.keyboard.press('Enter');
  await answers(page).locator('.waiting').getByText(meta.step).waitFor();
  expect(await call.count()).toBe(0);
  await expect.poll(() => log(page).evaluate((element) => element.matches(':focus'))).toBe(true);
  finish();
  await answers(page).getByText('Order 7 is cancelled.').waitFor();
  expect(shop.tool.calls).toMatchObject([{ url: '/cancel', body: '{"order":7}' }]);
  expect(await answers(page).count()).toBe(1);
  expect(await answers(page).innerText()).toMatch(/^Please confirm before this is done: .*\s+Order 7 is cancelled\./);
  expect(faults).toEqual([]);
});
