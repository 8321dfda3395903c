import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { apiOf } from './api.ts';
import { newPage, signInByKey, violations } from './console.ts';

/** Members, invitations, keys and the danger zone, in Chromium. */

let server: BuiltServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const ATTACK = `"><img src=x onerror="document.title='hacked'">`;
const newChatbot = async (name = `Shop ${ATTACK}`): Promise<string> =>
  (await apiOf(server).call('POST', '/chatbot/create', { name }))['uuid']!;
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const invite = async (chatbot: string, email: string, role: string): Promise<string> => {
  const made = await apiOf(server).call('POST', `/chatbot/${chatbot}/invitation/create`, { email, role });
  return `${server.base}${(made['link'] as string).slice((made['link'] as string).indexOf('/console'))}`;
};
const navigation = async (page: Page): Promise<string[]> =>
  page.getByRole('navigation', { name: 'Console' }).getByRole('link').allTextContents();

test('an owner invites, the one who opens the link is a member, and the owner changes and removes', async () => {
  const chatbot = await newChatbot();
  const { page, faults } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/people`);
  await heading(page, 'People').waitFor();
  await page.getByLabel('E-mail address').fill('ann@shop.example');
  await page.getByRole('radio', { name: /^viewer/ }).check();
  await page.keyboard.press('Enter');
  const link = await page.getByLabel('Link of the invitation').inputValue();
  expect(link).toMatch(new RegExp(`/console/#invitation=${chatbot}\\.[\\w-]{43}$`));
  await page.getByText('as a viewer, good until').waitFor();

  const ann = await newPage(browser);
  await ann.page.goto(`${server.base}${link.slice(link.indexOf('/console'))}`);
  await heading(ann.page, 'Invitation').waitFor();
  await ann.page.getByText('ann@shop.example is invited').waitFor();
  expect(ann.page.url()).not.toContain('invitation=');
  expect(await violations(ann.page)).toEqual([]);
  await ann.page.getByRole('button', { name: 'Accept' }).focus();
  await ann.page.keyboard.press('Enter');
  await heading(ann.page, 'Conversations').waitFor();
  await expect.poll(() => navigation(ann.page)).not.toContain('Sources');
  const shown = await navigation(ann.page);
  for (const name of ['Playground', 'Start', 'General']) expect(shown).not.toContain(name);
  for (const name of ['Conversations', 'People', 'Settings']) expect(shown).toContain(name);
  await ann.page.goto(`${server.base}/console/chatbot/${chatbot}/sources`);
  await ann.page.getByText('Your role in this chatbot is viewer: this needs owner or editor.').first().waitFor();

  await page.reload();
  const row = page.getByRole('row', { name: /ann@shop\.example/ });
  await row.getByLabel('Role of ann@shop.example').selectOption('editor');
  await page.getByText('ann@shop.example is now an editor.').waitFor();
  await ann.page.reload();
  await expect.poll(() => navigation(ann.page)).toContain('Sources');
  await row.getByRole('button', { name: 'Remove' }).click();
  await row.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('ann@shop.example is no member any more.').waitFor();
  await expect.poll(() => row.count()).toBe(0);
  await page.getByLabel(/^Role of owner/).selectOption('viewer');
  await page.getByText('A chatbot needs an owner').waitFor();
  expect(await page.getByLabel(/^Role of owner/).inputValue()).toBe('owner');
  expect(faults.filter((fault) => !/ (?:401|409) /.test(fault))).toEqual([]);
  expect(await page.title()).not.toBe('hacked');
  await Promise.all([page.context().close(), ann.page.context().close()]);
}, 60_000);

