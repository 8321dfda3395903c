// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answered, json, record, stream } from './door.ts';
import { mounted, opened, type Opened } from './opened.ts';

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

test('nothing is sent before the visitor has agreed; the question waits in the field, and one consent is enough', async () => {
  chat = mounted(facing({ consent }));
  chat.handle.ask('Where is it?');
  await waitFor(() => chat!.see.getByText(consent));
  expect(chat.door.asked()).toEqual([]);
  expect(chat.see.queryByRole('textbox')).toBeNull();
  chat.see.getByRole('button', { name: 'I agree' }).click();
  const field = await waitFor(() => chat!.see.getByRole('textbox') as HTMLTextAreaElement);
  expect(field.value).toBe('Where is it?');
  chat.ask('Where is it?');
  await waitFor(() => expect(chat!.door.asked()).toHaveLength(1));
  chat.close();
  chat = await opened(facing({ consent }));
  expect(chat.see.queryByText(consent)).toBeNull();
});

test('a chat that cannot be met is asked all the same, so that the question is not lost', async () => {
  chat = mounted({ ...replies, 'GET ': () => json({}, 500) });
  chat.handle.ask('q');
  await waitFor(() => expect(chat!.door.asked()).toHaveLength(1));
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
  expect([launcher.dataset['sign'], launcher.className, chat.host.dataset['side']]).toEqual(['?', 'l start', 'left']);
  chat.handle.close();
  await waitFor(() => expect(launcher.title).toBe('Help'));
});
