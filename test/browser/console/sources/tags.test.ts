import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../../built-server.ts';
import { launchChromium } from '../../chromium.ts';
import { apiOf, type Api } from '../api.ts';
import { newPage, signInByKey, violations } from '../console.ts';

/** Tags of sources, in Chromium. */

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

interface Tag {
  uuid: string;
  name: string;
  color: string;
  data_source_uuids: string[];
}
const tagsOf = (chatbot: string): Promise<Tag[]> => api.call('GET', `/chatbot/${chatbot}/source-tags`);

const QUESTIONS = ['What is a lamp?', 'What is a chair?', 'What is a table?'];

/** A chatbot with a source for each question; their uuids. */
async function newChatbot(): Promise<{ chatbot: string; sources: string[] }> {
  const chatbot = await api.newChatbot('Tagged', QUESTIONS[0]!, 'It is furniture.');
  for (const question of QUESTIONS.slice(1))
    await api.call('POST', `/chatbot/${chatbot}/data-source/qa`, { question, answer: 'It is furniture.' });
  const listed = await api.call<{ uuid: string; title: string }[]>('GET', `/chatbot/${chatbot}/data-sources`);
  return { chatbot, sources: QUESTIONS.map((question) => listed.find(({ title }) => title === question)!.uuid) };
}
const newTag = (chatbot: string, name: string, sources: string[]): Promise<Tag> =>
  api.call('POST', `/chatbot/${chatbot}/source-tag/create`, { name, color: '#0f766e', data_source_uuids: sources });

async function open(path: string, options = {}): Promise<{ page: Page; faults: string[] }> {
  const made = await newPage(browser, options);
  await signInByKey(made.page, server, path);
  made.faults.length = 0;
  return made;
}
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const rows = (page: Page): Promise<number> => page.getByRole('rowheader').count();

test('tags are made, renamed and deleted, and given to sources that are chosen', async () => {
  const { chatbot, sources } = await newChatbot();
  const { page, faults } = await open(`/console/chatbot/${chatbot}/sources`);
  await row(page, QUESTIONS[0]!).waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(0);
  await page.getByText('Tags', { exact: true }).click();
  await page.getByLabel('Name of the tag').fill('Seats');
  await page.getByLabel('Colour').fill('#aa0000');
  await page.getByRole('button', { name: 'Add the tag' }).click();

  await page.getByRole('checkbox', { name: `Choose ${QUESTIONS[1]}` }).check();
  await page.getByRole('checkbox', { name: `Choose ${QUESTIONS[2]}` }).check();
  await page.getByRole('button', { name: 'Give it to 2' }).click();
  await row(page, QUESTIONS[1]!).getByText('Seats').waitFor();
  const [made] = await tagsOf(chatbot);
  expect(made).toMatchObject({ name: 'Seats', color: '#aa0000', data_source_uuids: sources.slice(1) });
  await page.getByRole('checkbox', { name: `Choose ${QUESTIONS[1]}` }).uncheck();
  await page.getByRole('button', { name: 'Take it from 1' }).click();
  await expect.poll(() => row(page, QUESTIONS[2]!).getByText('Seats').count()).toBe(0);
  expect((await tagsOf(chatbot))[0]!.data_source_uuids).toEqual([sources[1]]);

  await page.getByRole('checkbox', { name: 'Choose all that are shown' }).check();
  await page.getByRole('button', { name: 'Give it to 3' }).click();
  await row(page, QUESTIONS[0]!).getByText('Seats').waitFor();
  expect((await tagsOf(chatbot))[0]!.data_source_uuids.toSorted()).toEqual(sources.toSorted());

  await page.getByLabel('Which tag').selectOption('Seats');
  await page.getByLabel('Name of the tag').fill('');
  await page.getByLabel('Name of the tag').fill('Furniture');
  await page.getByRole('button', { name: 'Save the tag' }).click();
  await row(page, QUESTIONS[0]!).getByText('Furniture').waitFor();
  await page.getByRole('button', { name: 'Delete the tag' }).click();
  await page.getByText('Take it away from 3 sources? They stay.').waitFor();
  await page
    .getByRole('group')
    .filter({ hasText: 'Take it away' })
    .getByRole('button', { name: 'Delete', exact: true })
    .click();
  await expect.poll(() => page.getByText('Furniture').count()).toBe(0);
  expect(await tagsOf(chatbot)).toEqual([]);
  expect(await rows(page)).toBe(3);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the list is narrowed to a tag; what is chosen and not shown is left alone', async () => {
  const { chatbot, sources } = await newChatbot();
  const tag = await newTag(chatbot, 'Light', [sources[0]!]);
  await newTag(chatbot, 'Empty', []);
  const { page } = await open(`/console/chatbot/${chatbot}/sources`);
  await page.getByRole('checkbox', { name: 'Choose all that are shown' }).check();
  await page.getByRole('combobox', { name: 'Tag', exact: true }).selectOption('Light');
  await expect.poll(() => rows(page)).toBe(1);
  expect(page.url()).toMatch(new RegExp(`/sources\\?tag=${tag.uuid}$`));
  await page.getByLabel('Tag to give or take').selectOption('Light');
  const take = page.getByRole('button', { name: 'Take it from 1' });
  await take.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Nothing matches').waitFor();
  const focused = (): Promise<string | null> => page.evaluate(() => document.activeElement!.textContent);
  expect(await focused()).toBe('Take it from 0');
  expect((await tagsOf(chatbot)).find(({ uuid }) => uuid === tag.uuid)!.data_source_uuids).toEqual([]);
  await page.context().close();
});

