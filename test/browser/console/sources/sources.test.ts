import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { site as pagesSite } from '../../../running.ts';
import { freePort, startBuiltServer, type BuiltServer } from '../../built-server.ts';
import { launchChromium } from '../../chromium.ts';
import { newPage, signInByKey, violations } from '../console.ts';

/** The screens of sources, in Chromium. */

let server: BuiltServer;
let browser: Browser;
let shop: Awaited<ReturnType<typeof pagesSite>>;
const shown: Record<string, string> = {};

beforeAll(async () => {
  shop = await pagesSite(new Proxy({}, { get: (_, path) => shown[String(path)] }));
  [server, browser] = await Promise.all([
    startBuiltServer({ PORT: String(await freePort()), FETCH_ALLOW: shop.host }),
    launchChromium(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await shop?.close();
});

const page = (title: string, text: string, ...links: string[]): string =>
  `<title>${title}</title><nav>${links.map((link) => `<a href="${link}">more</a>`).join('')}</nav><main><p>${text}</p></main>`;

async function post<T>(path: string, body: object): Promise<T> {
  const reply = await fetch(`${server.base}/api/v1/chatbot/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await reply.json()) as T;
}

const newChatbot = async (): Promise<string> => (await post<{ uuid: string }>('create', { name: 'Shop' })).uuid;

/** The screen of sources, once the crawl of the site that begins with `start` has ended. */
async function readSite(path = '/', fill: (page: Page) => Promise<void> = async () => {}) {
  const { page, faults } = await newPage(browser);
  await signInByKey(page, server, `/console/chatbot/${await newChatbot()}/sources`);
  await page.getByText('Add a source').click();
  await page.getByLabel('Where the site starts').fill(`http://${shop.host}${path}`);
  await fill(page);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page
    .getByRole('group')
    .filter({ hasText: `${shop.host}${path}: ` })
    .waitFor();
  return { page, faults };
}

test('a source shows its text, and what a fetch changed in it', async () => {
  shown['/'] = page('Lamps', 'A lamp costs 20 pounds.');
  const { page: screen, faults } = await readSite();
  faults.length = 0;
  await screen.getByRole('link', { name: 'Lamps', exact: true }).click();
  await screen.getByRole('heading', { level: 1, name: 'Lamps' }).waitFor();
  await screen.getByRole('listitem').filter({ hasText: 'A lamp costs 20 pounds.' }).waitFor();
  expect(await screen.getByText('What changed').count()).toBe(0);
  shown['/'] = page('Lamps', 'A lamp costs 25 pounds.');
  await screen.getByRole('button', { name: 'Fetch again' }).click();
  await screen.getByRole('deletion').getByText('A lamp costs 20 pounds.').waitFor();
  await screen.getByRole('insertion').getByText('A lamp costs 25 pounds.').waitFor();
  expect(await violations(screen)).toEqual([]);
  await screen.setViewportSize({ width: 390, height: 844 });
  await screen.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(screen)).toEqual([]);
  await screen.reload();
  await screen.getByRole('deletion').waitFor();
  expect(faults).toEqual([]);
  await screen.context().close();
});

test('a page is excluded from its site, and included again', async () => {
  shown['/'] = page('Square', 'The square has a shop.', '/old', '/gone');
  shown['/old'] = page('Old prices', 'A lamp cost 2 pounds.');
  const { page: screen } = await readSite();
  await screen.getByRole('link', { name: 'Old prices', exact: true }).click();
  await screen.getByRole('button', { name: 'Delete' }).click();
  await screen.getByText('Delete it until the site is read again?').waitFor();
  await screen.getByRole('button', { name: 'Keep' }).click();
  await screen.getByRole('button', { name: 'Exclude' }).click();
  await screen.getByRole('button', { name: 'Exclude', exact: true }).click();
  await screen.getByRole('heading', { level: 1, name: 'Sources' }).waitFor();
  await screen.getByText('1 excluded, 1 dead link').click();
  const details = screen.getByRole('group').filter({ hasText: 'Excluded pages' });
  await details.getByRole('button', { name: 'Read the site again' }).click();
  await details.getByRole('button', { name: 'Include again' }).waitFor();
  expect(await screen.getByRole('link', { name: 'Old prices', exact: true }).count()).toBe(0);
  expect(await violations(screen)).toEqual([]);
  await details.getByRole('button', { name: 'Include again' }).click();
  await screen.getByRole('link', { name: 'Old prices', exact: true }).waitFor();
  await screen.context().close();
});

test('a site is read as far as its paths are wanted, and its pages are fetched again on a schedule', async () => {
  shown['/'] = page('Square', 'The square has a shop.', '/blog/one', '/lamps');
  shown['/blog/one'] = page('Blog', 'We write a blog.');
  shown['/lamps'] = page('Lamps', 'A lamp gives light.');
  const { page: screen } = await readSite('/', async (form) => {
    await form.getByText('Which pages').click();
    await form.getByLabel('Not these paths').fill('/blog\n\n*.txt');
    await form.getByLabel('Pages at most').fill('50');
  });
  await screen.getByRole('link', { name: 'Lamps', exact: true }).waitFor();
  expect(await screen.getByRole('link', { name: 'Blog', exact: true }).count()).toBe(0);
  await screen.getByText(': 2 pages').click();
  expect(await screen.getByLabel('Pages at most').last().inputValue()).toBe('50');
  await screen.getByText('Not /blog, *.txt.').waitFor();
  await screen.getByLabel('Fetch all pages again').selectOption('Every week');
  await screen.getByText('next on').waitFor();
  await screen.reload();
  await expect.poll(() => screen.getByLabel('Fetch all pages again').inputValue()).toBe('168');
  await screen.context().close();
});

test('a site says which folder it is and that it has more pages than its limit, which its owner raises', async () => {
  for (const path of ['one', 'two', 'three']) shown[`/docs/${path}`] = page(`Page ${path}`, `This is page ${path}.`);
  shown['/docs/'] = page('Docs', 'The documents of the shop.', '/docs/one', '/docs/two', '/docs/three', '/');
  const { page: screen } = await readSite('/docs/', async (form) => {
    await form.getByText('Of https://shop.example/docs/, only pages under /docs/ are read.').waitFor();
    await form.getByText('Which pages').click();
    await form.getByLabel('Pages at most').fill('a few');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await form.getByRole('alert').getByText('max_pages').waitFor();
    await form.getByLabel('Pages at most').fill('3');
  });
  const limit = 'Only pages under /docs/ are read. It has more than 3 pages: raise the limit in Sources.';
  const site = screen.getByRole('group').filter({ hasText: limit });
  await site.getByText(': 3 pages').click();
  expect(await violations(screen)).toEqual([]);
  await screen.getByRole('link', { name: 'Start', exact: true }).click();
  await screen.getByRole('listitem').getByText(limit).waitFor();
  await screen.getByRole('link', { name: 'Sources', exact: true }).click();
  await site.getByText(': 3 pages').click();
  await site.getByLabel('Pages at most').fill('many');
  await site.getByRole('button', { name: 'Read the site again' }).click();
  await site.getByRole('alert').getByText('max_pages').waitFor();
  await site.getByLabel('Pages at most').fill('4');
  await site.getByLabel('Pages at most').press('Enter');
  await screen.getByRole('group').filter({ hasText: ': 4 pages Only pages under /docs/ are read.' }).waitFor();
  expect(await site.count()).toBe(0);
  await screen.context().close();
});

test('of several files the one that fails stays in the field, and the others are added once', async () => {
  const { page: screen } = await newPage(browser);
  const chatbot = await newChatbot();
  await signInByKey(screen, server, `/console/chatbot/${chatbot}/sources`);
  await screen.getByText('Add a source').click();
  await screen.getByRole('radio', { name: 'Files' }).check();
  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`All about ${name}.`) });
  await screen.locator('[type=file]').setInputFiles(['a.txt', 'b.txt', 'empty.xyz', 'c.txt'].map(file));
  const add = screen.getByRole('button', { name: 'Add', exact: true });
  await add.click();
  await screen.getByText('3 added: a.txt, b.txt, c.txt').waitFor();
  await screen.getByText('empty.xyz: ').waitFor();
  await add.click();
  await expect.poll(() => screen.getByText('3 added').count()).toBe(0);
  await screen.getByText('empty.xyz: ').waitFor();
  expect(await screen.getByText('It is there already').count()).toBe(0);
  await screen.getByLabel('A question and its answer').check();
  expect(await screen.getByText('empty.xyz').filter({ visible: true }).count()).toBe(0);
  expect(await screen.locator('[aria-invalid]').count()).toBe(0);
  await screen.getByLabel('Question', { exact: true }).fill('What is a chair?');
  await screen.getByLabel('Answer', { exact: true }).fill('A chair has four legs.');
  await add.click();
  await screen.getByText('1 added').getByRole('link', { name: 'What is a chair?' }).click();
  await screen.getByRole('heading', { level: 1, name: 'What is a chair?' }).waitFor();
  await screen.context().close();
});

