import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { apiOf, type Api } from './api.ts';
import { newPage, signInByKey, violations } from './console.ts';

/** The screen of conversations, in Chromium: what narrows it, its keys, and what is done within a conversation. */

let server: BuiltServer;
let browser: Browser;
let api: Api;
let chatbot: string;
const HOSTILE = '<img src=x onerror="document.title=1"> zebra';
beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
  api = apiOf(server);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const open = async (options = {}, more = '') => {
  chatbot = await api.newChatbot('Talks', 'How long may I return a lamp?', 'You may return a lamp within 45 days.');
  for (const query of ['How long may I return a lamp?', 'Who won the football world cup?', HOSTILE])
    await api.ask(chatbot, query);
  const made = await newPage(browser, options);
  await signInByKey(made.page, server, `/console/chatbot/${chatbot}/conversations${more}`);
  await rowsOf(made.page).first().waitFor();
  // Before the key is given, nobody is signed in.
  made.faults.length = 0;
  return made;
};
const rowsOf = (page: Page) => page.getByRole('list', { name: 'Conversations' }).getByRole('link');
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');

test('what narrows the list stands in the address, Back takes it away, and words that are found are marked', async () => {
  const { page } = await open();
  await expect.poll(() => rowsOf(page).count()).toBe(3);
  const search = page.getByRole('searchbox', { name: 'Search questions and answers' });
  await search.fill('FOOTB');
  await search.press('Enter');
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  expect(await page.locator('mark').allTextContents()).toEqual(['football']);
  await rowsOf(page).first().click();
  const marked = () => page.evaluate(() => [...(CSS.highlights.get('sought') ?? [])].map(String));
  await expect.poll(marked).toContain('football');
  await page.goBack();
  await expect.poll(marked).toEqual([]);
  await page.getByLabel('Show').selectOption('unknown');
  await expect.poll(() => new URL(page.url()).search).toBe('?search=FOOTB&has=unknown');
  await page.reload();
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  expect(await search.inputValue()).toBe('FOOTB');
  await page.goBack();
  await page.goBack();
  await expect.poll(() => rowsOf(page).count()).toBe(3);
  // Where no words and no days narrow it, nothing is said of them.
  await page.getByLabel('Show').selectOption('rated_down');
  await page.getByText('No conversation that was looked at matches. Change a filter.').waitFor();
  await page.goBack();
  await expect.poll(() => rowsOf(page).count()).toBe(3);
  expect(await search.inputValue()).toBe('');
  await page.context().close();
});

test('rare filters are folded away, by keyboard alone, and stand open where one is set', async () => {
  const { page } = await open();
  const day = page.getByLabel('Last day');
  expect(await day.isVisible()).toBe(false);
  await page.getByText('More filters').focus();
  await page.keyboard.press('Enter');
  await day.fill('2020-01-01');
  await page.getByText('Nothing found so far').waitFor();
  await page.reload();
  await page.getByText('More filters (1)').waitFor();
  expect(await page.getByText('Last day (UTC)').boundingBox()).toMatchObject({ height: expect.any(Number) });
  expect(await day.inputValue()).toBe('2020-01-01');
  // It stays as it is where the last one is taken away, for what is typed next.
  await day.fill('');
  await expect.poll(() => rowsOf(page).count()).toBe(3);
  expect(await day.isVisible()).toBe(true);
  await page.context().close();
});

test('an answer that was not known is written in the conversation, and why it is so is told on demand', async () => {
  const { page, faults } = await open();
  await rowsOf(page).filter({ hasText: 'football' }).click();
  const conversation = page.getByRole('region', { name: 'Conversation' });
  await conversation.getByText('not known', { exact: true }).waitFor();
  await conversation.getByRole('button', { name: 'Why this answer?' }).click();
  await conversation.getByText('how the question would be answered now').waitFor();
  await conversation.getByRole('list', { name: 'Why this answer' }).waitFor();
  await conversation.getByText('Write the answer yourself').click();
  await conversation.getByLabel('Answer to').fill('We sell lamps; ask us about those.');
  await conversation.getByRole('button', { name: 'Save the answer' }).click();
  await conversation.getByText('Your answer is live').waitFor();
  await conversation.getByRole('button', { name: 'Undo' }).click();
  await conversation.getByText('Write the answer yourself').waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('what is typed in the search while a conversation loads stays there', async () => {
  const { page } = await open();
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/v1/session/*/messages', async (route) => {
    await held;
    await route.continue();
  });
  await rowsOf(page).first().click();
  const conversation = page.getByRole('region', { name: 'Conversation' });
  await conversation.waitFor();
  expect(await conversation.evaluate((region) => region === document.activeElement)).toBe(true);
  await page.keyboard.press('/');
  await page.keyboard.type('lam');
  release();
  await conversation.getByText('zebra').first().waitFor();
  await page.keyboard.type('p');
  expect(await page.getByRole('searchbox').inputValue()).toBe('lamp');
  await page.context().close();
});

test('keys go through the list and to the search, but not while a field has the focus', async () => {
  const { page } = await open();
  await page.keyboard.press('j');
  await expect.poll(() => focused(page)).toContain('zebra');
  await page.keyboard.press('j');
  await expect.poll(() => focused(page)).toContain('football');
  await page.keyboard.press('k');
  await expect.poll(() => focused(page)).toContain('zebra');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Conversation' }).waitFor();
  await page.keyboard.press('?');
  await page.getByText('next conversation').waitFor();
  await page.keyboard.press('?');
  await expect.poll(() => page.getByText('next conversation').count()).toBe(0);
  await page.keyboard.press('/');
  await page.keyboard.type('j?k/');
  expect(await page.getByRole('searchbox').inputValue()).toBe('j?k/');
  await page.context().close();
});

test('the list is exported as it is narrowed', async () => {
  const { page } = await open({}, '?search=football');
  for (const [name, part] of [
    ['CSV', 'asked_at'],
    ['JSON Lines', '"question":"Who won'],
  ] as const) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name, exact: true }).click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    expect(text).toContain(part);
    expect(text).toContain('football');
    expect(text).not.toContain('lamp within');
  }
  await page.context().close();
});

describe.each([
  ['light', {}],
  ['dark', { colorScheme: 'dark' as const }],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true }],
])('in the look %s', (_, options) => {
  test('axe finds nothing, and what a visitor wrote is text', async () => {
    const { page, faults } = await open(options, '?search=zebra');
    expect(await violations(page)).toEqual([]);
    await rowsOf(page).first().click();
    await page.getByRole('region', { name: 'Conversation' }).getByText('zebra').first().waitFor();
    await page.keyboard.press('Escape');
    expect(await violations(page)).toEqual([]);
    expect(await page.locator('#screen img').count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
