import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { apiOf } from './api.ts';
import { newPage, signInByKey, violations } from './console.ts';

/** The audit log of a chatbot and of an account, in Chromium. */

let server: BuiltServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const ATTACK = `"><img src=x onerror="document.title='hacked'">`;
const EMAIL = `"<img/src=x/onerror=document.title='hacked'>"@shop.example`;
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const rowsOf = (page: Page): Promise<string[]> => page.locator('tbody tr').allInnerTexts();

test('an owner finds who read a conversation and follows it, by keyboard alone', async () => {
  const api = apiOf(server);
  const chatbot = await api.newChatbot('Shop', 'Are lamps in stock?', 'Lamps are in stock.');
  const session = await api.ask(chatbot, 'Are lamps in stock?');
  await api.call('GET', `/session/${session}/messages`);
  const { page, faults } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/general`);
  const link = page.getByRole('link', { name: 'Who changed what, and who read conversations' });
  await link.focus();
  await page.keyboard.press('Enter');
  await heading(page, 'Audit log').waitFor();
  expect(page.url()).toContain(`/console/chatbot/${chatbot}/general/audit`);
  await page.getByRole('row', { name: /Read a conversation/ }).waitFor();
  const rows = await rowsOf(page);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatch(/owner@localhost\s+key \w+\s+Read a conversation\s+Conversation/);
  expect(rows[1]).toContain('Add a question with its answer');

  await page.getByLabel('E-mail address').fill('nobody@shop.example');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing that was looked at matches.').waitFor();
  await page.getByLabel('E-mail address').fill('owner@localhost');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Conversation', exact: true }).focus();
  await page.keyboard.press('Enter');
  await heading(page, 'Conversations').waitFor();
  expect(page.url()).toContain(`/conversations/${session}`);
  expect(faults.filter((fault) => !/ 401 /.test(fault))).toEqual([]);
  await page.context().close();
}, 60_000);

test('a question that was asked in a visitor’s conversation leads to it', async () => {
  const api = apiOf(server);
  const chatbot = await api.newChatbot('Shop', 'Are lamps in stock?', 'Lamps are in stock.');
  const started = await fetch(`${server.base}/chat/${chatbot}/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  });
  const session = ((await started.json()) as { uuid: string }).uuid;
  await api.call('POST', `/session/${session}/message/non-stream`, { query: 'Are chairs in stock?' });
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/general/audit`);
  await page.getByRole('link', { name: 'Conversation', exact: true }).click();
  await heading(page, 'Conversations').waitFor();
  expect(page.url()).toContain(`/conversations/${session}`);
  await page.context().close();
}, 60_000);

test('a log is paged, an empty one says what it will have, and the account has its own', async () => {
  const api = apiOf(server);
  const { uuid: chatbot } = await api.call('POST', '/chatbot/create', { name: 'Museum' });
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/general/audit`);
  await page.getByText('What is done from now on appears here.').waitFor();
  for (let n = 0; n < 60; n++) await api.call('POST', `/chatbot/${chatbot}/update`, { name: `Museum ${n}` });
  await page.reload();
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(async () => (await rowsOf(page)).length).toBe(60);
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  expect((await rowsOf(page))[0]).toMatch(/Update a chatbot\s+name/);

  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('Name of the new key').fill(`laptop ${ATTACK}`);
  await page.keyboard.press('Enter');
  await page.getByLabel('The new key', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Audit log of your account' }).click();
  await heading(page, 'Audit log').waitFor();
  const made = page.getByRole('row', { name: /Make an API key/ });
  await made.waitFor();
  expect(await made.innerText()).toContain(ATTACK);
  expect(await page.getByRole('row', { name: /Sign in\s+key/ }).count()).toBeGreaterThan(0);
  await page.getByRole('link', { name: 'Chatbot', exact: true }).first().click();
  await heading(page, 'Today').waitFor();
  expect(await page.title()).not.toBe('hacked');
  await page.context().close();
}, 60_000);

describe.each([
  ['in the light', { colorScheme: 'light' }],
  ['in the dark, on a phone', { colorScheme: 'dark', viewport: { width: 360, height: 740 } }],
] as const)('%s', (_, options) => {
  test('axe finds nothing, nothing runs, and the page does not scroll sideways', async () => {
    const { uuid: chatbot } = await apiOf(server).call('POST', '/chatbot/create', { name: ATTACK });
    const invitation = { email: EMAIL, role: 'viewer' };
    const refused = await apiOf(server)
      .call('POST', `/chatbot/${chatbot}/invitation/create`, invitation)
      .catch((error: Error) => error.message);
    // Where the address is none, one that is.
    if (typeof refused === 'string')
      await apiOf(server).call('POST', `/chatbot/${chatbot}/invitation/create`, {
        ...invitation,
        email: `<img/src=x/onerror=alert(1)>@shop.example`,
      });
    const { page, faults } = await newPage(browser, options);
    await signInByKey(page, server, `/console/chatbot/${chatbot}/general/audit`);
    await page.getByRole('row', { name: /onerror/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.goto(`${server.base}/console/settings/audit`);
    await page.locator('tbody tr').first().waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.title()).not.toBe('hacked');
    expect(faults.filter((fault) => !/ 401 /.test(fault))).toEqual([]);
    await page.context().close();
  }, 60_000);
});