test('the list has when a source was fetched or changed, and how many passages it has', async () => {
  const { page: screen } = await newPage(browser);
  const chatbot = await newChatbot();
  await post(`${chatbot}/data-source/qa`, { question: 'What is a lamp?', answer: 'A lamp gives light.' });
  await signInByKey(screen, server, `/console/chatbot/${chatbot}/sources`);
  const row = screen.getByRole('row', { name: 'What is a lamp?' });
  await row.getByText('Ready').waitFor();
  const heads = await screen.getByRole('columnheader').allTextContents();
  const cellOf = (head: string) => row.locator('th, td').nth(heads.indexOf(head)).textContent();
  expect(await cellOf('Passages')).toBe('1');
  expect(await cellOf('Fetched or changed')).toMatch(/now|this minute|minutes? ago/);
  await screen.context().close();
});

test('what was typed of one kind of source stays while another is chosen, and added', async () => {
  const { page: screen } = await newPage(browser);
  const chatbot = await newChatbot();
  await signInByKey(screen, server, `/console/chatbot/${chatbot}/sources`);
  await screen.getByText('Add a source').click();
  const [start, paths] = [screen.getByLabel('Where the site starts'), screen.getByLabel('Only these paths')];
  await start.fill('https://shop.example');
  await screen.getByText('Which pages').click();
  await paths.fill('/lamps');
  await screen.getByLabel('A question and its answer').check();
  const [question, answer] = ['Question', 'Answer'].map((label) => screen.getByLabel(label, { exact: true }));
  await question!.fill('What is a chair?');
  await answer!.fill('A chair has four legs.');
  await screen.getByRole('radio', { name: 'Files' }).check();
  await screen
    .locator('[type=file]')
    .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('A.') });
  await screen.getByLabel('One page').check();
  expect(await screen.getByLabel('Address of the page').inputValue()).toBe('https://shop.example');
  await screen.getByLabel('A question and its answer').check();
  expect(await question!.inputValue()).toBe('What is a chair?');
  await screen.getByRole('button', { name: 'Add', exact: true }).click();
  await screen.getByText('1 added').getByRole('link', { name: 'What is a chair?' }).waitFor();
  expect(await question!.inputValue()).toBe('');
  await screen.getByLabel('A website').check();
  expect(await start.inputValue()).toBe('https://shop.example');
  expect(await paths.inputValue()).toBe('/lamps');
  await screen.getByRole('radio', { name: 'Files' }).check();
  await screen.getByRole('button', { name: 'Add', exact: true }).click();
  await screen.getByText('1 added').getByRole('link', { name: 'a.txt' }).waitFor();
  await screen.context().close();
});

