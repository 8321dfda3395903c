import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../../built-server.ts';
import { launchChromium } from '../../chromium.ts';
import { apiOf } from '../api.ts';
import { newPage, signInByKey } from '../console.ts';

/** Which sources an agent answers from, in Chromium. */

let server: BuiltServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('a source is found by its words among more than are offered, and chosen ones stay in sight', async () => {
  const api = apiOf(server);
  const chatbot = await api.newChatbot('Many', 'What is a lamp?', 'A lamp gives light.');
  const add = (question: string) =>
    api.call('POST', `/chatbot/${chatbot}/data-source/qa`, { question, answer: 'Yes.' });
  await add('Are pink llamas sold?');
  for (let at = 0; at < 200; at++) await add(`Is chair ${at} sold?`);
  await add('Who is the newest?');
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/agents`);
  const card = page.getByRole('list', { name: 'Agents' }).getByRole('listitem').first();
  await card.locator('summary').first().click();
  const sources = card.getByRole('group', { name: 'Sources', exact: true });
  const boxes = sources.getByRole('checkbox');
  await expect.poll(() => boxes.count()).toBe(201);
  await sources.getByText('There are more: search to find them.').waitFor();
  const unseen = (await sources.getByLabel('Are pink llamas sold?').count())
    ? 'Who is the newest?'
    : 'Are pink llamas sold?';
  const find = async (words: string): Promise<void> => {
    await sources.getByLabel('Find sources').fill(words);
    await page.keyboard.press('Enter');
  };
  await find(unseen);
  await sources.getByLabel(unseen).check();
  await find('chair 99');
  await expect.poll(() => boxes.count()).toBe(3);
  expect(await sources.getByLabel(unseen).isChecked()).toBe(true);
  await find('no such chair');
  await sources.getByText('Nothing matches.').waitFor();
  await expect.poll(() => boxes.count()).toBe(2);
  // The form around it was not sent by Enter.
  expect(await card.getByText('Saved.').count()).toBe(0);
  await card.getByRole('button', { name: 'Save the agent' }).click();
  await card.getByText('Saved.').waitFor();
  await page.reload();
  await card.locator('summary').first().click();
  await expect.poll(() => sources.getByLabel(unseen).isChecked()).toBe(true);

  const all = await api.call<{ uuid: string }[]>('GET', `/chatbot/${chatbot}/data-sources?limit=1000`);
  expect(all.length).toBe(203);
  const [agent] = await api.call<{ uuid: string }[]>('GET', `/chatbot/${chatbot}/agents`);
  await api.call('POST', `/agent/${agent!.uuid}/update`, { data_source_uuids: all.map(({ uuid }) => uuid) });
  await page.reload();
  await card.locator('summary').first().click();
  await find('no such chair');
  await sources.getByText('Chosen too, and not listed: 3.').waitFor();
  await expect.poll(() => boxes.count()).toBe(201);
  await page.context().close();
});

test('a chosen source that could not be loaded is told of, and one that is gone is not', async () => {
  const api = apiOf(server);
  const chatbot = await api.newChatbot('Chosen', 'What is a lamp?', 'A lamp gives light.');
  const { uuid } = await api.call('POST', `/chatbot/${chatbot}/data-source/qa`, {
    question: 'Is it sold?',
    answer: 'Yes.',
  });
  const [agent] = await api.call<{ uuid: string }[]>('GET', `/chatbot/${chatbot}/agents`);
  await api.call('POST', `/agent/${agent!.uuid}/update`, { data_source_uuids: [uuid] });
  const { page } = await newPage(browser);
  let status = 503;
  // As if it were not among those that are offered.
  await page.route('**/data-sources?*', (route) => route.fulfill({ json: [] }));
  await page.route(`**/data-source/${uuid}`, (route) => (status ? route.fulfill({ status }) : route.continue()));
  await signInByKey(page, server, `/console/chatbot/${chatbot}/agents`);
  const card = page.getByRole('list', { name: 'Agents' }).getByRole('listitem').first();
  await card.locator('summary').first().click();
  await card.getByRole('alert').getByText('The server answered 503: try again later.').waitFor();
  status = 0;
  await card.getByRole('button', { name: 'Try again' }).click();
  expect(await card.getByLabel('Is it sold?').isChecked()).toBe(true);
  status = 404;
  await page.reload();
  await card.locator('summary').first().click();
  await card.getByText('Nothing matches.').waitFor();
  expect(await card.getByLabel('Is it sold?').count()).toBe(0);
  expect(await card.getByText('The server answered').count()).toBe(0);
  await page.context().close();
});
