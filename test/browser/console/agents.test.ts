import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Locator, Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort, startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { apiOf, type Api } from './api.ts';
import { newPage, signInByKey, violations } from './console.ts';

/** The agents of a chatbot, in Chromium. */

let server: BuiltServer;
let browser: Browser;
let api: Api;
let shopPort: number;
beforeAll(async () => {
  shopPort = await freePort();
  const env = { FETCH_ALLOW: `127.0.0.1:${shopPort}` };
  [server, browser] = await Promise.all([startBuiltServer(env), launchChromium()]);
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
/** A server of a shop that repeats the address and the key that it gets; `keys` has those. */
async function startShop(): Promise<{ url: string; keys: unknown[] }> {
  const keys: unknown[] = [];
  const shop = createServer(({ url, headers }, response) => {
    keys.push(headers['x-key']);
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ got: url, key: headers['x-key'] }));
  });
  shop.listen(shopPort, '127.0.0.1');
  await once(shop, 'listening');
  onTestFinished(() => void shop.close());
  return { url: `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`, keys };
}

const shown = (page: Page): Promise<void> => page.getByRole('list', { name: 'Agents' }).waitFor();

test('are made, changed, and deleted; what is wrong is said at its field', async () => {
  const chatbot = await api.newChatbot('Team', 'What is a lamp?', 'A lamp gives light.');
  const { page } = await open(chatbot);
  await page.getByText('Add an agent').click();
  await page.getByLabel('Name of the new agent').fill('Orders');
  await page.getByLabel('What it does').selectOption('pre-canned');
  await page.getByRole('button', { name: 'Add the agent' }).click();
  // It opens by itself, with the focus; its form is the next stop of the keyboard.
  const form = card(page, 'Orders');
  await form.getByLabel('Description').waitFor();
  expect(await page.evaluate(() => document.activeElement!.textContent)).toMatch(/^Orders/);
  expect(await page.getByLabel('Name of the new agent').isVisible()).toBe(false);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  expect(await form.getByLabel('Switched on').isChecked()).toBe(true);
  await form.getByLabel('Description').fill('Where an order is');
  await form.getByLabel('Message').fill('Look at the letter.');
  await form.getByLabel('Examples').fill('Where is my order?\n\n  When does it come?  ');
  await form.getByRole('button', { name: 'Add a rule' }).click();
  const rules = form.getByRole('group', { name: 'Rules' });
  await rules.getByLabel('Value').fill(' , ');
  await form.getByRole('button', { name: 'Save the agent' }).click();
  await rules.getByText('Must be a list of at most 50, each a text with a word.').waitFor();
  expect(await form.getByText('rules[0]').count()).toBe(0);
  // Nothing of it was stored: it is one request.
  expect((await agentsOf(chatbot)).find(({ name }) => name === 'Orders')).toMatchObject({
    enabled: 0,
    description: '',
  });
  await rules.getByLabel('Value').fill('order, parcel');
  await form.getByRole('button', { name: 'Add a variable' }).click();
  await form.getByRole('button', { name: 'Save the agent' }).click();
  const variables = form.getByRole('group', { name: 'Variables' });
  await variables.getByText('Must be a text of 1 to 200 characters.').waitFor();
  await variables.getByLabel('Name').fill('order');
  await form.getByRole('button', { name: 'Save the agent' }).click();
  const made = async () => (await agentsOf(chatbot)).find(({ name }) => name === 'Orders')!;
  const saved = { enabled: 1, description: 'Where an order is', variables: [{ name: 'order' }] };
  await expect.poll(made).toMatchObject(saved);
  const { uuid } = await made();
  await expect
    .poll(() => api.call('GET', `/agent/${uuid}/routing`))
    .toEqual({ examples: ['Where is my order?', 'When does it come?'], rules: [{ contains: ['order', 'parcel'] }] });
  await form.getByRole('button', { name: 'Delete the agent' }).click();
  await form.getByRole('button', { name: 'Keep' }).click();
  await form.getByRole('button', { name: 'Delete the agent' }).click();
  await form.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(async () => (await agentsOf(chatbot)).length).toBe(1);
  await page.context().close();
});

