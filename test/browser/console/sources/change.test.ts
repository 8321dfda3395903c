import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { site as pagesSite, until } from '../../../running.ts';
import { freePort, startBuiltServer, type BuiltServer } from '../../built-server.ts';
import { launchChromium } from '../../chromium.ts';
import { newPage, signInByKey, violations } from '../console.ts';

/** An answer is changed in place, and a site is deleted as a whole, in Chromium. */

let server: BuiltServer;
let browser: Browser;
let shop: Awaited<ReturnType<typeof pagesSite>>;

const page = (title: string, link: string): string =>
  `<title>${title}</title><nav><a href="${link}">more</a></nav><main><p>The ${title} is here.</p></main>`;

beforeAll(async () => {
  shop = await pagesSite({ '/': page('Square', '/mill'), '/mill': page('Mill', '/') });
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

async function call<T>(path: string, body?: object): Promise<T> {
  const reply = await fetch(`${server.base}/api/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await reply.json()) as T;
}

const newChatbot = async (): Promise<string> => (await call<{ uuid: string }>('chatbot/create', { name: 'Shop' })).uuid;

async function open(path: string): Promise<{ screen: Page; faults: string[] }> {
  const { page: screen, faults } = await newPage(browser);
  await signInByKey(screen, server, path);
  // What an address asks for before the sign-in is refused.
  faults.length = 0;
  return { screen, faults };
}

test('an answer is changed by keyboard, with what is refused at its field', async () => {
  const chatbot = await newChatbot();
  const qa = { question: 'May I bring a dog?', answer: 'Dogs are welcome.' };
  const { uuid } = await call<{ uuid: string }>(`chatbot/${chatbot}/data-source/qa`, qa);
  const { screen } = await open(`/console/chatbot/${chatbot}/sources/${uuid}`);
  const answer = screen.getByLabel('Answer', { exact: true });
  await expect.poll(() => answer.inputValue()).toBe(qa.answer);

  const link = screen.getByLabel('Link to a page that says more');
  await link.fill('shop.test/dogs');
  await link.press('Enter');
  await expect.poll(() => link.getAttribute('aria-invalid')).toBe('true');
  await expect.poll(() => link.evaluate((input) => input === document.activeElement)).toBe(true);
  expect(await violations(screen)).toEqual([]);
  await screen.keyboard.press('ControlOrMeta+A');
  await screen.keyboard.type('https://shop.test/dogs');
  await screen.keyboard.press('Shift+Tab');
  await screen.keyboard.press('ControlOrMeta+A');
  await screen.keyboard.type('Small dogs alone.');
  await screen.keyboard.press('Shift+Tab');
  await screen.keyboard.press('ControlOrMeta+A');
  await screen.keyboard.type('Which dogs may I bring?');
  await screen.keyboard.press('Enter');
  await screen.getByText('Saved.').waitFor();
  await screen.getByRole('heading', { level: 1, name: 'Which dogs may I bring?' }).waitFor();
  await screen.getByText('Ready', { exact: true }).waitFor();
  await screen.getByRole('listitem').filter({ hasText: 'Small dogs alone.' }).last().waitFor();
  const stored = await call<{ meta_json: string }>(`data-source/${uuid}`);
  expect(JSON.parse(stored.meta_json)).toEqual({
    question: 'Which dogs may I bring?',
    answer: 'Small dogs alone.',
    reference_source_link: 'https://shop.test/dogs',
    passages: 1,
  });

  // What is saved asks nothing when the screen is left; what is not does.
  let asked = 0;
  screen.on('dialog', (dialog) => {
    asked++;
    void dialog.accept();
  });
  await answer.fill('No dogs.');
  await screen.getByRole('link', { name: 'Sources', exact: true }).click();
  await screen.getByRole('heading', { level: 1, name: 'Sources' }).waitFor();
  expect(asked).toBe(1);
  await screen.getByRole('link', { name: 'Which dogs may I bring?' }).click();
  await expect.poll(() => answer.inputValue()).toBe('Small dogs alone.');
  await screen.getByRole('link', { name: 'Sources', exact: true }).click();
  await screen.getByRole('heading', { level: 1, name: 'Sources' }).waitFor();
  expect(asked).toBe(1);
  await screen.context().close();
});

test('whoever goes on in another field while a change is saved keeps the focus there', async () => {
  const chatbot = await newChatbot();
  const qa = { question: 'May I bring a cat?', answer: 'Cats are welcome.' };
  const { uuid } = await call<{ uuid: string }>(`chatbot/${chatbot}/data-source/qa`, qa);
  const { screen } = await open(`/console/chatbot/${chatbot}/sources/${uuid}`);
  const answer = screen.getByLabel('Answer', { exact: true });
  await screen.getByLabel('Question').fill('Which cats may I bring?');
  let go = (): void => {};
  const held = new Promise<void>((done) => (go = done));
  await screen.route(`**/data-source/${uuid}/text`, (route) => held.then(() => route.continue()));
  await screen.keyboard.press('Enter');
  await screen.getByText('Saved.').waitFor();
  await answer.focus();
  go();
  await screen.getByRole('heading', { level: 1, name: 'Which cats may I bring?' }).waitFor();
  await screen.keyboard.press('ControlOrMeta+End');
  await screen.keyboard.type(' All of them.');
  expect(await answer.inputValue()).toBe('Cats are welcome. All of them.');
  await screen.context().close();
});

test('where nothing has changed nothing is sent', async () => {
  const chatbot = await newChatbot();
  const qa = { question: 'May I bring a bird?', answer: 'Birds are welcome.' };
  const { uuid } = await call<{ uuid: string }>(`chatbot/${chatbot}/data-source/qa`, qa);
  const { screen } = await open(`/console/chatbot/${chatbot}/sources/${uuid}`);
  const sent: string[] = [];
  screen.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
  await screen.getByRole('button', { name: 'Save' }).click();
  await screen.getByText('Nothing has changed.').waitFor();
  expect(sent).toEqual([]);
  await screen.getByLabel('Answer', { exact: true }).fill('Small birds alone.');
  await screen.getByRole('button', { name: 'Save' }).click();
  await screen.getByText('Saved.').waitFor();
  expect(await screen.getByText('Nothing has changed.').count()).toBe(0);
  expect(sent).toHaveLength(1);
  await screen.context().close();
});

test('what is written into one answer is left with it, where the browser goes straight to another', async () => {
  const chatbot = await newChatbot();
  const add = (question: string, answer: string) =>
    call<{ uuid: string }>(`chatbot/${chatbot}/data-source/qa`, { question, answer });
  await add('May I bring a horse?', 'Horses are welcome.');
  await add('May I bring a goat?', 'Goats are welcome.');
  const { screen } = await open(`/console/chatbot/${chatbot}/sources`);
  const answer = screen.getByLabel('Answer', { exact: true });
  await screen.getByRole('link', { name: 'May I bring a horse?' }).click();
  await expect.poll(() => answer.inputValue()).toBe('Horses are welcome.');
  await screen.getByRole('link', { name: 'Sources', exact: true }).click();
  await screen.getByRole('link', { name: 'May I bring a goat?' }).click();
  await expect.poll(() => answer.inputValue()).toBe('Goats are welcome.');
  await answer.fill('No goats.');
  screen.on('dialog', (dialog) => void dialog.accept());
  await screen.evaluate(() => history.go(-2));
  await screen.getByRole('heading', { level: 1, name: 'May I bring a horse?' }).waitFor();
  expect(await answer.inputValue()).toBe('Horses are welcome.');
  await screen.context().close();
});

test('a site is deleted with its pages once that is confirmed', async () => {
  const chatbot = await newChatbot();
  const site = `chatbot/${chatbot}/data-source/site`;
  const { uuid } = await call<{ uuid: string }>(site, { url: `${shop.base}/` });
  await until(
    () => call<{ status: string }>(`${site}/${uuid}`),
    ({ status }) => status === 'done',
  );
  const { screen, faults } = await open(`/console/chatbot/${chatbot}/sources`);
  await screen.getByText(`${shop.host}/: 2 pages`).click();
  await screen.getByRole('button', { name: 'Delete the site' }).click();
  await screen.getByText('Delete it with its 2 pages?').waitFor();
  expect(await violations(screen)).toEqual([]);
  await screen.getByRole('button', { name: 'Keep' }).click();
  await screen.getByRole('button', { name: 'Delete the site' }).press('Enter');
  await screen.getByRole('group').getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(() => screen.getByText(`${shop.host}/`).count()).toBe(0);
  expect(await screen.getByRole('link', { name: 'Square' }).count()).toBe(0);
  await expect
    .poll(() => screen.getByRole('heading', { level: 1 }).evaluate((title) => title === document.activeElement))
    .toBe(true);
  expect(await call(`chatbot/${chatbot}/data-sources`)).toEqual([]);
  expect(faults).toEqual([]);
  await screen.context().close();
});
