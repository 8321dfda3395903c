import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../../built-server.ts';
import { launchChromium } from '../../chromium.ts';
import { apiOf, type Api } from '../api.ts';
import { newPage, signInByKey } from '../console.ts';

/** Text of any length and any direction, in Chromium. */

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

const WORD = 'w'.repeat(190);

/** A chatbot of which all is named by one long word; its screens that show that. */
async function wideChatbot(): Promise<string[]> {
  const chatbot = await api.newChatbot(WORD, `${WORD}?`, WORD);
  const session = await api.ask(chatbot, `Llamas ${WORD}`);
  const [agent] = await api.call<{ uuid: string }[]>('GET', `/chatbot/${chatbot}/agents`);
  await api.call('POST', `/agent/${agent!.uuid}/update`, { name: WORD, description: WORD });
  const other = await api.call('POST', `/chatbot/${chatbot}/agent/create`, { name: WORD, type: 'user-facing' });
  await api.call('POST', `/agent/${other['uuid']}/update`, { enabled: true });
  const [source] = await api.call<{ uuid: string }[]>('GET', `/chatbot/${chatbot}/data-sources`);
  const screens = ['today', 'start', 'sources', `sources/${source!.uuid}`, 'gaps', `conversations/${session}`];
  return [...screens, 'agents', 'general', 'general/audit'].map((screen) => `/console/chatbot/${chatbot}/${screen}`);
}

async function openAll(page: Page, path: string): Promise<void> {
  await page.goto(server.base + path);
  await page.waitForLoadState('networkidle');
  await page.evaluate(() => {
    for (const one of document.querySelectorAll('details')) one.open = true;
  });
  await page.waitForLoadState('networkidle');
}

test.each([390, 1280])('a word without end makes no screen of %i pixels wider', async (width) => {
  const screens = await wideChatbot();
  const { page } = await newPage(browser, { viewport: { width, height: 844 } });
  await signInByKey(page, server);
  const wide: string[] = [];
  for (const path of screens) {
    await openAll(page, path);
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) wide.push(path);
  }
  expect(wide).toEqual([]);
  await page.context().close();
});

/** Whether the last character stands left of the first. */
const isRightToLeft = (element: Element): boolean => {
  const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode() as Text;
  const leftOf = (at: number): number => {
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return range.getBoundingClientRect().left;
  };
  return leftOf(text.length - 1) < leftOf(0);
};

test('what is written from right to left ends at the left', async () => {
  const question = 'כמה זמן לוקח המשלוח?';
  const answer = 'המשלוח לוקח שלושה ימים.';
  const chatbot = await api.newChatbot('Rehovot', question, answer);
  const session = await api.ask(chatbot, question);
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/conversations/${session}`);
  const conversation = page.getByRole('region', { name: 'Conversation' });
  const places = [
    conversation.locator('.query'),
    conversation.locator('.text p').first(),
    conversation.locator('blockquote').first(),
  ];
  for (const place of places) expect(await place.evaluate(isRightToLeft), String(place)).toBe(true);
  await page.context().close();
});