test('a save sends what was changed: of two tabs, neither undoes the other', async () => {
  const chatbot = await api.newChatbot('Tabs', 'What is a lamp?', 'A lamp gives light.');
  const [{ uuid }] = (await agentsOf(chatbot)) as [Agent];
  const tool = { name: 'stock', description: 'Says what is in stock', external_url: `http://127.0.0.1:${shopPort}/` };
  const made = await api.call('POST', `/agent/${uuid}/function/create`, tool);
  const { page: one } = await open(chatbot);
  const other = await one.context().newPage();
  await other.goto(one.url());
  await shown(other);
  for (const page of [one, other]) {
    await openCard(page, 'General Q&A');
    await page.locator('summary').filter({ hasText: 'stock' }).click();
  }
  const toolOf = (page: Page) => page.locator('details').filter({ hasText: 'Try it' }).last();
  const save = async (page: Page, button = 'Save the agent'): Promise<void> => {
    await page.getByRole('button', { name: button }).click();
    await page.getByText('Saved.').waitFor();
  };
  await one.getByLabel('Description').fill('Lamps');
  await one.getByLabel('Examples').fill('What is a lamp?');
  await one.getByRole('group', { name: 'Variables' }).getByRole('button', { name: 'Add a variable' }).click();
  await one.getByRole('group', { name: 'Variables' }).getByLabel('Name').fill('plan');
  await save(one);
  await other.getByLabel('Prompt').fill('Be short.');
  await other.getByRole('group', { name: 'Rules' }).getByRole('button', { name: 'Add a rule' }).click();
  await other.getByRole('group', { name: 'Rules' }).getByLabel('Value').fill('lamp');
  await save(other);
  expect(await api.call('GET', `/agent/${uuid}`)).toMatchObject({
    description: 'Lamps',
    prompt: 'Be short.',
    variables: [{ name: 'plan' }],
  });
  expect(await api.call('GET', `/agent/${uuid}/routing`)).toEqual({
    examples: ['What is a lamp?'],
    rules: [{ contains: ['lamp'] }],
  });
  await toolOf(one).getByLabel('When to call it').fill('Says what there is');
  await one.getByRole('button', { name: 'Save the tool' }).click();
  const stored = async () => (await api.call<{ tool_functions: object[] }>('GET', `/agent/${uuid}`)).tool_functions;
  await expect.poll(stored).toMatchObject([{ description: 'Says what there is' }]);
  await toolOf(other).getByLabel('What visitors see meanwhile').fill('Counting');
  await other.getByRole('button', { name: 'Save the tool' }).click();
  await expect
    .poll(stored)
    .toMatchObject([{ uuid: made['uuid'], description: 'Says what there is', meta: { step: 'Counting' } }]);
  await one.context().close();
});

test('what the fields cannot show of rules and variables is kept, and a rule of any kind can be written', async () => {
  const chatbot = await api.newChatbot('Rules', 'What is a lamp?', 'A lamp gives light.');
  const [agent] = await agentsOf(chatbot);
  const { uuid } = agent!;
  const rules = [
    { any: [{ contains: ['a'] }, { all: [{ queries: { min: 2 } }] }] },
    { contains: ['salt, pepper'] },
    { variable: { name: 'plan', equals: 5 } },
    { variable: { name: 'plan', set: false } },
    { queries: { min: 1, max: 4 } },
  ];
  const variables = [{ name: 'plan', type: 'number', default_value: { content: '5', static: 7 } }];
  await api.call('POST', `/agent/${uuid}/update`, { variables, routing: { rules } });
  const { page } = await open(chatbot);
  await openCard(page, 'General Q&A');
  const form = card(page, 'General Q&A');
  await form.getByRole('button', { name: 'Add a rule' }).click();
  const added = form.getByRole('group', { name: 'Rules' });
  await added.getByLabel('It answers where').last().selectOption('json');
  await added.getByLabel('Value').last().fill('{"consecutive": {"min": 3}}');
  await form.getByRole('button', { name: 'Save the agent' }).click();
  const routing = () => api.call<{ rules: object[] }>('GET', `/agent/${uuid}/routing`);
  await expect.poll(async () => (await routing()).rules).toEqual([...rules, { consecutive: { min: 3 } }]);
  const stored = await api.call<{ variables: object[] }>('GET', `/agent/${uuid}`);
  expect(stored.variables).toMatchObject(variables);
  await page.context().close();
});

