import type { Page } from 'playwright';
import { expect, test } from 'vitest';
import { askQuestion, openChat, questions } from '../visitor.ts';
import { browser, server } from './served.ts';

async function api<T>(path: string, body?: object): Promise<T> {
  const reply = await fetch(`${server.base}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(await reply.text());
  return (await reply.json()) as T;
}

async function visit(path: string, context = browser.newContext({ reducedMotion: 'reduce' })): Promise<Page> {
  const page = await (await context).newPage();
  page.setDefaultTimeout(15_000);
  const tag = `<script src="${server.base}/embed.js" data-chatbot="${await server.chatbot()}" data-settings></script>`;
  const body = `<!doctype html><html lang="en"><title>Page</title><body><div style="height:3000px">words</div>${tag}`;
  await page.route('**/site/*', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(`${server.base}/site/${path}`);
  return page;
}

/** What this browser holds of any kind. */
const stored = (page: Page): Promise<unknown[]> =>
  page.evaluate(async () => [
    ...Object.keys({ ...localStorage, ...sessionStorage }),
    ...(await indexedDB.databases()),
    ...document.cookie.split(';').filter(Boolean),
  ]);

test('a teaser shows by scroll depth and by the address of a single-page application, and stores nothing of one who never acts', async () => {
  const triggers = [
    { page: '/site/cart', text: 'Questions?' },
    { page: '/site/long', scroll: 60, text: 'Still reading?' },
  ];
  await api(`/chatbot/${await server.chatbot()}/widget`, { triggers });
  const page = await visit('home');
  const teaser = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).waitFor();
  await page.waitForFunction(() => document.querySelector('docent-widget')?.shadowRoot?.querySelector('slot'));
  await page.evaluate(() => history.pushState({}, '', '/site/cart'));
  await teaser('Questions?');
  await page.goto(`${server.base}/site/long`);
  await page.waitForFunction(() => document.querySelector('docent-widget')?.shadowRoot?.querySelector('slot'));
  expect(await page.getByText('Still reading?').count()).toBe(0);
  await page.evaluate(() => scrollTo(0, 2500));
  await teaser('Still reading?');
  expect(await stored(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close this message' }).click();
  expect(await stored(page)).not.toEqual([]);
  const next = await visit('cart', Promise.resolve(page.context()));
  await next.waitForFunction(() => document.querySelector('docent-widget')?.shadowRoot?.querySelector('slot'));
  await next.waitForTimeout(500);
  expect(await next.getByText('Questions?').count()).toBe(0);
  await page.context().close();
  await api(`/chatbot/${await server.chatbot()}/widget`, { triggers: [] });
});

test('what a visitor writes after a thumb down is stored, and one conversation is deleted, the other is not', async () => {
  const page = await visit('home');
  await openChat(page);
  const [returns, delivery] = ['Can I return a sale item?', 'How long does delivery take?'];
  await askQuestion(page, returns);
  await page.getByRole('button', { name: 'Helpful', exact: true }).click();
  expect(await page.getByRole('textbox', { name: /Tell us more/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Not helpful' }).click();
  await page.getByRole('textbox', { name: /Tell us more/ }).fill('Which days?');
  const rated = page.waitForResponse('**/feedback');
  await page.locator('.comment').getByRole('button', { name: 'Send' }).click();
  const path = new URL((await rated).url()).pathname.split('/');
  await page.getByText('Thank you.').waitFor();
  const { feedback_json } = await api<{ feedback_json: string }>(`/message/${path.at(-2)}`);
  expect(JSON.parse(feedback_json)).toMatchObject({ rating: -1, comment: 'Which days?' });
  await page.getByRole('button', { name: 'New conversation' }).click();
  await askQuestion(page, delivery);
  await page.getByRole('button', { name: 'Helpful', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Conversations' }).click();
  const list = page.getByRole('dialog', { name: 'Conversations' });
  const row = list.getByRole('listitem', { name: returns });
  await row.getByRole('button', { name: 'Delete' }).click();
  await row.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
  await page.keyboard.press('Escape');
  expect(await questions(page).allInnerTexts()).toEqual([delivery]);
  await page.context().close();
});

test('the page’s listeners get the details of events by the names that are documented', async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(15_000);
  const tag = `<script src="${server.base}/embed.js" data-chatbot="${await server.chatbot()}"></script>`;
  const body = `<!doctype html><html lang="en"><title>Page</title><body>${tag}`;
  await page.route('**/events', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(`${server.base}/events`);
  const details = await page.evaluate(async (query) => {
    type On = (name: string, listener: (detail: object | null) => void) => void;
    const { on, ask } = (globalThis as unknown as { Docent: { on: On; ask(query: string): void } }).Docent;
    const seen: Record<string, string[]> = {};
    await new Promise((done) => {
      for (const name of ['open', 'ask', 'answer'])
        on(name, (detail) => {
          seen[name] = Object.keys(detail ?? {}).toSorted();
          if (name === 'answer') done(0);
        });
      ask(query);
    });
    return seen;
  }, 'Can I return a sale item?');
  expect(details).toEqual({ open: [], ask: ['query'], answer: ['citations', 'finish_reason', 'query', 'response'] });
  await page.close();
});
