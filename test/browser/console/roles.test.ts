import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { apiOf, type Api } from './api.ts';
import { newPage, signInByKey, violations } from './console.ts';

/** What members see whose role does not allow everything, and what guests do not get, in Chromium. */

let server: BuiltServer;
let browser: Browser;
let api: Api;
let chatbot: string;
const UNKNOWN = 'Who won the football world cup?';
beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
  api = apiOf(server);
  chatbot = (await api.call('POST', '/chatbot/create', { name: 'Lamps' }))['uuid']!;
  const answer = { question: 'What is a lamp?', answer: 'A lamp gives light.' };
  await api.call('POST', `/chatbot/${chatbot}/data-source/qa`, answer);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const main = (page: Page) => page.getByRole('main');

/** A page of a new member who is signed in, with what the server refuses it. */
async function join(email: string, role: string, of = chatbot): Promise<{ page: Page; refused: string[] }> {
  const { link } = await api.call('POST', `/chatbot/${of}/invitation/create`, { email, role });
  const { page } = await newPage(browser);
  await page.goto(`${server.base}${link!.slice(link!.indexOf('/console'))}`);
  await page.getByRole('button', { name: 'Accept' }).click();
  await heading(page, 'Conversations').waitFor();
  const refused: string[] = [];
  page.on('response', (reply) => {
    if (reply.status() >= 400) refused.push(`${reply.status()} ${reply.request().method()} ${reply.url()}`);
  });
  return { page, refused };
}

const EDITED = ['start', 'sources', 'gaps', 'playground', 'agents', 'widget'];
const OWNED = ['general', 'general/audit'];

test.each([
  ['viewer', EDITED, []],
  ['operator', EDITED, ['today']],
  ['editor', [], []],
])('a %s is told which role a screen needs, and nothing is asked for in vain', async (role, edited, figures) => {
  const { page, refused } = await join(`${role}@shop.example`, role);
  const needs = { 'owner or editor': edited, 'owner, editor or viewer': figures, owner: OWNED };
  for (const [roles, paths] of Object.entries(needs))
    for (const path of paths) {
      await page.goto(`${server.base}/console/chatbot/${chatbot}/${path}`);
      await main(page).getByText(`Your role in this chatbot is ${role}: this needs ${roles}. An owner can`).waitFor();
      expect(await main(page).getByRole('button').count(), path).toBe(0);
      expect(await main(page).locator('form, input, select, textarea').count(), path).toBe(0);
      expect(await violations(page), path).toEqual([]);
    }
  await main(page).getByRole('link', { name: 'People' }).click();
  await page.getByText(/^You are an? \w+ of this chatbot: .* An owner can change that\.$/).waitFor();
  await page.waitForLoadState('networkidle');
  expect(refused).toEqual([]);
  await page.context().close();
});

test('a screen is there once an owner has changed the role', async () => {
  const { page } = await join('later@shop.example', 'viewer');
  await page.goto(`${server.base}/console/chatbot/${chatbot}/sources`);
  await main(page).getByRole('link', { name: 'People' }).click();
  await heading(page, 'People').waitFor();
  const members = await api.call<{ uuid: string; email: string }[]>('GET', `/chatbot/${chatbot}/members`);
  const { uuid } = members.find(({ email }) => email === 'later@shop.example')!;
  await api.call('POST', `/chatbot/${chatbot}/member/${uuid}/update`, { role: 'editor' });
  await page.goBack();
  await page.getByRole('region', { name: 'Sources' }).waitFor();
  await page.context().close();
});

test.each([
  ['viewer', [], false],
  ['operator', ['Delete this conversation'], false],
  ['editor', ['Why this answer?', 'Delete this conversation'], true],
] as const)('a %s gets those buttons of a conversation that the role has', async (role, buttons, mayEdit) => {
  const talk = await api.ask(chatbot, UNKNOWN);
  const { page, refused } = await join(`reading-${role}@shop.example`, role);
  await page.goto(`${server.base}/console/chatbot/${chatbot}/conversations/${talk}`);
  const conversation = page.getByRole('region', { name: 'Conversation' });
  await conversation.getByText('not known', { exact: true }).waitFor();
  const shown = await conversation.getByRole('button').allTextContents();
  expect(shown.map((text) => text.trim()).filter((text) => text !== 'Save the answer')).toEqual(buttons);
  expect(await conversation.getByText('Write the answer yourself').count()).toBe(mayEdit ? 1 : 0);
  await page.getByText('More filters').click();
  expect(await page.getByLabel('Agent').count()).toBe(mayEdit ? 1 : 0);
  await page.waitForLoadState('networkidle');
  expect(refused).toEqual([]);
  await page.context().close();
});

test('an editor makes nothing public, and deletes no chatbot', async () => {
  const { uuid } = await api.call('POST', '/chatbot/create', { name: 'Private' });
  const { page, refused } = await join('writer@shop.example', 'editor', uuid!);
  await page.goto(`${server.base}/console/chatbot/${uuid}/start`);
  await page.getByText('An owner makes it public in General.').waitFor();
  expect(await page.getByRole('button', { name: 'Make it public' }).count()).toBe(0);
  await page.goto(`${server.base}/console/chatbot/${uuid}/widget`);
  await page.getByText('An owner makes it public in General.').first().waitFor();
  expect(await main(page).getByRole('link', { name: 'General' }).count()).toBe(0);
  await page.waitForLoadState('networkidle');
  expect(refused.filter((one) => !one.includes('/chat/'))).toEqual([]);
  await page.context().close();
});

test('a guest is told why there is no field for a chatbot, and nothing of the server', async () => {
  const { page, refused } = await join('guest@shop.example', 'viewer');
  await page.getByRole('link', { name: 'Chatbots' }).click();
  await page.getByText('You are a guest: to make chatbots of your own').waitFor();
  await page.getByText('docent user add guest@shop.example').waitFor();
  expect(await main(page).getByRole('textbox').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await main(page)
    .getByRole('link', { name: /^Lamps/ })
    .click();
  await heading(page, 'Today').waitFor();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.getByRole('heading', { name: 'Model', exact: true }).count()).toBe(0);
  await page.getByText('no mail is sent to it').waitFor();
  expect(refused).toEqual([]);
  await page.context().close();

  const owner = await newPage(browser);
  await signInByKey(owner.page, server);
  await owner.page.getByLabel('Make a chatbot for your site').waitFor();
  await owner.page.context().close();
});
