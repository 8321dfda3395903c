import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { apiOf, type Api } from './api.ts';
import { newPage, signInByKey, violations } from './console.ts';

/** The agents of a chatbot, in Chromium. */

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

interface Agent {
  uuid: string;
  name: string;
  enabled: 0 | 1;
  meta: { bias: number };
}
const agentsOf = (chatbot: string): Promise<Agent[]> => api.call('GET', `/chatbot/${chatbot}/agents`);
const card = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Agents' }).getByRole('listitem').filter({ hasText: name });
const openCard = (page: Page, name: string): Promise<void> => card(page, name).locator('summary').click();

async function open(chatbot: string, options = {}): Promise<{ page: Page; faults: string[] }> {
  const made = await newPage(browser, options);
  await signInByKey(made.page, server, `/console/chatbot/${chatbot}/agents`);
  await shown(made.page);
  made.faults.length = 0;
  return made;
}
const shown = (page: Page): Promise<void> => page.getByRole('list', { name: 'Agents' }).waitFor();

test('are made, changed, and deleted; what is wrong is said at its field', async () => {
  const chatbot = await api.newChatbot('Team', 'What is a lamp?', 'A lamp gives light.');
  const { page } = await open(chatbot);
  await page.getByText('Add an agent').click();
  await page.getByLabel('Name of the new agent').fill('Orders');
  await page.getByLabel('What it does').selectOption('pre-canned');
  await page.getByRole('button', { name: 'Add the agent' }).click();
  await card(page, 'Orders').waitFor();
  await openCard(page, 'Orders');
  const form = card(page, 'Orders');
  await form.getByLabel('Switched on').check();
  await form.getByLabel('Description').fill('Where an order is');
  await form.getByLabel('Message').fill('Look at the letter.');
  await form.getByLabel('Examples').fill('Where is my order?\n\n  When does it come?  ');
  await form.getByLabel('Rules').fill('[{"contains": []}]');
  await form.getByRole('button', { name: 'Save the agent' }).click();
  const wrong = form.getByLabel('Rules');
  await expect.poll(() => wrong.getAttribute('aria-invalid')).toBe('true');
  await wrong.fill('[{"contains": ["order"]}]');
  await form.getByLabel('Variables').fill('no JSON');
  await form.getByRole('button', { name: 'Save the agent' }).click();
  await expect.poll(() => form.getByLabel('Variables').getAttribute('aria-invalid')).toBe('true');
  await form.getByLabel('Variables').fill('[{"name": "order"}]');
  await form.getByRole('button', { name: 'Save the agent' }).click();
  const made = async () => (await agentsOf(chatbot)).find(({ name }) => name === 'Orders')!;
  const saved = { enabled: 1, description: 'Where an order is', variables: [{ name: 'order' }] };
  await expect.poll(made).toMatchObject(saved);
  const { uuid } = await made();
  await expect
    .poll(() => api.call('GET', `/agent/${uuid}/routing`))
    .toEqual({ examples: ['Where is my order?', 'When does it come?'], rules: [{ contains: ['order'] }] });
  await form.getByRole('button', { name: 'Delete the agent' }).click();
  await form.getByRole('button', { name: 'Keep' }).click();
  await form.getByRole('button', { name: 'Delete the agent' }).click();
  await form.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(async () => (await agentsOf(chatbot)).length).toBe(1);
  await page.context().close();
});

test('a dial says which of the messages would have gone elsewhere, before it is saved', async () => {
  const chatbot = await api.newChatbot('Dials', 'What is a lamp?', 'A lamp gives light.');
  const { uuid } = await api.call<Agent>('POST', `/chatbot/${chatbot}/agent/create`, {
    name: 'Repairs',
    type: 'user-facing',
    description: 'Broken lamps',
  });
  await api.call('POST', `/agent/${uuid}/update`, { enabled: true });
  await api.call('POST', `/agent/${uuid}/routing`, { examples: ['My lamp is broken', 'What is broken?'] });
  await api.ask(chatbot, 'My lamp is broken');
  const { page } = await open(chatbot);
  await page.getByText('0 of the last 1 message would have gone elsewhere.').waitFor();
  const dial = page.getByRole('group', { name: 'Repairs' }).getByRole('slider').first();
  await dial.focus();
  await page.keyboard.press('Home');
  await page.getByText('1 of the last 1 message would have gone elsewhere.').waitFor();
  const moved = page.getByRole('list', { name: 'Messages that would go elsewhere' }).getByRole('link');
  expect(await moved.textContent()).toContain('Repairs → General Q&A');
  const bias = async () => (await agentsOf(chatbot)).find((one) => one.uuid === uuid)!.meta.bias;
  expect(await bias()).toBe(0);
  await page.getByRole('button', { name: 'Save these settings' }).click();
  await expect.poll(bias).toBe(-3);
  await page.context().close();
});

test.each([
  ['light', { colorScheme: 'light' as const }],
  ['dark', { colorScheme: 'dark' as const }],
  ['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
])('break no rule of axe, and run nothing that an owner wrote, %s', async (_, options) => {
  const attack = `"><img src=x onerror="document.title='hit'"><script>document.title='hit'</script>`;
  const chatbot = await api.newChatbot(`Evil ${attack}`, `Question ${attack}`, `Answer ${attack}`);
  const { uuid } = await api.call<Agent>('POST', `/chatbot/${chatbot}/agent/create`, {
    name: `Agent ${attack}`.slice(0, 190),
    type: 'user-facing',
    description: attack,
    prompt: attack,
  });
  await api.call('POST', `/agent/${uuid}/update`, {
    enabled: true,
    variables: [{ name: attack, description: attack }],
  });
  const { page, faults } = await open(chatbot, options);
  for (const summary of await page.locator('summary').all()) await summary.click();
  await page.getByLabel('All of them').first().waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.title()).not.toBe('hit');
  expect(await page.locator('img').count()).toBe(0);
  if ('hasTouch' in options)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(faults).toEqual([]);
  await page.context().close();
});
