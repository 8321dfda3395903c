import type { Browser, BrowserContextOptions } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../../built-server.ts';
import { launchChromium } from '../../chromium.ts';
import { apiOf } from '../api.ts';
import { newPage, signInByKey } from '../console.ts';

/** The list of gaps while its groups are answered and hidden, in Chromium. */

let server: BuiltServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function openGaps(questions: string[], options: BrowserContextOptions = {}) {
  const api = apiOf(server);
  const chatbot = await api.newChatbot('Ferries', 'When does the last ferry leave?', 'At ten to nine.');
  for (const query of questions) await api.ask(chatbot, query);
  const { page, faults } = await newPage(browser, options);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/gaps`);
  const groups = page.getByRole('list', { name: 'Gaps' }).getByRole('region');
  await groups.first().waitFor();
  faults.length = 0;
  const titles = () => groups.getByRole('heading').allTextContents();
  return { ask: (query: string) => api.ask(chatbot, query), page, faults, groups, titles };
}

const QUESTIONS = ['Do you sell pink llamas?', 'Can I bring my bicycle?', 'Is there a sauna?', 'Are parrots welcome?'];

test('a group that is hidden or answered keeps its place, and the page does not scroll', async () => {
  const { page, faults, groups, titles } = await openGaps(QUESTIONS, { viewport: { width: 800, height: 300 } });
  const before = await titles();
  expect(before).toHaveLength(4);
  const hide = groups.nth(3).getByRole('button', { name: 'Not ours' });
  await hide.scrollIntoViewIfNeeded();
  const top = await page.evaluate(() => scrollY);
  expect(top).toBeGreaterThan(200);
  await hide.click();
  await page.getByText('3 gaps open. There were 4.').waitFor();
  expect(await titles()).toEqual(before);
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(top - 50);
  await groups.nth(2).getByText('Write the answer yourself').click();
  await groups.nth(2).getByLabel('Answer to').fill('Yes, on the upper deck.');
  await groups.nth(2).getByRole('button', { name: 'Save the answer' }).click();
  await page.getByText('2 gaps open. There were 4.').waitFor();
  expect(await titles()).toEqual(before);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('an address in a question, without a space, makes no page wider than a phone', async () => {
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  const { page, groups } = await openGaps([`https://shop.example/${'a'.repeat(200)}`], phone);
  await groups.first().getByText('Write the answer yourself').click();
  await groups.first().getByLabel('Answer to').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await page.context().close();
});

test('a group stands there once, and keeps what is typed, although visitors use other words meanwhile', async () => {
  const [ours, other] = ['Do you rent tandem bikes?', 'Can I rent a tandem bike from you?'];
  const { ask, page, groups, titles } = await openGaps([ours, ...QUESTIONS.slice(2)]);
  const before = await titles();
  const group = groups.filter({ hasText: ours });
  await group.getByText('Write the answer yourself').click();
  await group.getByLabel('Answer to').fill('Yes, at the pier.');
  await group.getByRole('button', { name: 'Save the answer' }).click();
  await page.getByText('2 gaps open. There were 3.').waitFor();
  await group.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('3 gaps open.').waitFor();
  const sauna = groups.filter({ hasText: 'Is there a sauna?' });
  await sauna.getByText('Write the answer yourself').click();
  await sauna.getByLabel('Answer to').fill('Half of an');
  for (const query of [other, other, 'Does the ship have a sauna?', 'Does the ship have a sauna?', QUESTIONS[0]!])
    await ask(query);
  await groups.filter({ hasText: 'Are parrots welcome?' }).getByRole('button', { name: 'Not ours' }).click();
  await page.getByText('3 gaps open.').waitFor();
  await groups.filter({ hasText: QUESTIONS[0]! }).waitFor();
  expect(await titles()).toEqual([...before, QUESTIONS[0]]);
  expect(await sauna.getByLabel('Answer to').inputValue()).toBe('Half of an');
  expect(await group.getByText('Asked 3 times').count()).toBe(1);
  await page.context().close();
});

test('of more groups than the list has, it says that the others come later', async () => {
  const things = Array.from({ length: 52 }, (_, at) => `zq${at.toString(36)}x${(at * 7).toString(36)}`);
  const { page, groups } = await openGaps(things.map((thing) => `Do you sell ${thing}?`));
  await page.getByText('52 gaps open. Here are the 50 asked most: the others come as these are').waitFor();
  expect(await groups.count()).toBe(50);
  await page.context().close();
});
