import type { Browser, BrowserContextOptions, Frame, FrameLocator, Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { apiOf, type Api } from './api.ts';
import { newPage, signInByKey, violations } from './console.ts';
import { startPage, type Site } from './site.ts';

/** The screen Widget, in Chromium: settings with a preview, snippets, and the link with its code. */

const QUESTION = 'How long may I return a lamp?';
const ANSWER = 'You may return a lamp within 45 days.';
const ATTACK = `"><img src=x onerror="document.title='hit'"><script>document.title='hit'</script>{{7*7}}`;

let server: BuiltServer;
let browser: Browser;
let api: Api;
let shop: Site;
let chatbot: string;
beforeAll(async () => {
  shop = await startPage(
    `<!doctype html><title>Shop</title><h1>The lamp shop</h1><p>Every lamp is repaired in our workshop in Leeds.</p><input autofocus>
     <script>document.title='hit';setInterval(()=>document.querySelector('input').focus(),20);top.postMessage({id:1,path:'/ask'},'*')</script>`,
  );
  [server, browser] = await Promise.all([startBuiltServer({ FETCH_ALLOW: shop.host }), launchChromium()]);
  api = apiOf(server);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  shop?.close();
});
beforeEach(async () => {
  chatbot = await api.newChatbot('Lamps', QUESTION, ANSWER);
});

const settings = () => api.call<Record<string, unknown>>('GET', `/chatbot/${chatbot}/widget`);
const preview = (page: Page): FrameLocator => page.frameLocator('iframe[title="The chat as visitors see it"]');
const save = (page: Page) => page.getByRole('button', { name: 'Save' });
const group = (page: Page, name: string) => page.locator('summary', { hasText: name }).click();

async function open(options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
  const made = await newPage(browser, options);
  await signInByKey(made.page, server, `/console/chatbot/${chatbot}/widget`);
  await preview(made.page).locator('docent-widget').waitFor({ state: 'attached' });
  made.faults.length = 0;
  return made;
}

test('what is typed is shown at once, and once it is saved on a page with the snippet', async () => {
  const { page, faults } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
  await page.getByLabel('Title').fill('Ask the lamp shop');
  await page.getByLabel('Colour', { exact: true }).fill('#0f766e');
  await group(page, 'First screen');
  await page.getByLabel('Greeting').fill('Hello!\nAsk me about lamps.');
  await page.getByLabel('Suggested questions').selectOption('Those below');
  await page.getByLabel('Questions of your own').fill('Do you repair lamps?\n\n Is it open? ');
  await group(page, 'Words');
  await page.getByLabel('Sentences of your own').fill('field: Your question to us\nfeild: Typo');
  await preview(page).getByText('Ask the lamp shop').first().waitFor();
  await preview(page).getByRole('button', { name: 'Is it open?' }).waitFor();
  await preview(page).getByLabel('Your question to us').waitFor();
  await page
    .getByText('5 unsaved changes: Colour, Title, Greeting, Questions of your own, Sentences of your own')
    .waitFor();
  expect(await settings()).toMatchObject({ title: '', color: '', suggestions: 'auto' });

  await save(page).click();
  await page.getByText('Saved, but no sentence of the widget is named feild.').waitFor();
  expect(await settings()).toMatchObject({
    title: 'Ask the lamp shop',
    color: '#0f766e',
    greeting: 'Hello!\nAsk me about lamps.',
    suggestions: ['Do you repair lamps?', 'Is it open?'],
    words: { field: 'Your question to us' },
    radius: 18,
  });
  expect(await page.getByLabel('Sentences of your own').inputValue()).toBe('field: Your question to us');
  await page.getByRole('button', { name: 'Copy the snippet' }).click();
  const tag = await page.evaluate(() => navigator.clipboard.readText());
  expect(tag).toBe(`<script async src="${server.base}/embed.js" data-chatbot="${chatbot}" data-settings></script>`);
  expect(faults).toEqual([]);

  const site = await startPage(`<!doctype html><title>Shop</title><body>${tag}`);
  const visitor = await browser.newPage();
  await visitor.goto(site.url);
  await visitor.locator('docent-widget').getByRole('button').first().click();
  await visitor.getByText('Ask the lamp shop').first().waitFor();
  await visitor.getByRole('button', { name: 'Is it open?' }).waitFor();
  await visitor.getByLabel('Your question to us').waitFor();
  await page.getByText('Seen on').getByText(site.host).waitFor();
  await visitor.close();
  site.close();
  await page.context().close();
});

test('a change leaves no empty frame: the widget before it stays until the next one is drawn', async () => {
  const { page, faults } = await open();
  await preview(page).getByRole('button', { name: 'Close' }).or(preview(page).getByRole('textbox')).first().waitFor();
  // So long that the first has been drawn for certain.
  await page.waitForTimeout(600);
  let release = (): void => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route('**/console/preview*', async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest('**/console/preview*');
  await page.getByLabel('Title').fill('Another title');
  await asked;
  const before = page.frameLocator('iframe[title="The chat before the change"]');
  expect(await before.getByText('Lamps').first().isVisible()).toBe(true);
  release();
  await preview(page).getByText('Another title').first().waitFor();
  await expect.poll(() => page.locator('iframe[title="The chat before the change"]').count()).toBe(0);
  expect(await preview(page).getByText('Another title').first().isVisible()).toBe(true);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a question in the preview is answered, and stored nowhere', async () => {
  const { page } = await open();
  const field = preview(page).getByRole('textbox');
  await field.fill(QUESTION);
  await field.press('Enter');
  await preview(page).getByText(ANSWER).first().waitFor();
  expect(await api.call('GET', `/chatbot/${chatbot}/sessions`)).toEqual([]);
  await page.context().close();
});

test('changes are undone, and leaving with some asks once', async () => {
  const { page } = await open();
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('link', { name: 'Widget' }).click();
  const asked: string[] = [];
  let answer = false;
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void (answer ? dialog.accept() : dialog.dismiss());
  });
  await page.getByLabel('Title').fill('Never saved');
  await page.getByText('1 unsaved change: Title').waitFor();
  await page.getByRole('link', { name: 'People' }).click();
  await page.goBack().catch(() => undefined);
  await expect.poll(() => asked).toEqual(['confirm', 'confirm']);
  // The page is back once the second question is answered.
  await expect.poll(() => page.url()).toContain('/widget');
  expect(await page.getByLabel('Title').inputValue()).toBe('Never saved');
  await page.getByRole('button', { name: 'Undo changes' }).click();
  await page.getByText('Your changes are undone.').waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('');
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
  await page.getByRole('link', { name: 'Widget' }).click();
  await page.getByLabel('Title').fill('Left behind');
  await page.getByText('1 unsaved change: Title').waitFor();
  answer = true;
  await page.getByRole('link', { name: 'General' }).click();
  await page.getByRole('heading', { level: 1, name: 'General' }).waitFor();
  expect(asked).toEqual(['confirm', 'confirm', 'confirm']);
  expect(await settings()).toMatchObject({ title: '' });
  await page.context().close();
});

