import type { Browser, CDPSession, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { newPage, signInByKey, violations } from './console.ts';

/** Passkeys, with the authenticator that Chromium makes for tests. */

let server: BuiltServer;
let browser: Browser;
/** By a host name: browsers make no passkeys for an IP address. */
let local: BuiltServer;
beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
  local = { ...server, base: `http://localhost:${server.port}` };
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

interface Device {
  devtools: CDPSession;
  authenticatorId: string;
}

async function withAuthenticator(page: Page): Promise<Device> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { devtools, authenticatorId };
}

const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await heading(page, 'Sign in to Docent').waitFor();
};
const usePasskey = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' });

test('a passkey is added, signs in without anything typed, and once removed no more; by keyboard alone', async () => {
  const { page, faults } = await newPage(browser);
  const { devtools, authenticatorId } = await withAuthenticator(page);
  await signInByKey(page, local, '/console/settings');
  await page.getByText('You have no passkey.').waitFor();
  const name = page.getByLabel('Name of the new passkey');
  await name.fill('<img src=x onerror=alert(1)>');
  await name.press('Enter');
  const row = page.getByRole('region', { name: 'Passkeys' }).getByRole('row', { name: /<img/ });
  await row.waitFor();
  expect(await row.textContent()).toContain('never');
  const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
  expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }]);
  expect(await violations(page)).toEqual([]);

  // The same authenticator makes no second one for the same user.
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('A passkey of yours is there already.').waitFor();

  await signOut(page);
  expect(await violations(page)).toEqual([]);
  await usePasskey(page).focus();
  await page.keyboard.press('Enter');
  await heading(page, 'Settings').waitFor();
  await page.getByText('owner@localhost').first().waitFor();
  await expect.poll(async () => row.textContent()).not.toContain('never');
  await page.reload();
  await heading(page, 'Settings').waitFor();
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length + document.cookie.length)).toBe(0);

  await row.getByRole('button', { name: 'Remove' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Browsers that it has signed in are signed out.').waitFor();
  await row.getByRole('button', { name: 'Remove' }).focus();
  await page.keyboard.press('Enter');
  // This browser is one of them.
  await page.getByText('You have been signed out').waitFor();
  await usePasskey(page).click();
  await page.getByText('This passkey was not accepted').waitFor();
  expect(faults.filter((fault) => !/ 401 /.test(fault))).toEqual([]);
  await page.context().close();
}, 60_000);

test('a passkey without a name is called as the browser is; one that ends in another tab signs this one out', async () => {
  const { page } = await newPage(browser);
  await withAuthenticator(page);
  await signInByKey(page, local, '/console/settings');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const row = page.getByRole('region', { name: 'Passkeys' }).getByRole('row', { name: /Chrome on Linux/ });
  await row.waitFor();
  const other = await newPage(browser);
  await signInByKey(other.page, local, '/console/settings');
  await signOut(page);
  await usePasskey(page).click();
  await heading(page, 'Settings').waitFor();
  const there = other.page.getByRole('region', { name: 'Passkeys' }).getByRole('row', { name: /Chrome on Linux/ });
  await there.getByRole('button', { name: 'Remove' }).click();
  await there.getByRole('button', { name: 'Remove' }).click();
  await other.page.getByText('You have no passkey.').waitFor();
  await page.getByRole('link', { name: 'Chatbots' }).click();
  await page.getByText('You have been signed out').waitFor();
  await Promise.all([page.context().close(), other.page.context().close()]);
}, 60_000);

test('what the user does not confirm is said, and can be tried again', async () => {
  const { page } = await newPage(browser);
  const { devtools, authenticatorId } = await withAuthenticator(page);
  await page.goto(`${local.base}/console/`);
  await usePasskey(page).click();
  // None is there: Chromium says so at once to an authenticator that waits for nobody.
  await page.getByText('Nothing was chosen in time.').waitFor();
  await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
  await signInByKey(page, local, '/console/settings');
  await page.context().close();
});

test('at an IP address the page says why there are none', async () => {
  const { page } = await newPage(browser);
  await page.goto(`${server.base}/console/`);
  await page.getByText('Browsers keep no passkeys for an IP address').waitFor();
  await page.getByText('such as localhost').waitFor();
  expect(await usePasskey(page).count()).toBe(0);
  await signInByKey(page, server, '/console/settings');
  await page.getByText('Browsers keep no passkeys for an IP address').waitFor();
  expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
  await page.context().close();
});

test('over plain HTTP under another name the page says what is lost: passkeys, and the cookie’s “Secure”', async () => {
  const { page } = await newPage(browser);
  await page.route('http://docent.example/**', async (route) => {
    const path = new URL(route.request().url()).pathname;
    await route.fulfill({ response: await route.fetch({ url: server.base + path }) });
  });
  await page.goto('http://docent.example/console/');
  await page.getByText('Browsers keep passkeys over HTTPS alone.').waitFor();
  await page.getByText('the cookie of the sign-in has no “Secure”').waitFor();
  expect(await usePasskey(page).count()).toBe(0);
  await page.context().close();
});

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)(
  'axe finds nothing in Settings and at the sign-in in %s at %i pixels, which do not scroll sideways',
  async (colorScheme, width) => {
    const { page } = await newPage(browser, { colorScheme, viewport: { width, height: 800 } });
    await withAuthenticator(page);
    const checkPage = async (): Promise<void> => {
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    };
    await page.goto(`${local.base}/console/`);
    await usePasskey(page).waitFor();
    await checkPage();
    await signInByKey(page, local, '/console/settings');
    await page.getByLabel('Name of the new passkey').fill('long'.repeat(20));
    await page.keyboard.press('Enter');
    await page
      .getByRole('region', { name: 'Passkeys' })
      .getByRole('row', { name: /longlong/ })
      .last()
      .waitFor();
    await checkPage();
    await page.context().close();
  },
);
