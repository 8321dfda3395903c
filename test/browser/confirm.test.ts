import type { Browser, Locator, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from '../../server/dev/build.mjs';
import { openShop, ORDER, type Shop } from '../answer/tools/fixture.ts';
import { launchChromium } from './chromium.ts';
import { answers, askQuestion, field, log } from './visitor.ts';

let shop: Shop;
let browser: Browser;
let page: Page;

const meta = { class: 'ask', step: 'Cancel <b>the</b> order' };
const cancelling = { toolCalls: [{ id: 'call_1', name: 'cancel_order', arguments: { order: 7 } }] };
const addCancel = (): Promise<string> =>
  shop.addFunction({ name: 'cancel_order', parameters: ORDER, external_url: `${shop.tool.base}/cancel`, meta });
const pageAddress = (): string => `${shop.docent.base}/c/${shop.chatbot}`;
const callIn = (one: Page): Locator => one.getByRole('group', { name: meta.step, exact: true });

const newPage = async (): Promise<Page> => (await browser.newContext({ reducedMotion: 'reduce' })).newPage();

async function openPage(one: Page): Promise<void> {
  one.setDefaultTimeout(10_000);
  await one.goto(pageAddress());
  await field(one).waitFor();
}

beforeAll(async () => {
  await ensureBuilt();
  [shop, browser] = await Promise.all([openShop(), launchChromium()]);
});

afterAll(async () => {
  await browser?.close();
  await shop?.close();
});

afterEach(async () => {
  await page?.context().close();
  await shop.removeFunctions();
});

test('a visitor sees the step of a tool function, confirms a call by the keyboard, and reads how the answer goes on', async () => {
  await addCancel();
  let finish = (): void => undefined;
  shop.tool.reply = (_, response) => {
    finish = () => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"cancelled":true}');
  };
  shop.model.next(cancelling);
  page = await newPage();
  const faults: string[] = [];
  const loaded: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('response', (response) => loaded.push(new URL(response.url()).pathname));
  await openPage(page);
  expect(loaded.filter((path) => path.includes('confirmation'))).toEqual([]);
  await askQuestion(page, 'Please cancel order 7');
  const call = callIn(page);
  await call.getByRole('row', { name: 'Order 7' }).waitFor();
  // The card asks: the text that does, too, is for whoever reads no card.
  await call.getByText(`${meta.step}?`).waitFor();
  expect(await answers(page).getByText('Please confirm before this is done').isVisible()).toBe(false);
  expect(shop.tool.calls).toEqual([]);
  await call.getByRole('button', { name: meta.step }).focus();
  shop.model.next({ pieces: ['Order 7 is', ' cancelled.'] });
  await page.keyboard.press('Enter');
  await answers(page).locator('.waiting').getByText(meta.step).waitFor();
  expect(await call.getByRole('button').count()).toBe(0);
  await expect.poll(() => field(page).evaluate((element) => element.matches(':focus'))).toBe(true);
  finish();
  await answers(page).getByText('Order 7 is cancelled.').waitFor();
  expect(shop.tool.calls).toMatchObject([{ url: '/cancel', body: '{"order":7}' }]);
  expect(await answers(page).count()).toBe(1);
  expect(await answers(page).innerText()).toMatch(/^Please confirm before this is done: .*\s+Order 7 is cancelled\./);
  expect(faults).toEqual([]);
});

test('a call to confirm is there again after a reload and in another tab, and is made once', async () => {
  await addCancel();
  shop.model.next(cancelling);
  page = await newPage();
  await openPage(page);
  await askQuestion(page, 'Please cancel order 7');
  await callIn(page).waitFor();
  await page.reload();
  await callIn(page).getByRole('row', { name: 'Order 7' }).waitFor();
  const other = await page.context().newPage();
  await openPage(other);
  await callIn(other).waitFor();
  shop.model.next({ pieces: ['Order 7 is', ' cancelled.'] });
  await callIn(page).getByRole('button', { name: meta.step }).click();
  await answers(page).getByText('Order 7 is cancelled.').waitFor();
  await callIn(page).getByText(`${meta.step}: Yes`).waitFor();
  expect(await callIn(page).getByRole('button').count()).toBe(0);
  await callIn(other).getByRole('button', { name: 'Don’t do it' }).waitFor();
  // Chromium without a window shows every tab: the event alone tells that one is seen again.
  await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await answers(other).getByText('Order 7 is cancelled.').waitFor();
  await callIn(other).getByText(`${meta.step}: Yes`).waitFor();
  expect(shop.tool.calls).toHaveLength(1);
  await page.reload();
  await answers(page).getByText('Order 7 is cancelled.').waitFor();
  await callIn(page).getByText(`${meta.step}: Yes`).waitFor();
  await callIn(page).getByRole('row', { name: 'Order 7' }).waitFor();
  expect(await callIn(page).getByRole('button').count()).toBe(0);
});