test.each([
  ['Corner radius', 'Look', '33', 'Must be'],
  ['Distance from the edges', 'Look', '', 'Must be'],
  ['Address of an avatar', 'Look', 'http://shop.example/a.png', 'Must be'],
  ['Triggers of the teaser', 'First screen', '[{"page": 1', 'Must be'],
  ['Address of your privacy policy', 'Consent', 'nonsense', 'Must be'],
  ['Sites that may show it', 'Where it may run', 'shop.example/path', 'Must be'],
  ['Hosts whose images answers may show', 'Where it may run', 'a b', 'Must be'],
])('what the server refuses of “%s” is said at it', async (label, title, value, sentence) => {
  const { page } = await open();
  if (title !== 'Look') await group(page, title);
  const field = page.getByLabel(label);
  await field.fill(value);
  if (title !== 'Look') await group(page, title);
  await save(page).click();
  await page.getByText('Not saved.').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  const described = (await field.getAttribute('aria-describedby'))!.split(' ').at(-1)!;
  expect(await page.locator(`[id="${described}"]`).textContent()).toContain(sentence);
  expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
  await page.getByText('1 unsaved change').waitFor();
  await page.getByRole('button', { name: 'Undo changes' }).click();
  await expect.poll(() => page.locator('[aria-invalid]').count()).toBe(0);
  await page.context().close();
});

