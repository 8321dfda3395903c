import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeMail, type FakeMail } from '../../fakes/mail.ts';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { apiOf } from './api.ts';
import { newPage, signInByKey, violations } from './console.ts';

/** What the console mails, in Chromium. */

let mail: FakeMail;
let server: BuiltServer;
let browser: Browser;
beforeAll(async () => {
  mail = await startFakeMail();
  const env = { SMTP_URL: mail.url, MAIL_FROM: 'Docent <docent@shop.test>', OWNER_EMAIL: 'ann@shop.test' };
  [server, browser] = await Promise.all([startBuiltServer(env), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await mail?.close();
});

test('Settings sends a test, and says what is wrong', async () => {
  const { page, faults } = await newPage(browser);
  await signInByKey(page, server, '/console/settings');
  faults.length = 0;
  const button = page.getByRole('button', { name: 'Send a test mail to me' });
  await button.click();
  await page.getByText('The mail server has taken it').waitFor();
  expect(mail.mails.map(({ to }) => to)).toEqual(['ann@shop.test']);
  expect(await violations(page)).toEqual([]);
  expect(faults).toEqual([]);
  mail.instead = { RCPT: '550 no such user' };
  await button.click();
  await page.getByRole('alert').getByText('does not accept the mail: check MAIL_FROM').waitFor();
  expect(await page.getByText('The mail server has taken it').count()).toBe(0);
  mail.instead = {};
  await page.context().close();
});

test('an invitation is mailed, and figures to whoever wants them', async () => {
  const chatbot = await apiOf(server).newChatbot('Ferries', 'When does it leave?', 'At noon.');
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/people`);
  await page.getByLabel('E-mail address').fill('bob@shop.test');
  await page.getByRole('button', { name: 'Make a link' }).click();
  await page.getByText('The link was mailed to bob@shop.test.').waitFor();
  const link = await page.getByLabel('Link of the invitation').inputValue();
  expect(mail.mails.at(-1)!.text).toContain(link);

  await page.goto(`${server.base}/console/chatbot/${chatbot}/today`);
  const box = page.getByRole('checkbox', { name: 'Mail me the figures of the week before each Monday' });
  expect(await box.isChecked()).toBe(false);
  await box.focus();
  await page.keyboard.press('Space');
  await expect.poll(() => box.isChecked()).toBe(true);
  await page.waitForLoadState('networkidle');
  await page.reload();
  await expect.poll(() => box.isChecked()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await page.context().close();
});
