import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { docent, loginLink, newPage, signInByKey, violations } from './console.ts';

/** Signing in to the console, in Chromium. */

let server: BuiltServer;
let browser: Browser;
let page: Page;
let faults: string[];

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});
beforeEach(async () => {
  ({ page, faults } = await newPage(browser));
});
afterEach(() => page.context().close());

const heading = (name: string) => page.getByRole('heading', { level: 1, name });

test('a link signs in once, and leaves no token in the address', async () => {
  const link = await loginLink(server);
  await page.goto(link);
  await heading('Chatbots').waitFor();
  expect(page.url()).toBe(`${server.base}/console/`);
  await page.reload();
  await heading('Chatbots').waitFor();
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length + document.cookie.length)).toBe(0);
  expect(faults).toEqual([]);

  const other = await newPage(browser);
  await other.page.goto(link);
  await other.page.getByRole('status').getByText('This link has been used').waitFor();
  await other.page.getByLabel('API key').waitFor();
  await other.page.context().close();
});

test('a browser that is signed in goes on with a link that has been used', async () => {
  const link = await loginLink(server);
  await page.goto(link);
  await heading('Chatbots').waitFor();
  await page.goto('about:blank');
  await page.goto(link);
  await heading('Chatbots').waitFor();
});

test('a link of another user asks before it takes the place of whoever is signed in', async () => {
  await signInByKey(page, server);
  await docent(server, 'user', 'add', 'ann@shop.example');
  const link = await loginLink(server, 'ann@shop.example');
  const question = page.getByRole('alert').getByText('You are signed in as owner@localhost, and this link is for ann@');
  await page.goto('about:blank');
  await page.goto(link);
  await question.waitFor();
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await heading('Chatbots').waitFor();
  const name = page.locator('.who');
  expect(await name.textContent()).toBe('owner@localhost');
  // In an open tab, too, and unused meanwhile.
  await page.evaluate((hash) => (location.hash = hash), new URL(link).hash);
  await question.waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Sign in with this link' }).click();
  await expect.poll(() => name.textContent()).toBe('ann@shop.example');
  await heading('Chatbots').waitFor();
});

test('a link of another user that fails says why, and can be tried again', async () => {
  await signInByKey(page, server);
  await docent(server, 'user', 'add', 'bob@shop.example');
  const [name, signIn] = [page.locator('.who'), page.getByRole('button', { name: 'Sign in with this link' })];
  const paste = async (link: string): Promise<void> => {
    await page.evaluate((hash) => (location.hash = hash), new URL(link).hash);
    await signIn.waitFor();
  };
  const used = await loginLink(server, 'bob@shop.example');
  await paste(used);
  const other = await newPage(browser);
  await other.page.goto(used);
  await other.page.getByRole('navigation', { name: 'Console' }).waitFor();
  await other.page.context().close();
  await signIn.click();
  await page.getByRole('alert').getByText('This link has been used').waitFor();
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await heading('Chatbots').waitFor();
  expect(await name.textContent()).toBe('owner@localhost');

  await paste(await loginLink(server, 'bob@shop.example'));
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/console/session', async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    await held;
    return route.fulfill({ status: 429, headers: { 'Retry-After': '7' }, contentType: 'text/html', body: 'No' });
  });
  const asked = page.waitForRequest((request) => request.method() === 'POST');
  await signIn.click();
  await asked;
  expect(await heading('Chatbots').isVisible()).toBe(false);
  release();
  await page.getByRole('alert').getByText('There were too many requests: try again in 7 seconds.').waitFor();
  await page.unroute('**/console/session');
  await signIn.click();
  await expect.poll(() => name.textContent()).toBe('bob@shop.example');
  await heading('Chatbots').waitFor();
});

test('a link that is pasted into an open console signs in', async () => {
  await page.goto(`${server.base}/console/`);
  await page.getByLabel('API key').waitFor();
  await page.goto(await loginLink(server));
  await heading('Chatbots').waitFor();
  expect(page.url()).toBe(`${server.base}/console/`);
});

test('a link that could not be tried, for want of a connection, is tried again', async () => {
  const link = await loginLink(server);
  await page.goto(`${server.base}/console/`);
  await page.getByLabel('API key').waitFor();
  await page.context().setOffline(true);
  await page.evaluate((hash) => (location.hash = hash), new URL(link).hash);
  const again = page.getByRole('button', { name: 'Try the link again' });
  await again.waitFor();
  await page.context().setOffline(false);
  await again.click();
  await heading('Chatbots').waitFor();
});

test('a link that could not be tried is not offered again once a key has signed in', async () => {
  await page.goto(`${server.base}/console/settings`);
  await page.getByLabel('API key').waitFor();
  await page.context().setOffline(true);
  await page.evaluate(() => (location.hash = `#sign-in=${'A'.repeat(43)}`));
  const again = page.getByRole('button', { name: 'Try the link again' });
  await again.waitFor();
  await page.context().setOffline(false);
  await page.getByLabel('API key').fill(server.key);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await page.getByLabel('API key').waitFor();
  expect(await again.count()).toBe(0);
});