test('the owner’s page stands behind it: without scripts, without the focus, and without a way to the console', async () => {
  await api.call('POST', `/chatbot/${chatbot}/data-source/site`, { url: shop.url, max_pages: 1 });
  const status = async () =>
    (await api.call<{ status: string }[]>('GET', `/chatbot/${chatbot}/data-source/sites`))[0]!.status;
  await expect.poll(status).toBe('done');
  const { page, faults } = await open();
  const site = page.frameLocator('iframe[src*="backdrop"]').frameLocator('iframe');
  await site.getByRole('heading', { name: 'The lamp shop', includeHidden: true }).waitFor();
  expect(await site.locator('title').textContent()).toBe('Shop');
  await page.getByLabel('Title').focus();
  await page.waitForTimeout(200);
  expect(await page.getByLabel('Title').evaluate((one) => one === document.activeElement)).toBe(true);
  const inner = page.frames().find((frame) => frame.url() === shop.url)!;
  expect(inner.parentFrame()!.url()).toContain('/console/backdrop/');
  expect(page.frames()).toHaveLength(4);
  // The frame refuses its scripts, and Chromium says so.
  expect(faults.filter((fault) => !/sandboxed|autofocus/i.test(fault))).toEqual([]);
  await page.context().close();
});

test('the preview stands on a dark page, closed, and on a phone', async () => {
  await api.call('POST', `/chatbot/${chatbot}/widget`, { teaser: 'May I help?', teaser_after: 3600 });
  const { page } = await open();
  const field = preview(page).getByRole('textbox');
  await field.waitFor();
  await page.getByLabel('On a dark page').check();
  await field.waitFor();
  // The frame of before stays until this one is drawn.
  const scheme = () =>
    preview(page)
      .locator('html')
      .evaluate((one) => getComputedStyle(one).colorScheme);
  await expect.poll(scheme).toBe('dark');
  await page.getByLabel('Open', { exact: true }).uncheck();
  await preview(page).getByText('May I help?').waitFor();
  expect(await field.count()).toBe(0);
  await page.getByLabel('On a phone').check();
  await page.getByLabel('Open', { exact: true }).check();
  await field.waitFor();
  const frame = page.getByTitle('The chat as visitors see it');
  expect((await frame.boundingBox())!.width).toBeLessThanOrEqual(390);
  await page.context().close();
});

test('a pale colour is advised against', async () => {
  const { page } = await open();
  await page.getByText('Contrast with a white page 7.0 : 1.').waitFor();
  await page.getByLabel('Colour', { exact: true }).fill('#ffee00');
  await page.getByText('Hard to see on a white page: 1.2 : 1').waitFor();
  await page.context().close();
});

test('the link of the page has a code to download, where it has a page', async () => {
  const { page } = await open();
  await page.getByText(`${server.base}/c/${chatbot}`, { exact: true }).waitFor();
  const code = page.getByRole('img', { name: 'QR code of the link' });
  expect(await code.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth > 0))).toBe(
    true,
  );
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download the code' }).click();
  expect((await downloading).suggestedFilename()).toBe('chat-qr-code.svg');
  await api.call('POST', `/chatbot/${chatbot}/update`, { visibility: 'private' });
  await page.reload();
  await page.getByText('This chatbot is private: visitors see its button and get no answer.').waitFor();
  await page.getByText('Only a public chatbot has one.').waitFor();
  expect(await code.count()).toBe(0);
  await page.context().close();
});

test('a snippet of each platform, with the look where that is wanted', async () => {
  await api.call('POST', `/chatbot/${chatbot}/widget`, { color: '#0f766e', label: `Ask "us" & 'them'` });
  const { page } = await open();
  const code = page.locator('.snippet').first();
  await page.getByLabel('With what is saved here').check();
  expect(await code.textContent()).toContain(`data-color="#0f766e"\n  data-label="Ask &quot;us&quot; &amp; 'them'"`);
  for (const [name, part] of [
    ['React', `label={'Ask "us" & \\'them\\''}`],
    ['WordPress', `'data-label' => 'Ask "us" & \\'them\\'',`],
    ['Shopify', 'data-color="#0f766e"'],
    ['Docusaurus', `'data-color': '#0f766e'`],
  ] as const) {
    await page.getByLabel('Your site is made with').selectOption(name);
    await expect.poll(() => code.textContent()).toContain(part);
    expect(await code.textContent()).toContain(chatbot);
  }
  await page.context().close();
});

