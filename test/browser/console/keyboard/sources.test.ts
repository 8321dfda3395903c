import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../../built-server.ts';
import { launchChromium } from '../../chromium.ts';
import { apiOf, type Api } from '../api.ts';
import { newPage, signInByKey } from '../console.ts';
import { focused, tabTo } from './keys.ts';

/** Sources and their tags by keyboard alone, in Chromium. */

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

test('a source is added, tagged and deleted, and its tag is deleted', async () => {
  const chatbot = await api.newChatbot('Keys', 'What is a lamp?', 'A lamp gives light.');
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/sources`);
  await page.getByRole('row').filter({ hasText: 'What is a lamp?' }).waitFor();
  await tabTo(page, 'Add a source');
  await page.keyboard.press('Enter');
  await tabTo(page, 'A website');
  for (let moves = 0; moves < 3; moves++) await page.keyboard.press('ArrowDown');
  await tabTo(page, 'Question');
  await page.keyboard.type('What is a chair?');
  await tabTo(page, 'Answer');
  await page.keyboard.type('A chair has four legs.');
  await tabTo(page, 'Add');
  await page.keyboard.press('Enter');
  await page.getByRole('row').filter({ hasText: 'What is a chair?' }).getByText('Ready').waitFor();
  expect((await focused(page)).name).toBe('Add');

  await tabTo(page, 'Tags');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Name of the tag');
  await page.keyboard.type('Seats');
  await page.keyboard.press('Enter');
  await page.getByRole('checkbox', { name: 'Choose What is a chair?' }).waitFor();
  await tabTo(page, 'Choose What is a chair?');
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Give it to 1' }).waitFor();
  await tabTo(page, 'Give it to 1');
  await page.keyboard.press('Enter');
  await page.getByRole('row').filter({ hasText: 'chair' }).getByText('Seats').waitFor();
  expect((await focused(page)).name).toBe('Give it to 1');

  await tabTo(page, 'What is a chair?');
  await tabTo(page, 'Delete');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await focused(page)).name).toBe('Keep');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('rowheader').count()).toBe(1);
  expect((await focused(page)).tag).toBe('H1');

  await tabTo(page, 'Which tag');
  await page.keyboard.press('ArrowDown');
  await tabTo(page, 'Delete the tag');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await focused(page)).name).toBe('Keep');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await expect.poll(async () => api.call('GET', `/chatbot/${chatbot}/source-tags`)).toEqual([]);
  await expect.poll(async () => (await focused(page)).name).toMatch(/^Which tag/);
  await page.context().close();
});