test('what was wrong with a website is not said of a page', async () => {
  const { page: screen } = await newPage(browser);
  await signInByKey(screen, server, `/console/chatbot/${await newChatbot()}/sources`);
  await screen.getByText('Add a source').click();
  await screen.getByLabel('Where the site starts').fill('https://shop.example:no-port');
  await screen.getByRole('button', { name: 'Add', exact: true }).click();
  await expect.poll(() => screen.getByLabel('Where the site starts').getAttribute('aria-invalid')).toBe('true');
  await screen.getByLabel('One page').check();
  expect(await screen.getByLabel('Address of the page').getAttribute('aria-invalid')).not.toBe('true');
  await screen.context().close();
});

test('what is added while files are being sent is listed beside them', async () => {
  const { page: screen } = await newPage(browser);
  await signInByKey(screen, server, `/console/chatbot/${await newChatbot()}/sources`);
  await screen.getByText('Add a source').click();
  await screen.getByRole('radio', { name: 'Files' }).check();
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let uploads = 0;
  await screen.route('**/data-source/upload', async (route) => {
    if (++uploads === 2) await held;
    return route.continue();
  });
  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`All about ${name}.`) });
  await screen.locator('[type=file]').setInputFiles(['a.txt', 'b.txt'].map(file));
  const add = screen.getByRole('button', { name: 'Add', exact: true });
  await add.click();
  await screen.getByText('1 added: a.txt').waitFor();
  await screen.getByLabel('A question and its answer').check();
  await screen.getByLabel('Question', { exact: true }).fill('What is a chair?');
  await screen.getByLabel('Answer', { exact: true }).fill('A chair has four legs.');
  await add.click();
  await screen.getByText('2 added: a.txt, What is a chair?').waitFor();
  release();
  await screen.getByText('3 added: a.txt, What is a chair?, b.txt').waitFor();
  await screen.context().close();
});

test.each([1280, 390])(
  'the question before a source is deleted names it, and moves nothing, %d px wide',
  async (width) => {
    const { page: screen } = await newPage(browser, { viewport: { width, height: 800 } });
    const chatbot = await newChatbot();
    const question = 'What is a lamp, and how long does one of the large ones burn on a winter evening?';
    await post(`${chatbot}/data-source/qa`, { question, answer: 'A lamp gives light.' });
    await signInByKey(screen, server, `/console/chatbot/${chatbot}/sources`);
    const [row, title] = [screen.getByRole('row', { name: question }), screen.getByRole('link', { name: question })];
    /** Where the title stands in the table, and how wide that is. */
    const place = async (): Promise<number[]> => {
      const [table, link] = [(await screen.locator('table').boundingBox())!, (await title.boundingBox())!];
      return [table.width, link.x - table.x, link.y - table.y];
    };
    await row.getByText('Ready').waitFor();
    const before = await place();
    await row.getByRole('button', { name: 'Delete' }).click();
    const ask = row.getByText(`Delete “${question}”?`);
    expect(await place()).toEqual(before);
    const box = (await ask.boundingBox())!;
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(width);
    await row.getByRole('button', { name: 'Keep' }).click();
    expect(await ask.count()).toBe(0);
    await screen.context().close();
  },
);