test('works by the keyboard alone', async () => {
  const { page } = await open();
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  await page.getByLabel('Colour', { exact: true }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('By keys');
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  expect(await settings()).toMatchObject({ title: 'By keys' });
  await page.locator('summary', { hasText: 'Consent' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('I agree to it');
  for (let at = 0; at < 8 && (await focused()) !== 'Save'; at++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  await expect.poll(settings).toMatchObject({ consent: 'I agree to it' });
  await page.context().close();
});

test('an operator has no settings to save', async () => {
  const made = await api.call('POST', `/chatbot/${chatbot}/invitation/create`, {
    email: 'op@shop.example',
    role: 'operator',
  });
  const { page } = await newPage(browser);
  await page.goto(`${server.base}${made['link']!.slice(made['link']!.indexOf('/console'))}`);
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('heading', { level: 1, name: 'Conversations' }).waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Widget' }).count()).toBe(0);
  await page.goto(`${server.base}/console/chatbot/${chatbot}/widget`);
  await page.getByText('Your role in this chatbot is operator: this needs owner or editor.').first().waitFor();
  expect(await save(page).count()).toBe(0);
  await page.context().close();
});

/** Frames in which something ran or could run; undefined where one of them is replaced by the next just then. */
async function hitsIn(page: Page): Promise<number | undefined> {
  try {
    const isHit = async (frame: Frame): Promise<boolean> =>
      (await frame.title()) === 'hit' || (await frame.locator('a[href^="javascript:"]').count()) > 0;
    return (await Promise.all(page.frames().map(isHit))).filter(Boolean).length;
  } catch {
    return undefined;
  }
}

test.each([
  ['light', { colorScheme: 'light' as const }],
  ['dark', { colorScheme: 'dark' as const }],
  ['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
])('breaks no rule of axe, and runs nothing that is written in a setting, %s', async (_, options) => {
  await api.call('POST', `/chatbot/${chatbot}/widget`, {
    title: ATTACK.slice(0, 80),
    label: ATTACK.slice(0, 40),
    greeting: ATTACK,
    suggestions: [ATTACK],
    teaser: ATTACK,
    triggers: [{ seconds: 1, text: ATTACK }],
    disclaimer: ATTACK,
    consent: ATTACK,
    words: { field: ATTACK, site: ATTACK, reply_thanks: ATTACK },
    avatar: 'https://shop.example/">.png',
    icon: 'https://shop.example/">.png',
    privacy_url: 'https://shop.example/">',
    contact: 'https://shop.example/">',
  });
  const { page, faults } = await open(options);
  for (const title of ['First screen', 'Words', 'Consent', 'Where it may run']) await group(page, title);
  await page.getByLabel('With what is saved here').check();
  for (const name of ['Script tag', 'React', 'WordPress', 'Shopify', 'Docusaurus']) {
    await page.getByLabel('Your site is made with').selectOption(name);
    expect(await violations(page), name).toEqual([]);
  }
  expect(await page.getByLabel('Greeting').inputValue()).toBe(ATTACK);
  // Not saved: no server has looked at it.
  for (const label of [
    'Address of the icon’s image',
    'Address of an avatar',
    'Address of your privacy policy',
    'Contact',
  ])
    await page.getByLabel(label).fill(`javascript:document.title='hit'//${ATTACK}`);
  await page.getByText('4 unsaved changes').waitFor();
  await page.getByLabel('Open', { exact: true }).uncheck();
  await page.getByLabel('Open', { exact: true }).check();
  await page.waitForTimeout(1500);
  await expect.poll(() => page.locator('iframe[title="The chat before the change"]').count()).toBe(0);
  await expect.poll(() => hitsIn(page)).toBe(0);
  expect(await page.locator('main img').count()).toBe(1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
    await page.evaluate(() => document.documentElement.clientWidth),
  );
  expect(faults.filter((fault) => !/net::ERR|shop\.example|img-src data: https:/.test(fault))).toEqual([]);
  await page.context().close();
});