test('a key signs in, where the address leads; a wrong one is said at the field', async () => {
  await page.goto(`${server.base}/console/settings`);
  const field = page.getByLabel('API key');
  await field.fill('no-key-of-this-server');
  await field.press('Enter');
  await page.getByText('This API key is not valid').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await field.fill(server.key);
  await field.press('Enter');
  await heading('Settings').waitFor();
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
});

test('signing out ends the sign-in on the server', async () => {
  await signInByKey(page, server, '/console/settings');
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await heading('Sign in to Docent').waitFor();
  await page.reload();
  await heading('Sign in to Docent').waitFor();
});

test('a sign-in that is ended elsewhere is over at its next request', async () => {
  await signInByKey(page, server, '/console/settings');
  const other = await newPage(browser);
  await signInByKey(other.page, server, '/console/settings');
  const row = page.getByRole('row').filter({ hasText: 'this one' });
  await page.reload();
  await row.waitFor();
  const others = page.getByRole('button', { name: 'End', exact: true });
  await others.first().waitFor();
  for (let left = await others.count(); left > 0; left--) {
    await others.first().click();
    const question = page.getByRole('cell', { name: /^Sign out .+\?/ });
    await question.getByRole('button', { name: 'Keep' }).click();
    await others.first().click();
    await question.getByRole('button', { name: 'End' }).click();
    await expect.poll(() => others.count()).toBe(left - 1);
  }
  await other.page.getByRole('link', { name: 'Chatbots' }).click();
  await other.page.getByText('You have been signed out').waitFor();
  await row.waitFor();
  await other.page.context().close();
});

test('a key that was just made is gone from the page once the sign-in has ended', async () => {
  await signInByKey(page, server, '/console/settings');
  await page.getByLabel('Name of the new key').fill('laptop');
  await page.keyboard.press('Enter');
  const key = await page.getByLabel('The new key', { exact: true }).inputValue();
  const values = () =>
    page.evaluate(
      () => [...document.querySelectorAll('input')].map(({ value }) => value).join(' ') + document.body.innerHTML,
    );
  expect(await values()).toContain(key);
  await page.context().clearCookies();
  await page.getByLabel('Name of the new key').fill('another');
  await page.keyboard.press('Enter');
  await heading('Sign in to Docent').waitFor();
  expect(await values()).not.toContain(key);
  await page.getByLabel('API key').fill(server.key);
  await page.keyboard.press('Enter');
  await heading('Settings').waitFor();
  expect(await values()).not.toContain(key);
});

test('what a server in front refuses is told as it is, and when to try again where that helps', async () => {
  await signInByKey(page, server, '/console/settings');
  for (const [status, headers, text] of [
    [429, { 'Retry-After': '7' }, 'There were too many requests: try again in 7 seconds.'],
    [503, {}, 'The server answered 503: try again later.'],
    [413, {}, 'The server answered 413.'],
  ] as const) {
    await page.unroute('**/console/session');
    await page.route('**/console/session', (route) =>
      route.fulfill({ status, headers: { ...headers }, contentType: 'text/html', body: 'No' }),
    );
    await page.reload();
    await page.getByRole('alert').getByText(text).waitFor();
  }
});

test('a tab says that another user is signed in by now, and changes nothing as that one', async () => {
  await docent(server, 'user', 'add', 'carol@shop.example');
  await signInByKey(page, server, '/console/settings');
  const name = page.getByLabel('Name of the new key');
  await name.fill('of the owner');
  const tab = await page.context().newPage();
  const isMade = tab.getByRole('row', { name: 'of the owner' });
  await tab.goto(await loginLink(server, 'carol@shop.example'));
  await tab.getByRole('button', { name: 'Sign in with this link' }).click();
  await expect.poll(() => tab.locator('.who').textContent()).toBe('carol@shop.example');
  await name.press('Enter');
  await heading('Another user is signed in').waitFor();
  await page.getByRole('alert').getByText('Another user, carol@shop.example, is signed in').waitFor();
  expect(await page.getByLabel('Name of the new key').isVisible()).toBe(false);
  expect(await violations(page)).toEqual([]);
  await tab.goto(`${server.base}/console/settings`);
  await tab.getByText('You have no key that').or(isMade).waitFor();
  expect(await isMade.count()).toBe(0);

  await page.getByRole('button', { name: 'Reload' }).click();
  await heading('Settings').waitFor();
  expect(await page.locator('.who').textContent()).toBe('carol@shop.example');
});

test('before a key is revoked it is said that browsers signed in with it are signed out', async () => {
  await signInByKey(page, server, '/console/settings');
  await page.getByLabel('Name of the new key').fill('desk phone');
  await page.keyboard.press('Enter');
  const key = await page.getByLabel('The new key', { exact: true }).inputValue();
  const other = await newPage(browser);
  await signInByKey(other.page, { ...server, key });
  await page.getByRole('row', { name: 'desk phone' }).getByRole('button', { name: 'Revoke' }).click();
  await page
    .getByText('Revoke desk phone? What uses it stops working, and browsers signed in with it are signed out.')
    .waitFor();
  await page.getByRole('row', { name: 'desk phone' }).getByRole('button', { name: 'Revoke' }).click();
  await expect.poll(() => page.getByRole('row', { name: 'desk phone' }).count()).toBe(0);
  await other.page.getByRole('link', { name: 'Settings' }).click();
  await other.page.getByText('You have been signed out').waitFor();
  await other.page.context().close();
});