test('an invitation is revoked, and its link says so', async () => {
  const chatbot = await newChatbot();
  const link = await invite(chatbot, 'bob@shop.example', 'owner');
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/people`);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Revoke the invitation of bob@shop.example?').waitFor();
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('The invitation of bob@shop.example is revoked.').waitFor();
  await page.getByText('None. Invite somebody above').waitFor();
  const { page: bob } = await newPage(browser);
  await bob.goto(link);
  await bob.getByText('This invitation has been used or revoked').waitFor();
  await bob.getByRole('button', { name: 'Sign in without it' }).click();
  await heading(bob, 'Sign in to Docent').waitFor();
  await Promise.all([page.context().close(), bob.context().close()]);
});

test('whoever has a user signs in first, on the page of the invitation', async () => {
  const chatbot = await newChatbot();
  const { page } = await newPage(browser);
  const first = await invite(chatbot, 'eve@shop.example', 'editor');
  await page.goto(first);
  await page.getByRole('button', { name: 'Accept' }).click();
  await heading(page, 'Conversations').waitFor();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('Name of the new key').fill('laptop');
  await page.keyboard.press('Enter');
  const key = await page.getByLabel('The new key', { exact: true }).inputValue();
  expect(key).toMatch(/^dk_/);
  expect(await violations(page)).toEqual([]);

  const other = await newChatbot('Museum');
  const { page: again } = await newPage(browser);
  await again.goto(await invite(other, 'eve@shop.example', 'viewer'));
  await again.getByText('eve@shop.example has a user on this server already').waitFor();
  expect(await again.getByRole('button', { name: 'Accept' }).count()).toBe(0);
  expect(await violations(again)).toEqual([]);
  await again.getByLabel('API key').fill(key);
  await again.keyboard.press('Enter');
  await again.getByRole('button', { name: 'Accept' }).click();
  await again.getByText('Museum').first().waitFor();

  await page.reload();
  const row = page.getByRole('row', { name: /laptop/ });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('You have no key').waitFor();
  // What the key has signed in is out, too.
  await again.reload();
  await heading(again, 'Sign in to Docent').waitFor();
  await Promise.all([page.context().close(), again.context().close()]);
}, 60_000);

test('General renames, and deletes once the name is typed', async () => {
  const chatbot = await newChatbot('Old name');
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/general`);
  await page.getByLabel('Name', { exact: true }).fill(ATTACK);
  const choices = await page.getByLabel('Visibility').getByRole('option').allTextContents();
  const hybrid = choices.find((choice) => choice.startsWith('Hybrid'))!;
  // It has no page of its own, as a public one has.
  await page.getByLabel('Visibility').selectOption(hybrid);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect((await fetch(`${server.base}/c/${chatbot}`)).status).toBe(404);
  expect(hybrid).toBe('Hybrid: visitors of your pages can ask it');
  await page.getByLabel('Visibility').selectOption('private');
  await page.getByLabel('Days that conversations are kept').fill('30');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const { call } = apiOf(server);
  expect(await call('GET', `/chatbot/${chatbot}`)).toMatchObject({ name: ATTACK, meta: { visibility: 'private' } });
  expect(await call('GET', `/chatbot/${chatbot}/retention`)).toEqual({ keep_days: 30 });
  await page.getByRole('button', { name: 'Delete this chatbot' }).click();
  await page.getByText('Type the name as it stands here').waitFor();
  await page.getByLabel(/^Type “/).fill(ATTACK);
  await page.keyboard.press('Enter');
  await heading(page, 'Chatbots').waitFor();
  await expect(call('GET', `/chatbot/${chatbot}`)).rejects.toThrow();
  expect(await page.title()).not.toBe('hacked');
  await page.context().close();
});

