// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answered, json, record, stream } from './fake-server.ts';
import { mounted, opened, type Opened } from './mounted.ts';

const replies = { 'POST /ask': () => stream(answered(record('q', 'An answer.'))) };
const facing = (face: object): Parameters<typeof mounted>[0] => ({
  ...replies,
  'GET ': () => json({ name: 'Shop', ...face }),
});
let chat: Opened | undefined;

beforeEach(() => localStorage.clear());

afterEach(() => {
  chat?.close();
  chat = undefined;
});

const consent = 'Questions are kept for 30 days.';

test('nothing is sent before the visitor has agreed; the question waits for it, and one consent is enough', async () => {
  chat = mounted(facing({ consent }));
  chat.handle.ask('Where is it?');
  await waitFor(() => chat!.see.getByText(consent));
  expect(chat.door.asked()).toEqual([]);
  expect(chat.see.queryByRole('textbox')).toBeNull();
  chat.see.getByRole('button', { name: 'I agree' }).click();
  await waitFor(() => expect(chat!.door.asked().map(({ body }) => body['query'])).toEqual(['Where is it?']));
  chat.see.getByRole('textbox');
  chat.close();
  chat = await opened(facing({ consent }));
  expect(chat.see.queryByText(consent)).toBeNull();
});

test('while it is unknown what its owner wants agreed nothing is sent; the question is kept and goes when that is known', async () => {
  let isUp = false;
  chat = mounted({ ...facing({ consent }), 'GET ': () => (isUp ? json({ name: 'Shop', consent }) : json({}, 500)) });
  chat.handle.ask('Where is it?');
  await waitFor(() => chat!.see.getAllByText(/Reconnecting/));
  isUp = true;
  await waitFor(() => chat!.see.getByText(consent), { timeout: 4000 });
  expect(chat.door.asked()).toEqual([]);
  chat.see.getByRole('button', { name: 'I agree' }).click();
  await waitFor(() => expect(chat!.door.asked().map(({ body }) => body['query'])).toEqual(['Where is it?']));
});

test('title, picture, greeting, disclaimer and privacy are the owner’s; what the page says wins over the server', async () => {
  const settings = { title: 'Ask us', greeting: 'Hi.', privacy_url: 'https://shop.test/privacy' };
  const kept = { title: 'Kept', disclaimer: 'May be wrong.', avatar: 'https://shop.test/face.png' };
  chat = await opened(facing(kept), { settings });
  const { see, root } = chat;
  await waitFor(() => see.getByRole('heading', { name: 'Ask us' }));
  expect([see.getByText('Hi.'), see.getByText(/May be wrong\./)]).toHaveLength(2);
  expect(see.getByRole('link', { name: 'Privacy' }).getAttribute('href')).toBe('https://shop.test/privacy');
  expect(root.querySelector('img')!.getAttribute('src')).toBe('https://shop.test/face.png');
});

test('a privacy address that is no web page is no link', async () => {
  chat = await opened(facing({ privacy_url: 'javascript:alert(1)' }));
  await waitFor(() => expect(chat!.see.getByText('Privacy').getAttribute('href')).toBeNull());
});

test('the launcher shows the owner’s label and sign, and is where the owner wants it', async () => {
  chat = await opened(facing({ label: 'Help', icon: 'question', position: 'start' }));
  const launcher = chat.root.querySelector<HTMLButtonElement>('.l')!;
  await waitFor(() => expect(launcher.textContent).toBe('Help'));
  expect(launcher.dataset['icon']).toBe('question');
  expect(chat.host.style.getPropertyValue('--docent-position')).toBe('start');
  chat.handle.close();
  await waitFor(() => expect(launcher.title).toBe('Help'));
});

test('a teaser stands beside the launcher after its seconds, opens the chat, and does not come back once it is closed', async () => {
  const settings = { teaser: 'Questions?', teaser_after: 0 };
  const teased = (): HTMLElement | null => chat!.see.queryByRole('button', { name: 'Questions?' });
  chat = mounted(facing({}), { settings });
  await waitFor(() => expect(teased()).not.toBeNull(), { timeout: 3000 });
  expect(localStorage.length).toBe(0);
  teased()!.click();
  await waitFor(() => expect(chat!.see.getByRole('textbox')).toBe(chat!.root.activeElement));
  expect(teased()).toBeNull();
  chat.handle.close();
  chat.close();
  chat = mounted(facing({}), { settings });
  await new Promise((done) => setTimeout(done, 1300));
  expect(teased()).toBeNull();
});

test('a page that closes what nobody has opened stores nothing, and the teaser stays', async () => {
  chat = mounted(facing({}), { settings: { teaser: 'Questions?' } });
  chat.handle.close();
  await waitFor(() => chat!.see.getByRole('button', { name: 'Questions?' }), { timeout: 3000 });
  expect(localStorage.length).toBe(0);
  chat.see.getByRole('button', { name: 'Close chat' }).click();
  await waitFor(() => expect(chat!.see.queryByRole('button', { name: 'Questions?' })).toBeNull());
  expect(chat.see.queryByRole('textbox')).toBeNull();
});

test('open by default, it takes no focus; a visitor who closes it finds it closed', async () => {
  const settings = { open: true };
  chat = mounted(facing({}), { settings });
  await waitFor(() => chat!.see.getByRole('textbox'), { timeout: 3000 });
  expect(chat.root.activeElement).toBeNull();
  chat.see.getAllByRole('button', { name: 'Close chat' })[0]!.click();
  chat.close();
  chat = mounted(facing({}), { settings });
  await new Promise((done) => setTimeout(done, 1300));
  expect(chat.see.queryByRole('textbox')).toBeNull();
});

test('settings that the server keeps are shown from the start where the page asks for them', async () => {
  chat = mounted(facing({ label: 'Help', teaser: 'Kept there', teaser_after: 0 }), {
    settings: { settings: '' } as object,
  });
  await waitFor(() => chat!.see.getByRole('button', { name: 'Kept there' }), { timeout: 3000 });
  expect(chat.root.querySelector('.l')!.textContent).toBe('Help');
});
