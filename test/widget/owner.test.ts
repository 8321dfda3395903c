// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerEvents, jsonResponse, messageRecord, streamResponse } from './fake-server.ts';
import { mountChat, mountAndOpen, type MountedChat } from './mounted.ts';

const replies = { 'POST /ask': () => streamResponse(answerEvents(messageRecord('q', 'An answer.'))) };
const facing = (face: object): Parameters<typeof mountChat>[0] => ({
  ...replies,
  'GET ': () => jsonResponse({ name: 'Shop', ...face }),
});
let chat: MountedChat | undefined;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  chat?.close();
  chat = undefined;
});

const consent = 'Questions are kept for 30 days.';

test('a question waits for consent, which is asked once', async () => {
  chat = mountChat(facing({ consent }));
  chat.handle.ask('Where is it?');
  await waitFor(() => chat!.screen.getByText(consent));
  expect(chat.server.askRequests()).toEqual([]);
  expect(chat.screen.queryByRole('textbox')).toBeNull();
  chat.screen.getByRole('button', { name: 'I agree' }).click();
  await waitFor(() => expect(chat!.server.askRequests().map(({ body }) => body['query'])).toEqual(['Where is it?']));
  chat.screen.getByRole('textbox');
  chat.close();
  chat = await mountAndOpen(facing({ consent }));
  expect(chat.screen.queryByText(consent)).toBeNull();
});

test('nothing is stored before consent, and no answer seems to be looked for', async () => {
  chat = mountChat({ ...facing({ consent }), 'POST /ask': () => new Promise<never>(() => undefined) });
  chat.handle.ask('Where is it?');
  await waitFor(() => chat!.screen.getByText(consent));
  await new Promise((resolve) => setTimeout(resolve, 50));
  chat.screen.getByText('Where is it?');
  expect(chat.screen.queryByText('Looking for the answer…')).toBeNull();
  expect([localStorage.length, sessionStorage.length]).toEqual([0, 0]);
  chat.screen.getByRole('button', { name: 'I agree' }).click();
  await waitFor(() => expect(chat!.server.askRequests()).toHaveLength(1));
  await waitFor(() => chat!.screen.getAllByText('Looking for the answer…'));
  expect(Object.values({ ...localStorage }).join()).toMatch(
    /"agreed":true.*Where is it\?|Where is it\?.*"agreed":true/,
  );
});

test('a chat that was closed before consent stays closed, and nothing else of it is stored', async () => {
  const owned = facing({ consent, open: true });
  chat = mountChat(owned, { settings: { open: true } });
  chat.handle.ask('Where is it?');
  await waitFor(() => chat!.screen.getByText(consent));
  chat.handle.close();
  expect([Object.values({ ...localStorage }), sessionStorage.length]).toEqual([['{"closed":true}'], 0]);
});

test('a question waits while the profile, and so the consent text, is not loaded', async () => {
  let isUp = false;
  chat = mountChat({
    ...facing({ consent }),
    'GET ': () => (isUp ? jsonResponse({ name: 'Shop', consent }) : jsonResponse({}, 500)),
  });
  chat.handle.ask('Where is it?');
  await waitFor(() => chat!.screen.getAllByText(/Reconnecting/));
  isUp = true;
  await waitFor(() => chat!.screen.getByText(consent), { timeout: 4000 });
  expect(chat.server.askRequests()).toEqual([]);
  chat.screen.getByRole('button', { name: 'I agree' }).click();
  await waitFor(() => expect(chat!.server.askRequests().map(({ body }) => body['query'])).toEqual(['Where is it?']));
});

test('a question waits for consent where the profile, and so its text, is refused for a while', async () => {
  const replies = [429, 429, 200];
  chat = await mountAndOpen({
    ...facing({ consent }),
    'GET ': () => jsonResponse({ name: 'Shop', consent, code: 'rate_limited' }, replies.shift() ?? 200),
  });
  chat.ask('q');
  await waitFor(() => chat!.screen.getByText(consent), { timeout: 4000 });
  expect(chat.server.askRequests()).toEqual([]);
});

test('a question whose profile is refused by a limit shows the limit, and is sent once that is over', async () => {
  const limit = { error: 'Too many.', code: 'rate_limited', retry_after: 2 };
  let isOver = false;
  chat = await mountAndOpen({
    ...facing({}),
    'GET ': () => (isOver ? jsonResponse({ name: 'Shop' }) : jsonResponse(limit, 429)),
  });
  chat.ask('q');
  await waitFor(() => chat!.screen.getAllByText(/Too many\./));
  const again = () => chat!.screen.getByRole('button', { name: /^Try again/ }) as HTMLButtonElement;
  expect(again().disabled).toBe(true);
  expect(chat.server.askRequests()).toEqual([]);
  isOver = true;
  await waitFor(() => expect(again().disabled).toBe(false), { timeout: 4000 });
  again().click();
  await waitFor(() => chat!.screen.getByText('An answer.'));
});

test('shows the owner’s title, avatar, greeting, disclaimer and privacy link; the page’s settings override the server’s', async () => {
  const settings = { title: 'Ask us', greeting: 'Hi.', privacy_url: 'https://shop.test/privacy' };
  const kept = { title: 'Kept', disclaimer: 'May be wrong.', avatar: 'https://shop.test/face.png' };
  chat = await mountAndOpen(facing(kept), { settings });
  const { screen, root } = chat;
  await waitFor(() => screen.getByRole('heading', { name: 'Ask us' }));
  expect([screen.getByText('Hi.'), screen.getByText(/May be wrong\./)]).toHaveLength(2);
  expect(screen.getByRole('link', { name: 'Privacy' }).getAttribute('href')).toBe('https://shop.test/privacy');
  expect(root.querySelector('img')!.getAttribute('src')).toBe('https://shop.test/face.png');
});

