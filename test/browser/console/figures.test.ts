import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { apiOf } from './api.ts';
import { newPage, signInByKey, violations } from './console.ts';

/** Today, Gaps, and how often sources are cited, in Chromium. */

let server: BuiltServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const [KNOWN, ANSWER] = ['When does the last ferry leave?', 'The last ferry leaves at ten to nine.'];
const BICYCLE = 'Can I bring my bicycle?';

/** What a visitor is answered. */
async function asked(chatbot: string, query: string): Promise<string> {
  const reply = await fetch(`${server.base}/chat/${chatbot}/ask`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return reply.text();
}

test('an answer that is written to a gap is what the next visitor gets, until it is undone', async () => {
  const api = apiOf(server);
  const chatbot = await api.newChatbot('Ferries', KNOWN, ANSWER);
  for (const query of [BICYCLE, 'May I bring a bicycle?', 'Do you sell pink llamas?']) await api.ask(chatbot, query);
  const { page, faults } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/gaps`);
  faults.length = 0;
  await page.getByText('2 gaps open.').waitFor();
  const groups = page.getByRole('list', { name: 'Gaps' }).getByRole('region');
  expect(await groups.count()).toBe(2);
  const first = groups.first();
  expect(await first.textContent()).toContain('Asked 2 times');
  // By the keyboard alone.
  await first.getByText('In the visitors’ words').focus();
  await page.keyboard.press('Enter');
  expect(await first.getByRole('link').allTextContents()).toEqual(
    expect.arrayContaining([BICYCLE, 'May I bring a bicycle?']),
  );
  await first.getByText('Write the answer yourself').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Bicycles travel free on all decks.');
  await page.keyboard.press('Tab');
  await page.keyboard.type('https://ferries.example/bicycles');
  await page.keyboard.press('Enter');
  await first.getByText('Your answer is live').waitFor();
  const question = (await first.getByRole('heading', { level: 2 }).textContent())!;
  expect(await asked(chatbot, question)).toContain('Bicycles travel free on all decks.');
  await page.getByText('1 gap open. There were 2.').waitFor();
  await first.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('2 gaps open.').waitFor();
  expect(await asked(chatbot, question)).not.toContain('Bicycles travel free on all decks.');
  // What was written is there again.
  expect(await first.getByLabel(/^Answer to/).inputValue()).toBe('Bicycles travel free on all decks.');
  expect(await first.getByLabel(/^Link to/).inputValue()).toBe('https://ferries.example/bicycles');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('what is being written survives the end of the sign-in, a refusal, and a wrong click', async () => {
  const api = apiOf(server);
  const chatbot = await api.newChatbot('Ferries', KNOWN, ANSWER);
  await api.ask(chatbot, 'Do you sell pink llamas?');
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/gaps`);
  await page.getByText('Write the answer yourself').click();
  const answer = page.getByLabel(/^Answer to/);
  await answer.fill('No, blue ones.');
  await page.getByLabel(/^Link to/).fill('javascript:alert(1)');
  await page.evaluate(() => fetch('/console/session', { method: 'DELETE' }));
  const save = page.getByRole('button', { name: 'Save the answer' });
  await save.click();
  await page.getByText('You have been signed out').waitFor();
  expect(await answer.isVisible()).toBe(false);
  expect(await page.getByRole('heading').allTextContents()).toEqual(['Sign in to Docent']);
  await page.getByLabel('API key').fill(server.key);
  await page.keyboard.press('Enter');
  await heading(page, 'Gaps').waitFor();
  expect(await page.title()).toContain('Gaps');
  expect(await answer.inputValue()).toBe('No, blue ones.');
  for (const name of ['Sources', 'Show hidden gaps']) {
    const dialog = page.waitForEvent('dialog');
    const click = page.getByRole('link', { name }).click();
    await (await dialog).dismiss();
    await click;
  }
  expect(await answer.isVisible()).toBe(true);
  await save.click();
  await page.getByText('Must be an http or https address').waitFor();
  expect(await page.getByLabel(/^Link to/).getAttribute('aria-invalid')).toBe('true');
  expect(await answer.getAttribute('aria-invalid')).toBe(null);
  await page.getByLabel(/^Link to/).fill('');
  await save.click();
  await page.getByText('Your answer is live').waitFor();
  await page.getByRole('link', { name: 'Sources' }).click();
  await heading(page, 'Sources').waitFor();
  await page.context().close();
});

