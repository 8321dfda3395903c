import type { Browser, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../../built-server.ts';
import { launchChromium } from '../../chromium.ts';
import { apiOf, type Api } from '../api.ts';
import { newPage, signInByKey } from '../console.ts';
import { countOf, hold } from './hold.ts';

/** What the owner does while a reply is on its way, in Chromium. */

let server: BuiltServer;
let browser: Browser;
let api: Api;
let page: Page;
beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
  api = apiOf(server);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});
afterEach(() => page?.context().close());

/** Signs in at a screen of a chatbot with one answer. */
async function open(screen: string, given?: (chatbot: string) => Promise<unknown>): Promise<string> {
  const chatbot = await api.newChatbot('Slow', 'What is a lamp?', 'A lamp gives light.');
  await given?.(chatbot);
  ({ page } = await newPage(browser));
  await signInByKey(page, server, `/console/chatbot/${chatbot}/${screen}`);
  return chatbot;
}
const focused = (): Promise<string> =>
  page.evaluate(() => (document.activeElement as HTMLInputElement).name || document.activeElement!.tagName);

const askBoth = async (chatbot: string): Promise<void> => {
  await api.ask(chatbot, 'Are pink llamas sold?');
  await api.ask(chatbot, 'Who won the world cup?');
};
const conversation = () => page.getByRole('region', { name: 'Conversation' });
const openConversation = (of: string): Promise<void> =>
  page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name: of }).click();
async function writeAnswer(text: string): Promise<void> {
  await conversation().getByText('Write the answer yourself').click();
  await conversation().getByLabel('Answer to').fill(text);
}

test('a conversation that is deleted late does not close the one that is read by then', async () => {
  await open('conversations', askBoth);
  await openConversation('llamas');
  const deleting = await hold(page, 'POST', /\/delete$/);
  await page.getByRole('button', { name: 'Delete this conversation' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await deleting.isSent;
  await openConversation('world cup');
  await writeAnswer('The other team.');
  await deleting.go();
  await expect.poll(() => page.getByRole('list', { name: 'Conversations' }).getByRole('link').count()).toBe(1);
  expect(await conversation().getByLabel('Answer to').inputValue()).toBe('The other team.');
  expect(await focused()).toBe('answer');
});

test('a filter asks before it closes a conversation with an answer that is half written', async () => {
  await open('conversations', askBoth);
  await openConversation('llamas');
  await writeAnswer('We sell none.');
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void (asked.length === 1 ? dialog.dismiss() : dialog.accept());
  });
  await page.getByLabel('Show').selectOption('unknown');
  await expect.poll(() => asked.length).toBe(1);
  expect(await conversation().getByLabel('Answer to').inputValue()).toBe('We sell none.');
  expect(await page.getByLabel('Show').inputValue()).toBe('');
  await page.getByLabel('Show').selectOption('unsure');
  await expect.poll(() => conversation().count()).toBe(0);
  expect(new URL(page.url()).search).toBe('?has=unsure');
});

test('a question that is typed while an answer comes is not taken away by its end', async () => {
  await open('start');
  const field = page.getByRole('textbox', { name: 'Question' });
  await field.fill('What is a lamp?');
  const asking = await hold(page, 'POST', /\/session\/create$/);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await asking.isSent;
  await field.fill('What is a chair?');
  await asking.go();
  await page.getByRole('article', { name: 'Answer' }).getByRole('list', { name: 'Sources' }).waitFor();
  await expect.poll(() => page.getByRole('article').getAttribute('aria-busy')).toBe('false');
  expect(await field.inputValue()).toBe('What is a chair?');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await expect.poll(() => field.inputValue()).toBe('');
});