test('a privacy address that is not a web page is not shown', async () => {
  chat = await mountAndOpen(facing({ disclaimer: 'May be wrong.', privacy_url: 'javascript:alert(1)' }));
  await waitFor(() => chat!.screen.getByText(/May be wrong/));
  expect(chat.screen.queryByText('Privacy')).toBeNull();
});

test('the launcher has the owner’s label, icon and position', async () => {
  chat = await mountAndOpen(facing({ label: 'Help', icon: 'question', position: 'start' }));
  const launcher = chat.root.querySelector<HTMLButtonElement>('.l')!;
  await waitFor(() => expect(launcher.textContent).toBe('Help'));
  expect(launcher.dataset['icon']).toBe('question');
  expect(chat.host.style.getPropertyValue('--docent-position')).toBe('start');
  chat.handle.close();
  await waitFor(() => expect(launcher.title).toBe('Help'));
});

test('a teaser appears after its delay, opens the chat, and does not return once dismissed', async () => {
  const settings = { teaser: 'Questions?', teaser_after: 0 };
  const teased = (): HTMLElement | null => chat!.screen.queryByRole('button', { name: 'Questions?' });
  chat = mountChat(facing({}), { settings });
  await waitFor(() => expect(teased()).not.toBeNull(), { timeout: 3000 });
  expect(localStorage.length).toBe(0);
  teased()!.click();
  await waitFor(() => expect(chat!.screen.getByRole('textbox')).toBe(chat!.root.activeElement));
  expect(teased()).toBeNull();
  chat.handle.close();
  chat.close();
  chat = mountChat(facing({}), { settings });
  await new Promise((done) => setTimeout(done, 1300));
  expect(teased()).toBeNull();
});

test('close() on a chat that was never opened stores nothing and keeps the teaser', async () => {
  chat = mountChat(facing({}), { settings: { teaser: 'Questions?', teaser_after: 0 } });
  chat.handle.close();
  await waitFor(() => chat!.screen.getByRole('button', { name: 'Questions?' }), { timeout: 3000 });
  expect(localStorage.length).toBe(0);
  chat.screen.getByRole('button', { name: 'Close this message' }).click();
  await waitFor(() => expect(chat!.screen.queryByRole('button', { name: 'Questions?' })).toBeNull());
  expect(chat.screen.queryByRole('textbox')).toBeNull();
});

test('a chat that is open by default takes no focus, and stays closed once the visitor closes it', async () => {
  const settings = { open: true };
  chat = mountChat(facing({}), { settings });
  await waitFor(() => chat!.screen.getByRole('textbox'), { timeout: 3000 });
  expect(chat.root.activeElement).toBeNull();
  chat.screen.getAllByRole('button', { name: 'Close chat' })[0]!.click();
  chat.close();
  chat = mountChat(facing({}), { settings });
  await new Promise((done) => setTimeout(done, 1300));
  expect(chat.screen.queryByRole('textbox')).toBeNull();
});

test('data-settings loads the server’s settings at the start', async () => {
  chat = mountChat(facing({ label: 'Help', teaser: 'Kept there', teaser_after: 0 }), {
    settings: { settings: '' } as object,
  });
  await waitFor(() => chat!.screen.getByRole('button', { name: 'Kept there' }), { timeout: 3000 });
  expect(chat.root.querySelector('.l')!.textContent).toBe('Help');
});

const replyFor: Record<string, () => Response> = {
  limited: () => jsonResponse({ error: 'A break, please.', code: 'rate_limited', retry_after: 9 }, 429),
  failed: () => jsonResponse({ error: 'x', code: 'model_failed' }, 502),
  unsure: () => streamResponse(answerEvents({ ...messageRecord('q', 'Perhaps so.'), outcome: 'unsure' })),
  unknown: () => streamResponse(answerEvents({ ...messageRecord('q', 'I don’t know.'), outcome: 'unknown' })),
};

test.each([
  ['limited', 'A break, please.', 'https://shop.test/help', 'https://shop.test/help'],
  ['failed', 'Something went wrong.', 'help@shop.test', 'mailto:help@shop.test'],
  ['unsure', 'Perhaps so.', 'help@shop.test', 'mailto:help@shop.test'],
  ['unknown', 'I don’t know.', 'help@shop.test', 'mailto:help@shop.test'],
])('a question that is %s ends with the owner’s contact', async (reply, text, contact, href) => {
  chat = await mountAndOpen({ ...facing({ contact }), 'POST /ask': replyFor[reply]! });
  chat.ask('q');
  const link = await waitFor(() => chat!.screen.getByRole('link', { name: 'Contact us' }));
  expect(link.getAttribute('href')).toBe(href);
  expect(chat.root.querySelector('.answer')!.textContent).toContain(text);
});

test('an answer ends without the owner’s contact', async () => {
  chat = await mountAndOpen(facing({ contact: 'help@shop.test' }));
  chat.ask('q');
  await waitFor(() => chat!.screen.getByRole('button', { name: 'Helpful' }));
  expect(chat.screen.queryByRole('link', { name: 'Contact us' })).toBeNull();
});

test.each(['', 'javascript:alert(1)', 'a b@shop.test', '//shop.test', 'help@shop.test?bcc=x@y.test'])(
  'a contact that is no address, as %j, is not shown',
  async (contact) => {
    chat = await mountAndOpen({ ...facing({ contact }), 'POST /ask': replyFor['unknown']! });
    chat.ask('q');
    await waitFor(() => chat!.screen.getByRole('button', { name: 'Helpful' }));
    expect(chat.screen.queryByText('Contact us')).toBeNull();
    expect(chat.root.querySelector('.answer > .note')).toBeNull();
  },
);