test('a tool is made, tried, changed and deleted by keyboard alone; its secret never comes back', async () => {
  const shop = await startShop();
  const chatbot = await api.newChatbot('Tools', 'What is a lamp?', 'A lamp gives light.');
  const { page, faults } = await open(chatbot);
  await openCard(page, 'General Q&A');
  const tools = page.getByRole('region', { name: 'Tools of General Q&A' });
  const press = async (target: Locator, key = 'Enter'): Promise<void> => {
    await target.focus();
    await page.keyboard.press(key);
  };
  await press(tools.getByText('Add a tool'));
  await tools.getByLabel('Name of the tool').fill('stock');
  await tools.getByLabel('When to call it').fill('Says what is in stock');
  await tools.getByLabel('Address').fill('no address');
  await press(tools.getByRole('button', { name: 'Add a header' }));
  const headers = tools.getByRole('group', { name: 'Headers' });
  await headers.getByLabel('Name').fill('X-Key');
  await headers.getByLabel('Value').fill('secret-of-the-shop');
  await press(tools.getByRole('button', { name: 'Add a parameter' }));
  const parameters = tools.getByRole('group', { name: 'Parameters' });
  await tools.getByLabel('Address').fill(`${shop.url}stock/{{sku}}`);
  await press(tools.getByRole('button', { name: 'Add the tool' }));
  expect(await parameters.locator('input:invalid').count()).toBe(1);
  expect(await page.evaluate(() => document.activeElement?.matches(':invalid'))).toBe(true);
  await tools.getByLabel('Address').fill('no address');
  await parameters.getByLabel('Name').fill('count');
  await parameters.getByLabel('Type').selectOption('integer');
  await press(tools.getByRole('button', { name: 'Add the tool' }));
  await expect.poll(() => tools.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
  await tools.getByLabel('Address').fill(`${shop.url}stock/{{sku}}`);
  await press(tools.getByRole('button', { name: 'Add the tool' }));
  await press(tools.locator('summary').filter({ hasText: 'stock' }));
  const attempt = tools.getByRole('form', { name: 'Try stock' });
  expect(await attempt.getByLabel('count', { exact: true }).isVisible()).toBe(true);
  await attempt.getByLabel('count').fill('two');
  await press(attempt.getByRole('button', { name: 'Call it' }));
  await attempt.getByText('Arguments do not fit').waitFor();
  await attempt.getByLabel('count').fill('2');
  await attempt.getByLabel('{{sku}}').fill('lamp');
  await press(attempt.getByRole('button', { name: 'Call it' }));
  await attempt.getByText('It worked.').waitFor();
  expect(await attempt.getByLabel('Reply').textContent()).toBe('{"got":"/stock/lamp?count=2","key":"****"}');
  const saved = async () =>
    (await api.call<{ tool_functions: object[] }[]>('GET', `/chatbot/${chatbot}/agents`))[0]!.tool_functions;
  expect(await saved()).toMatchObject([
    { name: 'stock', parameters: { properties: { count: { type: 'integer' } }, required: ['count'] } },
  ]);
  await page.reload();
  await shown(page);
  await openCard(page, 'General Q&A');
  await press(tools.locator('summary').filter({ hasText: 'stock' }));
  const form = tools.locator('details').filter({ hasText: 'Try it' });
  expect(await form.getByRole('group', { name: 'Headers' }).getByLabel('Value').inputValue()).toBe('****shop');
  expect(await page.content()).not.toContain('secret-of');
  await form.getByLabel('When to call it').fill('Says how many there are');
  await press(form.getByRole('button', { name: 'Save the tool' }));
  await expect
    .poll(saved)
    .toMatchObject([{ description: 'Says how many there are', headers: { 'X-Key': '****shop' } }]);
  await press(attempt.getByRole('button', { name: 'Call it' }));
  expect(await attempt.locator('input:invalid').count()).toBe(1);
  await press(form.getByRole('button', { name: 'Delete the tool' }));
  await press(form.getByRole('button', { name: 'Delete', exact: true }));
  await expect.poll(saved).toEqual([]);
  expect(faults.filter((fault) => !/422/.test(fault))).toEqual([]);
  await page.context().close();
});

test('a tool is tried with a variable that only its headers name', async () => {
  const shop = await startShop();
  const chatbot = await api.newChatbot('Headers', 'What is a lamp?', 'A lamp gives light.');
  const [agent] = await agentsOf(chatbot);
  const made = { name: 'stock', description: 'Says what is in stock', external_url: shop.url };
  await api.call('POST', `/agent/${agent!.uuid}/function/create`, {
    ...made,
    headers: { 'X-Key': '{{customer_token}}' },
  });
  const { page } = await open(chatbot);
  await openCard(page, 'General Q&A');
  await page.getByText('stock').first().click();
  const trial = page.getByRole('form', { name: 'Try stock' });
  await trial.getByRole('button', { name: 'Fill in a variable' }).press('Enter');
  await trial.getByLabel('Name').fill('customer_token');
  await trial.getByLabel('Value').fill('of Ann');
  await trial.getByRole('button', { name: 'Call it' }).press('Enter');
  await trial.getByText('It worked.').waitFor();
  expect(shop.keys).toEqual(['of Ann']);
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
    routing: { rules: [{ contains: [attack] }, { variable: { name: attack, equals: attack } }] },
  });
  await api.call('POST', `/agent/${uuid}/function/create`, {
    name: `Tool ${attack}`.slice(0, 190),
    description: attack,
    external_url: `http://127.0.0.1:9/{{${attack.replace(/[^\w<>]/g, '')}}}`,
    headers: { 'X-Attack': attack },
    parameters: { type: 'object', properties: { [attack]: { type: 'string', description: attack, default: attack } } },
    meta: { step: attack, examples: [attack] },
  });
  const { page, faults } = await open(chatbot, options);
  // Those within a card come with it.
  for (const list of ['.team > li > details > summary', '.inside summary'])
    for (const summary of await page.locator(list).elementHandles()) await summary.click();
  await page.getByLabel('All of them').first().waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.title()).not.toBe('hit');
  expect(await page.locator('img').count()).toBe(0);
  if ('hasTouch' in options)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(faults).toEqual([]);
  await page.context().close();
});
