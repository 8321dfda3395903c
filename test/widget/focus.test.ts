// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jsonResponse, profile } from './fake-server.ts';
import { mountChat, type MountedChat } from './mounted.ts';

let chat: MountedChat;
let field: HTMLInputElement;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  field = document.createElement('input');
  document.body.append(field);
  chat = mountChat({});
});

afterEach(() => {
  chat.close();
  field.remove();
});

async function openFrom(element: HTMLElement): Promise<void> {
  element.focus();
  chat.handle.open();
  await waitFor(() => expect(chat.root.activeElement).toBe(chat.screen.getByRole('textbox')));
}

test('a chat that is closed while it has the focus gives that back', async () => {
  await openFrom(field);
  chat.handle.close();
  expect(document.activeElement).toBe(field);
});

test('a chat that the page closes while a field of its own has the focus leaves it there', async () => {
  const button = document.createElement('button');
  document.body.append(button);
  await openFrom(button);
  field.focus();
  chat.handle.close();
  expect(document.activeElement).toBe(field);
  button.remove();
});

test('a page that moves the focus as the profile arrives keeps it', async () => {
  chat.close();
  let sendProfile!: (response: Response) => void;
  chat = mountChat({ 'GET ': () => new Promise((resolve) => (sendProfile = resolve)) });
  await openFrom(field);
  sendProfile(jsonResponse({ ...profile, greeting: 'Welcome', consent: '' }));
  // In microtasks alone: the panel moves the focus in a task after them.
  for (let turn = 0; turn < 1000 && !chat.screen.queryByText('Welcome'); turn++) await undefined;
  chat.screen.getByText('Welcome');
  field.focus();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(document.activeElement).toBe(field);
});