test('a group that is not ours is hidden, which can be undone, and can be shown again', async () => {
  const api = apiOf(server);
  const chatbot = await api.newChatbot('Ferries', KNOWN, ANSWER);
  await api.ask(chatbot, 'Do you sell pink llamas?');
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/gaps`);
  const focused = (): Promise<string | null> => page.evaluate(() => document.activeElement!.textContent);
  await page.getByRole('button', { name: 'Not ours' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('0 gaps open. There were 1.').waitFor();
  await page.getByText('It is hidden').waitFor();
  await expect.poll(focused).toBe('Undo');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByText('1 gap open.').waitFor();
  await expect.poll(focused).toBe('Not ours');
  await page.keyboard.press('Enter');
  await page.getByText('0 gaps open. There were 1.').waitFor();
  await api.ask(chatbot, 'Are pink llamas sold?');
  await page.reload();
  await page.getByText('0 gaps open.').waitFor();
  await page.getByRole('link', { name: 'Show hidden gaps' }).click();
  await page.getByText('1 hidden gap.').waitFor();
  expect(page.url()).toMatch(/\/gaps\?hidden=true$/);
  await page.reload();
  await page.getByText('1 hidden gap.').waitFor();
  await page.getByRole('button', { name: 'Show again' }).click();
  await page.getByText('0 hidden gaps.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('1 hidden gap.').waitFor();
  await page.getByRole('button', { name: 'Show again' }).click();
  await page.getByText('0 hidden gaps.').waitFor();
  await page.getByRole('link', { name: 'Show open gaps' }).click();
  await page.getByText('1 gap open.').waitFor();
  expect(await page.getByRole('button', { name: 'Not ours' }).count()).toBe(1);
  await page.context().close();
});

test('the figures of the days that the address names stand as lines and in tables', async () => {
  const api = apiOf(server);
  const chatbot = await api.newChatbot('Ferries', KNOWN, ANSWER);
  const { page, faults } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/today`);
  faults.length = 0;
  await page.getByRole('heading', { name: 'Nobody has asked in the last 30 days' }).waitFor();
  for (const query of [KNOWN, KNOWN, BICYCLE]) await api.ask(chatbot, query);
  await page.getByRole('link', { name: '7 days' }).click();
  await page.getByRole('list', { name: 'In the last 7 days' }).waitFor();
  expect(new URL(page.url()).search).toBe('?days=7');
  expect(await page.getByRole('list', { name: 'In the last 7 days' }).getByRole('listitem').allTextContents()).toEqual([
    'Asked 3',
    'Answered 2',
    'Not sure 0',
    'Not known 1',
    'Asked for a person 0',
    'Voted up 0',
    'Voted down 0',
    'Credits 0',
  ]);
  await page.getByText('The same figures by day').click();
  const rows = page.getByRole('region', { name: 'Figures by day' }).getByRole('row');
  expect(await rows.count()).toBe(8);
  const cells = await rows.nth(1).getByRole('cell').allTextContents();
  expect(cells).toEqual(['3', '2', '0', '1', '0', '0', '0', '0']);
  await api.call('POST', `/chatbot/${chatbot}/update`, { rate_limit: [1, 360] });
  for (let request = 0; request < 4; request++) await asked(chatbot, KNOWN);
  await page.reload();
  const shown = page.getByRole('list', { name: 'In the last 7 days' }).getByRole('listitem');
  await shown.filter({ hasText: 'Asked 4' }).waitFor();
  expect((await shown.allTextContents()).slice(-2)).toEqual(['Over the limit 3', 'Credits 0']);
  await page.getByText('The same figures by day').click();
  expect(await rows.nth(1).getByRole('cell').allTextContents()).toEqual(['4', '3', '0', '1', '0', '0', '0', '3', '0']);
  await page.getByRole('link', { name: '1 gap: write the answer' }).click();
  await heading(page, 'Gaps').waitFor();
  await page.goto(`${server.base}/console/chatbot/${chatbot}/sources`);
  await page.getByRole('cell', { name: '3 times' }).waitFor();
  await page.getByLabel('Status').selectOption('never_cited');
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('visitors who asked for a person are counted, and listed one click away, for a viewer too', async () => {
  const api = apiOf(server);
  const chatbot = await api.newChatbot('Ferries', KNOWN, ANSWER);
  const kind = { name: 'Person', type: 'human-escalation', enabled: true, bias: -10 };
  const { uuid: agent } = await api.call('POST', `/chatbot/${chatbot}/agent/create`, kind);
  await api.call('POST', `/agent/${agent}/update`, kind);
  const { link } = await api.call('POST', `/chatbot/${chatbot}/invitation/create`, {
    email: 'ann@ferries.example',
    role: 'viewer',
  });
  const { page, faults } = await newPage(browser);
  await page.goto(`${server.base}${link!.slice(link!.indexOf('/console'))}`);
  await page.getByRole('button', { name: 'Accept' }).click();
  await heading(page, 'Conversations').waitFor();
  const rows = page.getByRole('list', { name: 'Conversations' }).getByRole('link');
  await api.ask(chatbot, 'Do you sell pink llamas?');
  faults.length = 0;
  const today = `${server.base}/console/chatbot/${chatbot}/today`;
  await page.goto(today);
  await page.getByText('Nobody asked for a person.').waitFor();
  for (const query of ['Please let me talk to a human.', 'I want to speak to a person.']) await api.ask(chatbot, query);
  await page.reload();
  const toDo = page.locator('.to-do').getByRole('link');
  await page.getByRole('list', { name: 'In the last 30 days' }).waitFor();
  expect(faults).toEqual([]);
  await expect.poll(() => toDo.allTextContents()).toEqual(['2 visitors asked for a person: read them']);
  await toDo.click();
  await heading(page, 'Conversations').waitFor();
  await expect.poll(() => rows.count()).toBe(2);
  for (const text of await rows.allTextContents()) expect(text).toContain('asked for a person');
  expect(await page.getByLabel('State').inputValue()).toBe('requested');
  expect(await violations(page)).toEqual([]);
  await page.getByLabel('State').selectOption('Any state');
  await expect.poll(() => rows.count()).toBe(3);
  await page.context().close();

  const owner = await newPage(browser);
  await signInByKey(owner.page, server, `/console/chatbot/${chatbot}/today`);
  await expect
    .poll(() => owner.page.locator('.to-do').getByRole('link').allTextContents())
    .toEqual(['1 gap: write the answer', 'Sources', '2 visitors asked for a person: read them']);
  await owner.page.context().close();
});

const ATTACK = `"><img src=x onerror="document.title='hit'"><script>document.title='hit'</script>`;

test.each([
  ['light', { colorScheme: 'light' as const }],
  ['dark', { colorScheme: 'dark' as const }],
  ['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
])('breaks no rule of axe and runs nothing that a visitor wrote, %s', async (_, options) => {
  const api = apiOf(server);
  const chatbot = await api.newChatbot(`Evil ${ATTACK}`, KNOWN, ANSWER);
  const session = await api.call<{ uuid: string }>('POST', `/chatbot/${chatbot}/session/create`, {
    initial_variables: { page: `https://ferries.example/${ATTACK}` },
  });
  for (const query of [KNOWN, `Llamas ${ATTACK}`])
    await api.call('POST', `/session/${session.uuid}/message/non-stream`, { query });
  const { page, faults } = await newPage(browser, options);
  await signInByKey(page, server);
  faults.length = 0;
  for (const [name, screen] of [
    ['Today', 'today'],
    ['Gaps', 'gaps'],
    ['Sources', 'sources'],
  ] as const) {
    await page.goto(`${server.base}/console/chatbot/${chatbot}/${screen}`);
    await heading(page, name).waitFor();
    await page.waitForLoadState('networkidle');
    for (const summary of await page.locator('main summary').all()) await summary.click();
    expect(await violations(page), name).toEqual([]);
    expect(await page.title(), name).not.toBe('hit');
    expect(await page.locator('img, a[href^="javascript:"]').count(), name).toBe(0);
    const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(isTooWide, name).toBe(false);
  }
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the address of a chatbot alone shows its day, and the menu stays in sight on a long page', async () => {
  const api = apiOf(server);
  const chatbot = await api.newChatbot('Ferries', KNOWN, ANSWER);
  await api.ask(chatbot, KNOWN);
  const { page } = await newPage(browser, { viewport: { width: 1280, height: 500 } });
  await signInByKey(page, server, `/console/chatbot/${chatbot}`);
  await heading(page, 'Today').waitFor();
  await page.getByRole('list', { name: 'In the last 30 days' }).getByText('Not sure').waitFor();
  await page.mouse.move(800, 300);
  await page.mouse.wheel(0, 5000);
  await page.waitForFunction(() => scrollY > 0);
  expect((await page.getByRole('link', { name: 'Today', exact: true }).boundingBox())!.y).toBeGreaterThan(0);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.getByText('Ferries', { exact: true }).boundingBox()).toMatchObject({ width: expect.any(Number) });
  await page.context().close();
});