test('what is typed into the widget’s form while it is saved stays', async () => {
  const chatbot = await open('widget');
  const title = page.getByLabel('Title');
  await title.fill('Lamps');
  const saving = await hold(page, 'POST', /\/widget$/);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await saving.isSent;
  await title.fill('Lamps and chairs');
  await saving.go();
  await page.getByText('1 unsaved change: Title').waitFor();
  await expect
    .poll(() => page.getByRole('button', { name: 'Save', exact: true }).getAttribute('aria-disabled'))
    .toBe('false');
  expect(await title.inputValue()).toBe('Lamps and chairs');
  await title.press('Enter');
  await page.getByText('Saved.').waitFor();
  expect(await focused()).toBe('title');
  expect(await api.call('GET', `/chatbot/${chatbot}/widget`)).toMatchObject({ title: 'Lamps and chairs' });
});

test('what is saved is left without a question, though the screen is not loaded anew yet', async () => {
  await open('general');
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.accept();
  });
  await page.getByLabel('Days that conversations').fill('5');
  const loading = await hold(page, 'GET', /\/retention$/);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  await loading.isSent;
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
  expect(asked).toEqual([]);
});

test('whoever types while a source is deleted keeps the focus', async () => {
  await open('sources');
  const deleting = await hold(page, 'POST', /\/delete$/);
  await page.getByRole('row', { name: 'What is a lamp?' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await deleting.isSent;
  await page.getByRole('searchbox').fill('chair');
  await deleting.go();
  await page.getByText('Nothing to answer from yet').waitFor();
  expect(await focused()).toBe('search');
});

test('an agent’s form that is closed and opened again has what was typed', async () => {
  await open('agents');
  const card = page.getByRole('list', { name: 'Agents' }).getByRole('listitem').first();
  await card.locator('summary').first().click();
  await card.getByLabel('Prompt').fill('Be short.');
  await card.locator('summary').first().click();
  expect(await card.getByLabel('Prompt').isVisible()).toBe(false);
  await card.locator('summary').first().click();
  expect(await card.getByLabel('Prompt').inputValue()).toBe('Be short.');
});

test('a tool is added once, however late the list is loaded again, and stays while another one is deleted', async () => {
  const chatbot = await open('agents', async (uuid) => {
    const [agent] = await api.call<{ uuid: string }[]>('GET', `/chatbot/${uuid}/agents`);
    const tool = { name: 'old', description: 'Says what is in stock', external_url: 'https://shop.example/' };
    await api.call('POST', `/agent/${agent!.uuid}/function/create`, tool);
  });
  const names = async (): Promise<string[]> => {
    const agents = await api.call<{ tool_functions: { name: string }[] }[]>('GET', `/chatbot/${chatbot}/agents`);
    return agents.flatMap((agent) => agent.tool_functions.map(({ name }) => name));
  };
  const card = page.getByRole('list', { name: 'Agents' }).getByRole('listitem').first();
  await card.locator('summary').first().click();
  const tools = card.getByRole('region', { name: /^Tools of/ });
  const form = tools.locator('details').last();
  const fill = async (name: string): Promise<void> => {
    await form.locator('summary').first().click();
    await form.getByLabel('Name of the tool').fill(name);
    await form.getByLabel('When to call it').fill('Always');
    await form.getByLabel('Address').fill('https://shop.example/');
  };
  await fill('new');
  const listing = await hold(page, 'GET', /\/agents$/);
  const add = form.getByRole('button', { name: 'Add the tool' });
  await add.click();
  await listing.isSent;
  if (await add.isVisible()) await add.click();
  await listing.go();
  await tools.getByText('new', { exact: true }).waitFor();
  expect(await names()).toEqual(['old', 'new']);
  await fill('next');
  await tools.locator('details').first().locator('summary').first().click();
  await tools.getByRole('button', { name: 'Delete the tool' }).first().click();
  await tools.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(names).toEqual(['new']);
  await expect.poll(() => tools.getByText('old', { exact: true }).count()).toBe(0);
  expect(await form.getByLabel('Name of the tool').inputValue()).toBe('next');
});

test('dials that are not saved yet stay where an agent is saved', async () => {
  await open('agents', async (uuid) => {
    const agent = { name: 'Orders', type: 'user-facing', description: 'Orders' };
    const made = await api.call('POST', `/chatbot/${uuid}/agent/create`, agent);
    await api.call('POST', `/agent/${made['uuid']}/update`, { enabled: true });
  });
  const dials = page.getByRole('region', { name: 'Who answers more' });
  const bias = dials.getByLabel('Bias').first();
  await bias.fill('0.5');
  await dials.getByText('Bias 0.50').waitFor();
  const card = page.getByRole('list', { name: 'Agents' }).getByRole('listitem').first();
  await card.locator('summary').first().click();
  await card.getByLabel('Name', { exact: true }).fill('Renamed');
  await card.getByRole('button', { name: 'Save the agent' }).click();
  await dials.getByRole('group', { name: 'Renamed' }).waitFor();
  await dials.getByText('Bias 0.50').waitFor({ timeout: 2000 });
  const asked = page.waitForEvent('dialog').then((dialog) => dialog.dismiss());
  await page.getByRole('link', { name: 'People' }).click();
  await asked;
});

test('an answer that is typed while files are added stays', async () => {
  await open('sources');
  await page.getByText('Add a source').click();
  await page.getByRole('radio', { name: 'Files' }).check();
  const file = { name: 'lamps.txt', mimeType: 'text/plain', buffer: Buffer.from('A lamp costs 20 pounds.') };
  await page.locator('input[type=file]').setInputFiles(file);
  const adding = await hold(page, 'POST', /\/upload$/);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await adding.isSent;
  await page.getByLabel('A question and its answer').check();
  await page.getByLabel('Answer', { exact: true }).fill('Four legs.');
  await adding.go();
  await page.getByText('1 added').waitFor();
  await expect
    .poll(() => page.getByRole('button', { name: 'Add', exact: true }).getAttribute('aria-disabled'))
    .toBe('false');
  expect(await page.getByLabel('Answer', { exact: true }).inputValue()).toBe('Four legs.');
});

test('nobody waits for an answer to be learned once the screen is left', async () => {
  await open('gaps', askBoth);
  const gap = page.getByRole('list', { name: 'Gaps' }).getByRole('region').first();
  await gap.getByText('Write the answer yourself').click();
  await gap.getByLabel('Answer to').fill('No.');
  await page.route(/\/data-source\/\w{32}$/, async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ json: { ...((await reply.json()) as object), status: 'await' } });
  });
  const looks = countOf(page, 'GET', /\/data-source\/\w{32}$/);
  page.on('dialog', (dialog) => void dialog.accept());
  await gap.getByRole('button', { name: 'Save the answer' }).click();
  await expect.poll(looks).toBeGreaterThan(1);
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
  await page.waitForLoadState('networkidle');
  const before = looks();
  await page.waitForTimeout(2000);
  expect(looks()).toBe(before);
});

test('a list of chatbots that comes late hides none that was made since', async () => {
  await open('general');
  page.on('dialog', (dialog) => void dialog.accept());
  let [read, release] = [(): void => {}, (): void => {}];
  const isRead = new Promise<void>((done) => (read = done));
  const held = new Promise<void>((done) => (release = done));
  await page.route(
    '**/api/v1/chatbots',
    async (route) => {
      const response = await route.fetch();
      read();
      await held;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await page.getByLabel('Name').fill('Slower');
  await page.getByRole('button', { name: 'Save' }).click();
  await isRead;
  await api.newChatbot('Newer', 'What is a lamp?', 'A lamp gives light.');
  await page.getByRole('link', { name: 'Chatbots' }).click();
  await page
    .getByRole('link', { name: /^Newer/ })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  const late = page.waitForResponse('**/api/v1/chatbots');
  release();
  await (await late).finished();
  await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Today');
});
