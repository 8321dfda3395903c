import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../../built-server.ts';
import { launchChromium } from '../../chromium.ts';
import { apiOf, type Api } from '../api.ts';
import { newPage, signInByKey } from '../console.ts';

/** Two owners who change the same record at once, in Chromium; the other one calls the API. */

let server: BuiltServer;
let browser: Browser;
let api: Api;
beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
  api = apiOf(server);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const [QUESTION, ANSWER] = ['How long may I return a lamp?', 'You may return a lamp within 45 days.'];

async function open(chatbot: string, screen: string): Promise<Page> {
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/${screen}`);
  return page;
}
const newChatbot = async (): Promise<{ chatbot: string; agent: string }> => {
  const chatbot = await api.newChatbot('Both', QUESTION, ANSWER);
  const [agent] = await api.call<{ uuid: string }[]>('GET', `/chatbot/${chatbot}/agents`);
  return { chatbot, agent: agent!.uuid };
};
/** `act` of the other owner comes between the page's look and its first change. */
async function beforeFirst(page: Page, url: string, act: () => Promise<unknown>): Promise<void> {
  let isDone = false;
  await page.route(url, async (route) => {
    if (route.request().method() !== 'GET' && !isDone) {
      isDone = true;
      await act();
    }
    await route.continue();
  });
}
const failure = (page: Page) => page.getByRole('alert').getByText('Somebody else has changed it meanwhile');

test('an example is added to those that another owner adds at the same time', async () => {
  const { chatbot } = await newChatbot();
  const made = { name: 'Repairs', type: 'pre-canned', description: 'Broken lamps' };
  const { uuid } = await api.call<{ uuid: string }>('POST', `/chatbot/${chatbot}/agent/create`, made);
  const routing = `/agent/${uuid}/routing`;
  const page = await open(chatbot, 'playground');
  await beforeFirst(page, `**${routing}`, () => api.call('POST', routing, { examples: ['My lamp is broken'] }));
  const query = 'The shade came off in the parcel';
  const field = page.frameLocator('iframe').getByRole('textbox');
  await field.fill(query);
  await field.press('Enter');
  await page.getByText('Wrong agent').click();
  await page.getByLabel('Add the question as an example to').selectOption(uuid);
  await page.getByRole('button', { name: 'Add the example' }).click();
  await page.getByText('It is an example of Repairs').waitFor();
  expect(await api.call('GET', routing)).toMatchObject({ examples: ['My lamp is broken', query] });
  await page.context().close();
});

test('the form of an agent replaces no list that another owner has changed since', async () => {
  const { chatbot, agent } = await newChatbot();
  const page = await open(chatbot, 'agents');
  await page.getByRole('list', { name: 'Agents' }).locator('summary').first().click();
  const save = page.getByRole('button', { name: 'Save the agent' });
  const examples = async () => (await api.call<{ examples: string[] }>('GET', `/agent/${agent}/routing`)).examples;
  // Of its own changes the first is in the way of none.
  for (const lines of ['One?', 'One?\nTwo?']) {
    await page.getByLabel('Examples').fill(lines);
    await save.click();
    await expect.poll(examples).toEqual(lines.split('\n'));
  }
  await api.call('POST', `/agent/${agent}/routing`, { examples: ['One?', 'Two?', 'Of another owner?'] });
  await page.getByLabel('Examples').fill('One?\nTwo?\nThree?');
  await save.click();
  await failure(page).waitFor();
  expect(await examples()).toEqual(['One?', 'Two?', 'Of another owner?']);
  await page.context().close();
});

test('the form of an agent is saved beside what another owner changes elsewhere in it', async () => {
  const { chatbot, agent } = await newChatbot();
  const page = await open(chatbot, 'agents');
  await page.getByRole('list', { name: 'Agents' }).locator('summary').first().click();
  await beforeFirst(page, `**/agent/${agent}/update`, () =>
    api.call('POST', `/agent/${agent}/update`, { description: 'Of another owner' }),
  );
  await page.getByLabel('Examples').fill('One?');
  await page.getByRole('button', { name: 'Save the agent' }).click();
  await page.getByText('Saved.').waitFor();
  expect(await api.call('GET', `/agent/${agent}/routing`)).toMatchObject({ examples: ['One?'] });
  expect(await api.call('GET', `/agent/${agent}`)).toMatchObject({ description: 'Of another owner' });
  await page.context().close();
});

test('the form of a tool replaces no list that another owner has changed since', async () => {
  const { chatbot, agent } = await newChatbot();
  const tool = { name: 'stock', description: 'Says what is in stock', external_url: 'https://shop.example/' };
  const { uuid } = await api.call<{ uuid: string }>('POST', `/agent/${agent}/function/create`, tool);
  const page = await open(chatbot, 'agents');
  await page.getByRole('list', { name: 'Agents' }).locator('summary').first().click();
  await page.getByText('stock').first().click();
  const form = page.locator('form').filter({ hasText: 'Save the tool' });
  const isSaved = async (words: string) => {
    await form.getByLabel('Questions that call it without a model').fill(words);
    await form.getByRole('button', { name: 'Save the tool' }).click();
    await form.getByText('Saved.').waitFor();
  };
  await isSaved('Is it there?');
  await isSaved('Is it there?\nHow many?');
  const meta = { examples: ['Of another owner?'] };
  await api.call('POST', `/function/${uuid}/update`, { meta });
  await form.getByLabel('Questions that call it without a model').fill('Is it there?');
  await form.getByRole('button', { name: 'Save the tool' }).click();
  await failure(page).waitFor();
  expect(await api.call('GET', `/agent/${agent}`)).toMatchObject({ tool_functions: [{ meta }] });
  await page.context().close();
});

test('the settings of a widget replace no list that another owner has changed since', async () => {
  const { chatbot } = await newChatbot();
  const path = `/chatbot/${chatbot}/widget`;
  const page = await open(chatbot, 'widget');
  const field = page.getByLabel('Sites that may show it');
  await page.getByText('Where it may run', { exact: true }).click();
  await api.call('POST', path, { title: 'Of another owner', allowed_origins: ['https://one.example'] });
  await page.getByLabel('Title').fill('Help');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  expect(await api.call('GET', path)).toMatchObject({ title: 'Help', allowed_origins: ['https://one.example'] });
  await api.call('POST', path, { allowed_origins: ['https://two.example'] });
  await field.fill('https://three.example');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await failure(page).waitFor();
  expect(await api.call('GET', path)).toMatchObject({ allowed_origins: ['https://two.example'] });
  await page.context().close();
});
