import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltServer, type BuiltServer } from '../built-server.ts';
import { launchChromium } from '../chromium.ts';
import { answers, askQuestion, openChat } from '../visitor.ts';

let server: BuiltServer;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startBuiltServer(), launchChromium()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

interface Agent {
  uuid: string;
}

async function api(path: string, body: object): Promise<Agent> {
  const reply = await fetch(`${server.base}/api/v1${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(await reply.text());
  return (await reply.json()) as Agent;
}

async function addAgent(name: string, example: string, fields: object): Promise<void> {
  const chatbot = await server.chatbot();
  const { uuid } = await api(`/chatbot/${chatbot}/agent/create`, { name, type: 'pre-canned', ...fields });
  await api(`/agent/${uuid}/routing`, { examples: [example] });
  const variables = [{ name: 'first_name' }, { name: 'email' }];
  await api(`/agent/${uuid}/update`, { enabled: true, variables });
}

test('a visitor fills in a form that an agent sends, after a reload too, and the next answer has the values', async () => {
  const fields = [
    { name: 'first_name', label: 'First name', kind: 'text', required: true },
    { name: 'email', label: 'E-mail', kind: 'email', required: true },
  ];
  const form = { type: 'form', title: 'Newsletter', fields, submit: 'Subscribe me to the newsletter' };
  const links = { type: 'link_cards', cards: [{ title: 'All issues', url: `${server.base}/demo/` }] };
  await addAgent('Newsletter', 'Do you have a newsletter?', { default_message: 'We do.', parts: [form, links] });
  await addAgent('Subscribed', form.submit, { default_message: 'Done, {{first_name}}: {{email}}.' });
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  await page.addInitScript({ path: 'node_modules/axe-core/axe.min.js' });
  await page.goto(`${server.base}/demo/`);
  await openChat(page);
  await askQuestion(page, 'Do you have a newsletter?');
  await page.getByRole('form', { name: 'Newsletter' }).waitFor();
  await page.reload();
  const shown = page.getByRole('form', { name: 'Newsletter' });
  await shown.waitFor();
  await page.getByRole('link', { name: 'All issues' }).waitFor();
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } };
    return (await axe.run()).violations.map(({ id }) => id);
  });
  expect(violations.filter((id) => !/^(?:region|landmark|heading|page)/.test(id))).toEqual([]);
  await shown.getByLabel('First name').fill('Ann');
  await shown.getByLabel('E-mail').fill('no address');
  await page.reload();
  await shown.waitFor();
  expect(await shown.getByLabel('First name').inputValue()).toBe('Ann');
  expect(await shown.getByLabel('E-mail').inputValue()).toBe('no address');
  await shown.getByRole('button', { name: form.submit }).click();
  expect(await answers(page).count()).toBe(1);
  await shown.getByLabel('E-mail').fill('ann@shop.example');
  await shown.getByLabel('E-mail').press('Enter');
  await answers(page).getByText('Done, Ann: ann@shop.example.').waitFor();
  expect(await shown.isVisible()).toBe(false);
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain('ann@');
  await page.close();
});
