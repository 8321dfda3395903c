import type { Browser, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../../built-server.ts';
import { launchChromium } from '../../chromium.ts';
import { apiOf, type Api } from '../api.ts';
import { newPage, signInByKey } from '../console.ts';
import { startPage, type Site } from '../site.ts';
import { countOf, lose } from './hold.ts';

/** Requests that fail, in Chromium: what is said, and how it goes on. */

let server: BuiltServer;
let browser: Browser;
let api: Api;
let site: Site;
let page: Page;
beforeAll(async () => {
  site = await startPage('<!doctype html><title>Shop</title><h1>Lamps</h1><p>A lamp costs 20 pounds.</p>');
  [server, browser] = await Promise.all([startBuiltServer({ FETCH_ALLOW: site.host }), launchChromium()]);
  api = apiOf(server);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  site?.close();
});
beforeEach(async () => {
  ({ page } = await newPage(browser));
});
afterEach(() => page.context().close());

const heading = (name: string) => page.getByRole('heading', { level: 1, name });
const newChatbot = (): Promise<string> => api.newChatbot('Failed', 'What is a lamp?', 'A lamp gives light.');

test('a server that is away is told as that, and asks nobody to sign in', async () => {
  await signInByKey(page, server, '/console/settings');
  const body = { error: 'the database cannot be reached', code: 'unavailable' };
  await page.route('**/console/session', (route) => route.fulfill({ status: 503, json: body }));
  await page.reload();
  await page.getByRole('alert').getByText('The database cannot be reached.').waitFor();
  expect(await page.getByLabel('API key').count()).toBe(0);
  await page.unroute('**/console/session');
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading('Settings').waitFor();
});

test('a list of chatbots that fails leaves the roles known', async () => {
  const chatbot = await newChatbot();
  await page.route('**/api/v1/chatbots', (route) => route.abort());
  await signInByKey(page, server, `/console/chatbot/${chatbot}/people`);
  await page.getByText('You are an owner of this chatbot').waitFor();
});

test('an invitation that is used up signs nobody out', async () => {
  await signInByKey(page, server);
  await page.evaluate(() => (location.hash = `#invitation=${'0'.repeat(32)}.${'x'.repeat(43)}`));
  await page.getByText('This invitation has been used or revoked').waitFor();
  await page.getByRole('button', { name: 'Go to your chatbots' }).click();
  await heading('Chatbots').waitFor();
});

test('where the page may not copy, as over plain HTTP, it says so', async () => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined }));
  await signInByKey(page, server, `/console/chatbot/${await newChatbot()}/start`);
  await page.getByRole('button', { name: 'Copy the snippet' }).click();
  await page.getByRole('alert').getByText('select the text and copy it').waitFor();
});

test('a chatbot that was made is not made once more because the list could not be loaded', async () => {
  await signInByKey(page, server);
  await page.waitForLoadState('networkidle');
  await lose(page, 'GET', /\/api\/v1\/chatbots$/);
  await page.getByLabel('Make a chatbot for your site').fill(site.url);
  await page.getByRole('button', { name: 'Read the site' }).click();
  await heading('Start').waitFor();
});

test('a reply that is none of the server’s is told in words', async () => {
  await signInByKey(page, server);
  await page.route('**/console/sessions', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Sign in to the hotel</title>' }),
  );
  await page.getByRole('link', { name: 'Settings' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'Try again' });
  await alert.waitFor();
  expect(await alert.textContent()).toMatch(/^The reply .+ Check your connection, then try again\. Try again$/);
});

test('after a new sign-in the screen is loaded that the end of the old one kept back', async () => {
  await signInByKey(page, server);
  await page.waitForLoadState('networkidle');
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('API key').fill(server.key);
  await page.keyboard.press('Enter');
  await page.getByRole('row').filter({ hasText: 'this one' }).waitFor();
  expect(await page.getByText('not signed in').count()).toBe(0);
});

test('a list of origins that refuses the console itself keeps nothing of Start back', async () => {
  const chatbot = await newChatbot();
  await page.route(`**/chat/${chatbot}`, (route) =>
    route.fulfill({ status: 403, json: { error: 'this origin may not use the chatbot', code: 'forbidden_origin' } }),
  );
  await signInByKey(page, server, `/console/chatbot/${chatbot}/start`);
  await page.getByRole('button', { name: 'Copy the snippet' }).waitFor();
});

test('an answer that was stored, and not replaced, is stored at the next try', async () => {
  const chatbot = await newChatbot();
  await api.ask(chatbot, 'Are pink llamas sold?');
  await signInByKey(page, server, `/console/chatbot/${chatbot}/gaps`);
  const gap = page.getByRole('list', { name: 'Gaps' }).getByRole('region').first();
  await gap.getByText('Write the answer yourself').click();
  await gap.getByLabel('Answer to').fill('No.');
  const save = gap.getByRole('button', { name: 'Save the answer' });
  // The first is stored, and its end is not heard of.
  await lose(page, 'GET', /\/data-source\/\w{32}$/);
  await save.click();
  await gap.getByText('The server cannot be reached').waitFor();
  await gap.getByLabel('Link to a page').fill('no address');
  await gap.locator('form').evaluate((form: HTMLFormElement) => (form.noValidate = true));
  await save.click();
  await gap.getByText('Not saved.').waitFor();
  await gap.getByLabel('Link to a page').fill('');
  await save.click();
  await gap.getByText('Your answer is live').waitFor();
  const sources = await api.call<{ title: string }[]>('GET', `/chatbot/${chatbot}/data-sources`);
  expect(sources.filter(({ title }) => title.includes('llamas'))).toHaveLength(1);
});

test('figures of other days are not taken for those that could not be loaded', async () => {
  const chatbot = await newChatbot();
  await api.ask(chatbot, 'What is a lamp?');
  await signInByKey(page, server, `/console/chatbot/${chatbot}/today`);
  await page.getByRole('list', { name: 'In the last 30 days' }).waitFor();
  await lose(page, 'GET', /\/analytics$/);
  const looks = countOf(page, 'GET', /\/analytics$/);
  await page.getByRole('link', { name: '90 days' }).click();
  await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
  expect(await page.getByRole('list', { name: 'In the last 90 days' }).count()).toBe(0);
  expect(looks()).toBe(1);
});
