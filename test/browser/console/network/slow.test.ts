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