test('General saves all or nothing, says what is wrong at its field, and asks before changes are left', async () => {
  const chatbot = await newChatbot('Old name');
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/general`);
  const [name, days] = [page.getByLabel('Name', { exact: true }), page.getByLabel('Days that conversations are kept')];
  const save = page.getByRole('button', { name: 'Save' });
  const { call } = apiOf(server);
  const kept = () => call('GET', `/chatbot/${chatbot}/retention`);
  await name.fill('x'.repeat(201));
  await days.fill('30');
  await save.click();
  await page.getByText('Must be a text of 1 to 200 characters.').waitFor();
  expect(await kept()).toEqual({ keep_days: 0 });
  expect([await name.getAttribute('aria-invalid'), await days.getAttribute('aria-invalid')]).toEqual(['true', null]);
  await name.fill('New name');
  await days.fill('-5');
  await save.click();
  await page.getByText('Must be a whole number from 0 to 36500.').waitFor();
  expect([await name.getAttribute('aria-invalid'), await days.getAttribute('aria-invalid')]).toEqual([null, 'true']);
  expect(await page.getByText('keep_days').count()).toBe(0);
  expect(await call('GET', `/chatbot/${chatbot}`)).toMatchObject({ name: 'Old name' });
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.dismiss();
  });
  await page.getByRole('link', { name: 'People' }).click();
  expect(asked).toEqual(['Leave without saving your changes?']);
  await days.fill('5');
  await save.click();
  await page.getByText('Saved.').waitFor();
  expect(await kept()).toEqual({ keep_days: 5 });
  await page.getByRole('link', { name: 'People' }).click();
  await heading(page, 'People').waitFor();
  expect(asked.length).toBe(1);
  await page.context().close();
});

test('General limits how much one visitor asks, and what they are told then', async () => {
  const chatbot = await newChatbot('Busy');
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/general`);
  const [messages, seconds] = [
    page.getByLabel('Messages that one visitor may send'),
    page.getByLabel('In so many seconds'),
  ];
  expect([await messages.inputValue(), await seconds.inputValue()]).toEqual(['20', '240']);
  const { call } = apiOf(server);
  const meta = async () => (await call<{ meta: object }>('GET', `/chatbot/${chatbot}`)).meta;
  await seconds.fill('361');
  await page.keyboard.press('Enter');
  await page.getByText('Must be a whole number from 1 to 360.').waitFor();
  expect(await seconds.getAttribute('aria-invalid')).toBe('true');
  expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).name)).toBe('seconds');
  await messages.fill('many');
  await page.keyboard.press('Enter');
  await page.getByText('Must be a whole number from 1 to 100.').waitFor();
  expect(await meta()).toMatchObject({ rate_limit: [20, 240] });
  await messages.fill('5');
  await seconds.fill('60');
  await page.getByLabel('What whoever has to wait is told').fill('One moment, please.');
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  expect(await meta()).toMatchObject({ rate_limit: [5, 60], rate_limit_message: 'One moment, please.' });
  await page.reload();
  await expect.poll(() => seconds.inputValue()).toBe('60');
  await page.context().close();
});

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)(
  'axe finds nothing on the screens of people in %s at %i pixels, which do not scroll sideways',
  async (colorScheme, width) => {
    const chatbot = await newChatbot();
    await invite(chatbot, `${'long'.repeat(12)}@shop.example`, 'operator');
    const { page } = await newPage(browser, { colorScheme, viewport: { width, height: 800 } });
    await signInByKey(page, server, `/console/chatbot/${chatbot}/people`);
    await page.getByText('as an operator, good until').waitFor();
    const checkPage = async (): Promise<void> => {
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    };
    await checkPage();
    await page.goto(`${server.base}/console/chatbot/${chatbot}/general`);
    await page.getByRole('button', { name: 'Delete this chatbot' }).waitFor();
    await checkPage();
    await page.goto(`${server.base}/console/settings`);
    await page
      .getByText('You have no key')
      .or(page.getByRole('region', { name: 'Keys' }))
      .first()
      .waitFor();
    await checkPage();
    await page.context().close();
  },
);

test('the archive of a chatbot is downloaded whole', async () => {
  const chatbot = await apiOf(server).newChatbot('Taken along', 'What is a lamp?', 'A lamp gives light.');
  const { page } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${chatbot}/general`);
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download the archive' }).press('Enter');
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^chatbot-.*\.jsonl$/);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
  const kinds = lines.map((line) => Object.keys(JSON.parse(line) as object)[0]);
  expect(kinds).toEqual(['archive', 'chatbot', 'source', 'document', 'agent', 'end']);
  await page.context().close();
});

test('what a role may not see is not shown before the role is known', async () => {
  const chatbot = await newChatbot('Flash');
  const { page } = await newPage(browser);
  let release = (): void => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route('**/api/v1/memberships', async (route) => {
    await held;
    await route.continue();
  });
  await signInByKey(page, server, `/console/chatbot/${chatbot}/sources`);
  await heading(page, 'Sources').waitFor();
  expect(await navigation(page)).toEqual(['Chatbots', 'Settings']);
  release();
  await expect.poll(() => navigation(page)).toContain('General');
  await page.unroute('**/api/v1/memberships');
  // Where the role cannot be found out the server alone says what is allowed.
  await page.route('**/api/v1/memberships', (route) => route.abort());
  await page.reload();
  await expect.poll(() => navigation(page)).toContain('General');
  await page.context().close();
});

test('a card of the first page leads to Today', async () => {
  const chatbot = await newChatbot('Card');
  const { page } = await newPage(browser);
  await signInByKey(page, server);
  await page.getByRole('main').getByRole('link', { name: /^Card/ }).click();
  await heading(page, 'Today').waitFor();
  expect(page.url()).toBe(`${server.base}/console/chatbot/${chatbot}/today`);
  await page.context().close();
});
