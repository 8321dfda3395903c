import { expect, test } from 'vitest';
import { answers, askQuestion, openChat, questions } from '../visitor.ts';
import { browser, server } from './served.ts';

interface Agent {
  uuid: string;
}

async function api<T = Agent>(path: string, body?: object): Promise<T> {
  const reply = await fetch(`${server.base}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(await reply.text());
  return (await reply.json()) as T;
}

async function addAgent(name: string, example: string, fields: object, of?: string): Promise<void> {
  const chatbot = of ?? (await server.chatbot());
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
  const replies = { type: 'quick_replies', replies: [{ label: 'Delivery', query: 'How long does delivery take?' }] };
  const thanks = { default_message: 'Done, {{first_name}}: {{email}}.', parts: [replies] };
  await addAgent('Subscribed', form.submit, thanks);
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
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
  // The session has the values: they are not lost with the page.
  await page.reload();
  await page.getByRole('button', { name: 'Delivery' }).waitFor();
  const asked = page.waitForRequest('**/ask');
  await page.getByRole('button', { name: 'Try again' }).click();
  const { session, replaces } = (await asked).postDataJSON() as { session: string; replaces: string };
  await page.getByRole('button', { name: 'Delivery' }).waitFor();
  expect(await answers(page).allInnerTexts()).toHaveLength(2);
  await answers(page).getByText('Done, Ann: ann@shop.example.').waitFor();
  const { meta_json } = await api<{ meta_json: string }>(`/message/${replaces}`);
  const messages = await api<{ uuid: string }[]>(`/session/${session}/messages`);
  expect(JSON.parse(meta_json)).toMatchObject({ replaced_by: messages.at(-1)!.uuid });
  const second = await page.context().newPage();
  await second.goto(`${server.base}/demo/`);
  await openChat(second);
  await second.getByRole('button', { name: 'Delivery' }).click();
  await questions(second).getByText('How long does delivery take?').waitFor();
  expect(await second.getByRole('button', { name: 'Delivery' }).isVisible()).toBe(false);
  await page.context().close();
});

test('two chats of a page keep what was filled in of their forms apart', async () => {
  const { uuid } = await api('/chatbot/create', { name: 'Other', visibility: 'public', show_citations: true });
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  const tag = (chatbot: string, place: string): string =>
    `<div id="${place}" style="height:500px"></div><script src="${server.base}/embed.js" data-chatbot="${chatbot}" data-inline="#${place}"></script>`;
  const body = `<!doctype html><html lang="en"><title>Page</title><body>${tag(await server.chatbot(), 'one')}${tag(uuid, 'two')}`;
  await page.route('**/two-chats', (route) => route.fulfill({ contentType: 'text/html', body }));
  const fields = [{ name: 'first_name', label: 'First name', kind: 'text' }];
  const form = { type: 'form', title: 'Club', fields, submit: 'Join the club' };
  for (const of of [await server.chatbot(), uuid])
    await addAgent('Club', 'Can I join the club?', { default_message: 'You can.', parts: [form] }, of);
  await page.goto(`${server.base}/two-chats`);
  const chats = ['#one', '#two'].map((place) => page.locator(place));
  const names = chats.map((chat) => chat.getByLabel('First name'));
  for (const [at, chat] of chats.entries()) {
    await chat.getByRole('textbox', { name: 'Your question' }).fill('Can I join the club?');
    await chat.getByRole('textbox', { name: 'Your question' }).press('Enter');
    await names[at]!.fill(['Ann', 'Ben'][at]!);
  }
  await page.reload();
  await expect.poll(() => Promise.all(names.map((name) => name.inputValue()))).toEqual(['Ann', 'Ben']);
  await page.close();
});