test('a call that was declined shows so, after a reload too, and axe finds nothing in it', async () => {
  await addCancel();
  shop.model.next(cancelling);
  page = await newPage();
  await page.addInitScript({ path: 'node_modules/axe-core/axe.min.js' });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openPage(page);
  await askQuestion(page, 'Please cancel order 7');
  shop.model.next({ pieces: ['Order 7 stays.'] });
  await callIn(page).getByRole('button', { name: 'Don’t do it' }).click();
  for (const isReloaded of [false, true]) {
    if (isReloaded) await page.reload();
    await answers(page).getByText('Order 7 stays.').waitFor();
    await callIn(page).getByText(`${meta.step}: No`).waitFor();
    await callIn(page).getByRole('row', { name: 'Order 7' }).waitFor();
    expect(await callIn(page).getByRole('button').count()).toBe(0);
  }
  expect(shop.tool.calls).toEqual([]);
  const violations = await page.evaluate(async () => {
    type Axe = {
      run(options: { runOnly: string[] }): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
    };
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations: found } = await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
  expect(violations).toEqual([]);
});

test('Stop while a confirmed call is made ends it, and the visitor reads that it may have been done', async () => {
  await addCancel();
  shop.model.next(cancelling);
  shop.tool.reply = () => undefined;
  page = await newPage();
  await openPage(page);
  await askQuestion(page, 'Please cancel order 7');
  await callIn(page).getByRole('button', { name: meta.step }).click();
  await expect.poll(() => shop.tool.calls.length).toBe(1);
  await page.getByRole('button', { name: 'Stop' }).click();
  const unsure = answers(page).getByText('It is not certain that this was done:');
  await unsure.waitFor();
  await answers(page).getByText('The answer was stopped.').waitFor();
  await page.reload();
  await unsure.waitFor();
  expect([await callIn(page).getByRole('button').count(), shop.tool.calls.length]).toEqual([0, 1]);
});

const COLLECTION = {
  type: 'object',
  properties: {
    pieces: { type: 'array', items: { type: 'string' } },
    address: { type: 'string' },
    note: { type: 'string' },
  },
};
const collection = {
  pieces: ['one sofa', 'two chairs with a very long description so that it takes several lines'],
  address: 'Corn Market 3, 44551 Aller Valley',
  note: `${'x'.repeat(400)} ${'Please ring twice. '.repeat(60)}`,
};

test('on a narrow screen no argument of a call to confirm is cut: the conversation scrolls to each', async () => {
  await shop.addFunction({ name: 'order', parameters: COLLECTION, external_url: `${shop.tool.base}/order`, meta });
  shop.model.next({ toolCalls: [{ id: 'call_1', name: 'order', arguments: collection }] });
  page = await newPage();
  await page.setViewportSize({ width: 320, height: 568 });
  await openPage(page);
  await askQuestion(page, 'Please collect my sofa');
  await callIn(page).getByRole('button', { name: meta.step }).waitFor();
  const cells = await callIn(page).getByRole('cell').all();
  const table = callIn(page).getByRole('table');
  expect(cells).toHaveLength(3);
  const isWithin = (cell: Locator): Promise<boolean> =>
    cell.evaluate((element) => {
      const [inner, outer] = [element, element.closest('[role=group]')!].map((one) => one.getBoundingClientRect());
      const isIn = (from: 'top' | 'left', to: 'bottom' | 'right'): boolean =>
        inner![from] >= outer![from] && inner![to] <= outer![to];
      return isIn('top', 'bottom') && isIn('left', 'right');
    });
  expect(await Promise.all(cells.map(isWithin))).toEqual([true, true, true]);
  const linesOf = (headers: Element[]): number[] =>
    headers.map((header) => {
      const range = document.createRange();
      range.selectNodeContents(header);
      return range.getClientRects().length;
    });
  expect(await callIn(page).getByRole('rowheader').evaluateAll(linesOf)).toEqual([1, 1, 1]);
  const reach = await log(page).evaluate((element) => {
    element.scrollTop = 0;
    return [element.getBoundingClientRect().top, element.scrollHeight, element.scrollWidth - element.clientWidth];
  });
  const { y, height } = (await table.boundingBox())!;
  expect([y >= reach[0]!, y - reach[0]! + height <= reach[1]!, reach[2]]).toEqual([true, true, 0]);
});