test('an agent answers from the sources of a tag, and from those chosen one by one', async () => {
  const { chatbot, sources } = await newChatbot();
  await newTag(chatbot, 'Seats', sources.slice(1));
  const { page } = await open(`/console/chatbot/${chatbot}/agents`);
  const agent = async () =>
    (
      await api.call<{ data_source_uuids: string[]; meta: { use_all_sources: boolean } }[]>(
        'GET',
        `/chatbot/${chatbot}/agents`,
      )
    )[0]!;
  await page.getByRole('list', { name: 'Agents' }).locator('summary').first().click();
  const save = async (): Promise<void> => {
    const saved = page.waitForResponse((reply) => reply.url().endsWith('/update'));
    await page.getByRole('button', { name: 'Save the agent' }).click();
    expect((await saved).status()).toBe(200);
  };
  await page.getByLabel('All of them').uncheck();
  await page.getByLabel('Seats (2)').check();
  expect(await page.getByLabel(QUESTIONS[1]!).isChecked()).toBe(true);
  await page.getByLabel(QUESTIONS[0]!).check();
  await save();
  expect((await agent()).data_source_uuids.toSorted()).toEqual(sources.toSorted());
  expect((await agent()).meta.use_all_sources).toBe(false);
  await page.getByLabel(QUESTIONS[2]!).uncheck();
  expect(await page.getByLabel('Seats (2)').isChecked()).toBe(false);
  await save();
  expect((await agent()).data_source_uuids.toSorted()).toEqual(sources.slice(0, 2).toSorted());
  // None at all is stored, too.
  await page.getByLabel(QUESTIONS[0]!).uncheck();
  await page.getByLabel(QUESTIONS[1]!).uncheck();
  await save();
  expect((await agent()).data_source_uuids).toEqual([]);
  await page.context().close();
});

test.each([
  ['light', { colorScheme: 'light' as const }],
  ['dark', { colorScheme: 'dark' as const }],
  ['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
])('what a tag is called is shown as it is written, and breaks no rule of axe, %s', async (_, options) => {
  const attack = `"><img src=x onerror="document.title='hit'"><script>document.title='hit'</script>`;
  const { chatbot, sources } = await newChatbot();
  await newTag(chatbot, `${attack}${'x'.repeat(90)}`, sources);
  const { page, faults } = await open(`/console/chatbot/${chatbot}/sources`, options);
  await row(page, QUESTIONS[0]!).getByText(attack).waitFor();
  await page.getByText('Tags', { exact: true }).click();
  await page.getByLabel('Which tag').selectOption({ index: 1 });
  await page.getByRole('button', { name: 'Delete the tag' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.goto(`${server.base}/console/chatbot/${chatbot}/agents`);
  await page.getByRole('list', { name: 'Agents' }).locator('summary').first().click();
  await page.getByLabel(attack).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.title()).not.toBe('hit');
  expect(await page.locator('img').count()).toBe(0);
  const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(width).toBeLessThanOrEqual(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a button without its words shows them where it is pointed at or focused', async () => {
  const { chatbot } = await newChatbot();
  const { page } = await open(`/console/chatbot/${chatbot}/sources`, { viewport: { width: 1200, height: 800 } });
  const button = row(page, QUESTIONS[0]!).getByRole('button', { name: 'Delete' });
  const clip = (): Promise<string> =>
    button.locator('.icon + span').evaluate((span) => getComputedStyle(span).clipPath);
  await button.waitFor();
  expect(await clip()).toBe('inset(50%)');
  await button.hover();
  expect(await clip()).toBe('none');
  await page.mouse.move(0, 0);
  expect(await clip()).toBe('inset(50%)');
  await page.getByRole('link', { name: QUESTIONS[0]!, exact: true }).focus();
  await page.keyboard.press('Tab');
  expect(await clip()).toBe('none');
  await page.context().close();
});
