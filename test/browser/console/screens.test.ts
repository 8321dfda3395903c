import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { apiOf, type Api } from './api.ts';
import { loginLink, newPage, signInByKey, violations } from './console.ts';
import { PAGES, startPage, startSite, type Site } from './site.ts';

/** The console's screens, in Chromium. */

let server: BuiltServer;
let browser: Browser;
let site: Site;

beforeAll(async () => {
  site = await startSite();
  const port = await freePort();
  const env = { PORT: String(port), FETCH_ALLOW: `${site.host},127.0.0.1:${port}` };
  [server, browser] = await Promise.all([startBuiltServer(env), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  site?.close();
});

const api: Api['call'] = (...call) => apiOf(server).call(...call);
const newChatbot: Api['newChatbot'] = (...made) => apiOf(server).newChatbot(...made);
const ask: Api['ask'] = (...asked) => apiOf(server).ask(...asked);

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

test('from the link to a cited answer of an own site of 50 pages in at most 6 clicks', async () => {
  const { page, faults } = await newPage(browser);
  await page.goto(await loginLink(server));
  let clicks = 0;
  const click = async (name: string | RegExp): Promise<void> => {
    await page.getByRole('button', { name }).first().click();
    clicks++;
  };
  await page.getByLabel('Make a chatbot for your site').fill(site.url);
  await click('Read the site');
  // Pages of one host are fetched one a second; the first that were read suggest questions already.
  await page.getByText(/[1-9]\d* pages? read of \d+ found/).waitFor();
  const suggestions = page.getByRole('list', { name: 'Questions that the site answers' }).getByRole('button');
  await expect.poll(() => suggestions.count(), { timeout: 100_000 }).toBe(3);
  const question = await suggestions.first().textContent();
  await suggestions.first().click();
  clicks++;
  const answer = page.getByRole('article', { name: 'Answer' });
  await answer.getByRole('list', { name: 'Sources' }).getByRole('link').first().waitFor();
  const number = /series (\d+)/.exec(question!)![1]!;
  expect(await answer.textContent()).toContain(`of series ${number} are delivered within ${Number(number) + 2} days`);
  const tag = await page.locator('pre code').textContent();
  expect(tag).toMatch(
    new RegExp(`^<script async src="${server.base}/embed\\.js" data-chatbot="[0-9a-f]{32}" data-settings></script>$`),
  );
  expect(clicks).toBeLessThanOrEqual(6);
  // Name and colour are those that the page declares.
  const navigation = page.getByRole('navigation', { name: 'Console' });
  await navigation.getByText('The series shop').waitFor();
  const chatbot = /data-chatbot="(\w+)"/.exec(tag!)![1]!;
  await expect.poll(async () => (await api('GET', `/chatbot/${chatbot}/widget`))['color']).toBe('#0f766e');
  await page.getByText(`${PAGES} pages read of ${PAGES} found`).waitFor({ timeout: 120_000 });
  expect(faults).toEqual([]);
  await page.context().close();
}, 180_000);

test('an address that is none is said at the field, and nothing is made', async () => {
  const { page } = await newPage(browser);
  await signInByKey(page, server);
  await expect.poll(() => page.getByText('Loading').count()).toBe(0);
  const before = await page.getByRole('main').getByRole('link').count();
  await page.getByLabel('Make a chatbot for your site').fill('not an address');
  await page.getByRole('button', { name: 'Read the site' }).click();
  await page.getByText('Type the address of your site').waitFor();
  await page.reload();
  await heading(page, 'Chatbots').waitFor();
  await expect.poll(() => page.getByRole('main').getByRole('link').count()).toBe(before);
  await page.context().close();
});

test('a mistyped address is corrected where it is read, and its chatbot deleted', async () => {
  const { page } = await newPage(browser);
  await signInByKey(page, server);
  const missing = new URL('/missing', site.url).href;
  const make = async (): Promise<void> => {
    await page.getByLabel('Make a chatbot for your site').fill(missing);
    await page.getByRole('button', { name: 'Read the site' }).click();
    await page.getByText(`${missing}: The address answers “not found”`).waitFor();
    await page.getByRole('heading', { level: 2, name: 'Your site could not be read' }).waitFor();
  };
  await make();
  const field = page.getByLabel('The right address of your site');
  expect(await field.inputValue()).toBe(missing);
  await field.fill(site.url);
  await page.getByRole('button', { name: 'Read this address' }).click();
  await page.getByText(/pages? read of \d+ found/).waitFor();
  await expect.poll(() => page.getByText('“not found”').count()).toBe(0);
  const [, chatbot] = /chatbot\/(\w+)\/start/.exec(page.url())!;
  const sites = () => api<{ url: string }[]>('GET', `/chatbot/${chatbot}/data-source/sites`);
  await expect.poll(async () => (await sites()).map(({ url }) => url)).toEqual([site.url]);
  expect(await api<[]>('GET', `/chatbot/${chatbot}/data-sources`)).not.toContainEqual(
    expect.objectContaining({ file_name: missing }),
  );
  await api('DELETE', `/chatbot/${chatbot}/delete`);

  await page.goto(`${server.base}/console/`);
  await make();
  await page.getByRole('button', { name: 'Delete this chatbot' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await heading(page, 'Chatbots').waitFor();
  expect(await api<{ name: string }[]>('GET', '/chatbots')).not.toContainEqual(
    expect.objectContaining({ name: new URL(site.url).hostname }),
  );
  await page.context().close();
});

test('the screen says on which site the snippet was seen first', async () => {
  const chatbot = await newChatbot('Seen', 'What is a lamp?', 'A lamp gives light.');
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/start`);
  await page.getByText('Waiting for your site').waitFor();
  const tag = (await page.locator('pre code').textContent())!;
  const shop = await startPage(`<!doctype html><title>Shop</title><body>${tag}</body>`);
  const visitor = await browser.newPage();
  await visitor.goto(shop.url);
  await page.getByText('Seen on').getByText(shop.host).waitFor();
  await visitor.close();
  shop.close();
  await page.context().close();
});

test('an address that is encoded leads to no other operation', async () => {
  const chatbot = await newChatbot('Whole', 'What is a lamp?', 'A lamp gives light.');
  const [source] = (await api('GET', `/chatbot/${chatbot}/data-sources`)) as unknown as { uuid: string }[];
  const { page } = await newPage(browser);
  await signInByKey(page, server);
  const encoded = `%2e%2e%2Fdata-source%2F${source!.uuid}%2Fdelete%3F`;
  for (const path of [`${encoded}/playground`, `${chatbot}/conversations/${encoded}`, '%E0%A4%A/start']) {
    await page.goto(`${server.base}/console/chatbot/${path}`);
    await page.getByRole('heading', { level: 1, name: /No such screen|Chatbots/ }).waitFor();
  }
  expect((await api('GET', `/data-source/${source!.uuid}`))['status']).toBe('success');
  await page.context().close();
});

test('the address of a chatbot that is unknown says so once, with a link to those that are known', async () => {
  const { page } = await newPage(browser);
  await signInByKey(page, server);
  await page.goto(`${server.base}/console/chatbot/${'f'.repeat(32)}/start`);
  await page.getByRole('heading', { level: 1, name: 'No such screen' }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.getByText('No such chatbot').count()).toBe(0);
  expect(await page.getByRole('navigation', { name: 'Console' }).getByRole('link').allTextContents()).toEqual([
    'Chatbots',
    'Settings',
  ]);
  await page.getByRole('link', { name: 'Go to your chatbots' }).click();
  await page.getByRole('heading', { level: 1, name: 'Chatbots' }).waitFor();
  await page.context().close();
});

test('a chatbot that was made in another tab opens, though the list was loaded before', async () => {
  const { page } = await newPage(browser);
  await signInByKey(page, server);
  const link = page.locator('a.card').first();
  await link.waitFor();
  const { uuid } = await api('POST', '/chatbot/create', { name: 'Of another tab' });
  await link.evaluate((a, path) => a.setAttribute('href', path), `/console/chatbot/${uuid}/general`);
  await link.click();
  await page.getByRole('heading', { level: 1, name: 'General' }).waitFor();
  await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Of another tab');
  await page.getByRole('navigation', { name: 'Console' }).getByText('Of another tab').waitFor();
  await page.context().close();
});

test('a private chatbot is made public where its snippet stands', async () => {
  const { uuid } = await api('POST', '/chatbot/create', { name: 'Private' });
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${uuid}/start`);
  await page.getByRole('button', { name: 'Make it public' }).click();
  await expect.poll(() => page.getByText('This chatbot is private').count()).toBe(0);
  const { meta } = (await api('GET', `/chatbot/${uuid}`)) as unknown as { meta: { visibility: string } };
  expect(meta.visibility).toBe('public');
  await page.context().close();
});

describe('sources', () => {
  test('are added, searched, and deleted once it is confirmed', async () => {
    const chatbot = await newChatbot('Sources', 'What is a lamp?', 'A lamp gives light.');
    const { page } = await newPage(browser);
    await signInByKey(page, server, `/console/chatbot/${chatbot}/sources`);
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('What is a lamp?').getByText('Ready').waitFor();
    await page.getByText('Add a source').click();
    await page.getByLabel('A question and its answer').check();
    await page.getByLabel('Question', { exact: true }).fill('What is a chair?');
    await page.getByLabel('Answer', { exact: true }).fill('A chair has four legs.');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await row('What is a chair?').getByText('Ready').waitFor();
    await page.getByLabel('One page').check();
    await page.getByLabel('Address of the page').fill(`${site.url}missing.html`);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await row('missing.html').getByText('Failed').waitFor();
    await row('missing.html').getByText('answers “not found”').waitFor();

    await page.getByLabel('Address of the page').fill(`${site.url}missing.html`);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').getByText('It is there already.').waitFor();

    await page.getByLabel('Status').selectOption('failed');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByLabel('Status').selectOption('');
    const search = page.getByRole('searchbox');
    await search.fill('CHAIR');
    await page.getByLabel('Status').selectOption('ready');
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    expect(await search.inputValue()).toBe('CHAIR');
    await search.press('Enter');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await expect.poll(() => new URL(page.url()).search).toBe('?state=ready&search=CHAIR');
    await page.reload();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    expect([await search.inputValue(), await page.getByLabel('Status').inputValue()]).toEqual(['CHAIR', 'ready']);

    await row('What is a chair?').getByRole('button', { name: 'Delete' }).click();
    await row('What is a chair?').getByRole('button', { name: 'Keep' }).click();
    await row('What is a chair?').getByRole('button', { name: 'Delete' }).click();
    await row('What is a chair?').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Nothing matches').waitFor();
    await page.context().close();
  });
});

describe('conversations', () => {
  test('are newest first, narrowed to what was not known, read by address, and deleted', async () => {
    const chatbot = await newChatbot('Talks', 'How long may I return a lamp?', 'You may return a lamp within 45 days.');
    const known = await ask(chatbot, 'How long may I return a lamp?');
    const strange = await ask(chatbot, 'Who won the football world cup in 1974?');
    const { page } = await newPage(browser);
    await signInByKey(page, server, `/console/chatbot/${chatbot}/conversations`);
    const rows = page.getByRole('list', { name: 'Conversations' }).getByRole('link');
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.first().textContent()).toContain('football');
    await page.getByLabel('Show').selectOption('unknown');
    await expect.poll(() => rows.count()).toBe(1);
    await rows.first().click();
    expect(page.url()).toMatch(new RegExp(`/conversations/${strange}\\?has=unknown$`));
    await page.reload();
    await page.getByRole('region', { name: 'Conversation' }).getByText('football world cup').first().waitFor();
    await page.goto(`${server.base}/console/chatbot/${chatbot}/conversations/${known}`);
    await page.getByRole('region', { name: 'Conversation' }).getByText('within 45 days').first().waitFor();
    await page.getByRole('button', { name: 'Delete this conversation' }).focus();
    await page.keyboard.press('Enter');
    const focused = (): Promise<string | null> => page.evaluate(() => document.activeElement!.textContent);
    await expect.poll(focused).toBe('Keep');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows.count()).toBe(1);
    await expect.poll(focused).toBe('Conversations');
    expect(await rows.first().textContent()).toContain('football');
    await page.context().close();
  });
});

test('on a phone a conversation stands in place of the list', async () => {
  const chatbot = await newChatbot('Small', 'What is a lamp?', 'A lamp gives light.');
  await ask(chatbot, 'What is a lamp?');
  const { page } = await newPage(browser, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  await signInByKey(page, server, `/console/chatbot/${chatbot}/conversations`);
  const row = page.getByRole('list', { name: 'Conversations' }).getByRole('link').first();
  await row.tap();
  await page.getByRole('region', { name: 'Conversation' }).getByText('gives light').first().waitFor();
  expect(await row.isVisible()).toBe(false);
  await page.getByRole('link', { name: 'All conversations' }).tap();
  await row.waitFor();
  await page.context().close();
});

describe('every screen', () => {
  const screens = (chatbot: string, session: string): [string, string][] => [
    ['Chatbots', '/console/'],
    ['Start', `/console/chatbot/${chatbot}/start`],
    ['Sources', `/console/chatbot/${chatbot}/sources`],
    ['Conversations', `/console/chatbot/${chatbot}/conversations/${session}`],
    ['Playground', `/console/chatbot/${chatbot}/playground`],
    ['Settings', '/console/settings'],
    ['No such screen', '/console/nowhere'],
  ];

  test.each([
    ['light', { colorScheme: 'light' as const }],
    ['dark', { colorScheme: 'dark' as const }],
    ['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ])('breaks no rule of axe, %s', async (_, options) => {
    const chatbot = await newChatbot('Rules', 'What is a lamp?', 'A lamp gives light.');
    const session = await ask(chatbot, 'What is a lamp?');
    const { page, faults } = await newPage(browser, options);
    await page.goto(`${server.base}/console/`);
    await page.getByLabel('API key').waitFor();
    expect(await violations(page)).toEqual([]);
    await signInByKey(page, server);
    faults.length = 0;
    for (const [name, path] of screens(chatbot, session)) {
      await page.goto(server.base + path);
      await heading(page, name).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await violations(page), name).toEqual([]);
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('runs nothing that a visitor, a page or an owner wrote', async () => {
    const attack = `"><img src=x onerror="document.title='hit'"><script>document.title='hit'</script>[x](javascript:alert(1))`;
    const chatbot = await newChatbot(`Evil ${attack}`, `Question ${attack}`, `Answer ${attack}`);
    const session = await ask(chatbot, `Question ${attack}`);
    const { page, faults } = await newPage(browser);
    await signInByKey(page, server);
    faults.length = 0;
    for (const [name, path] of screens(chatbot, session)) {
      await page.goto(server.base + path);
      await heading(page, name).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.title(), name).not.toBe('hit');
      expect(await page.locator('img, a[href^="javascript:"]').count(), name).toBe(0);
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
