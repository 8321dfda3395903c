// @vitest-environment happy-dom
import { waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ChatEvent } from '../../../server/types.ts';
import {
  answerEvents,
  deltas,
  encodeEvents,
  jsonResponse,
  messageRecord,
  openConnection,
  streamResponse,
  type Handler,
} from '../fake-server.ts';
import { mountAndOpen, type MountedChat } from '../mounted.ts';

const question = 'Cancel my order A-17';
const first = messageRecord(question, 'Please confirm before this is done: Cancel the order');
const whole = messageRecord(question, `${first.response}\n\nThe order is cancelled.`);
const pending: ChatEvent = {
  event: 'confirm',
  data: {
    function: 'cancel_order',
    name: 'Cancel the order',
    arguments: { order: 'A-17', items: [1, 2], note: '<img src=x onerror=alert(1)> **now**' },
  },
};
const asked = (): Response => streamResponse(answerEvents(first).toSpliced(-1, 0, pending));
const goesOn = (): Response =>
  streamResponse([...deltas(whole.response, first.response.length), { event: 'done', data: whole }]);
const confirm = 'POST /session/s1/message/m1/confirm';
const stream = 'GET /session/s1/message/m1/stream';
const replies: Record<string, Handler> = {
  'POST /ask': asked,
  [confirm]: () => streamResponse([{ event: 'message', data: { uuid: 'm1' } }]),
  [stream]: goesOn,
};

let chat: MountedChat;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  chat.close();
  document.documentElement.removeAttribute('lang');
});

const textOf = (): string => chat.root.querySelector('.text')?.textContent ?? '';
const spoken = (): string => chat.root.querySelector('[aria-live=polite]')?.textContent ?? '';
const group = (): HTMLElement | null => chat.screen.queryByRole('group', { name: 'Cancel the order' });
const button = (name: string): HTMLButtonElement => chat.screen.getByRole('button', { name }) as HTMLButtonElement;
const path = (key: string): string => key.replace(/^\w+ /, '');
const posted = (): unknown[] =>
  chat.server.requests.filter((request) => request.path === path(confirm)).map(({ body }) => body);

async function askedToConfirm(more: Record<string, Handler> = {}): Promise<void> {
  chat = await mountAndOpen({ ...replies, ...more });
  chat.ask(question);
  await waitFor(() => button('Yes'));
}

test('while a tool function runs its name is shown and announced, until text comes', async () => {
  const open = openConnection();
  chat = await mountAndOpen({ 'POST /ask': () => open.response });
  chat.ask(question);
  const answer = messageRecord(question, 'It left on Monday.');
  const [session, message, ...rest] = answerEvents(answer);
  open.send(encodeEvents([session!, message!, { event: 'step', data: { name: 'Looking up <b>your</b> order' } }]));
  await waitFor(() => expect(spoken()).toBe('Looking up <b>your</b> order'));
  const note = chat.root.querySelector('.answer .note');
  expect(note?.textContent).toBe('Looking up <b>your</b> order');
  expect(chat.root.querySelector('.text')?.textContent).toBe('');
  open.send(encodeEvents(rest.slice(0, 1)));
  await waitFor(() => expect(textOf()).toBe('It le'));
  expect(chat.root.querySelector('.answer .note')).toBeNull();
  expect(spoken()).toBe('');
  open.send(encodeEvents([{ event: 'step', data: { name: 'Once more' } }]));
  await waitFor(() => expect(spoken()).toBe('Once more'));
  expect(textOf()).toBe('It le');
  open.send(encodeEvents(rest.slice(1)));
  await waitFor(() => expect(spoken()).toBe('Answer: It left on Monday.\n'));
  expect(chat.root.querySelector('.answer > .note')).toBeNull();
});

test('a step that comes after Stop is not shown', async () => {
  const open = openConnection();
  const stop = 'POST /session/s1/message/m1/stop';
  chat = await mountAndOpen({ 'POST /ask': () => open.response, [stop]: () => jsonResponse({ success: true }) });
  chat.ask(question);
  open.send(encodeEvents(answerEvents(first).slice(0, 2)));
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(1));
  button('Stop').click();
  await waitFor(() => expect(spoken()).toContain('The answer was stopped.'));
  open.send(encodeEvents([{ event: 'step', data: { name: 'Looking it up' } }, ...deltas('no')]));
  open.end();
  await waitFor(() => expect(chat.server.requests.at(-1)?.path).toBe(path(stop)));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(chat.root.textContent).not.toContain('Looking it up');
});

test('a call to confirm is shown with its name and arguments, as text', async () => {
  await askedToConfirm();
  const shown = within(group()!);
  expect(shown.getAllByRole('rowheader').map(({ textContent }) => textContent)).toEqual(['order', 'items', 'note']);
  expect(shown.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual([
    'A-17',
    '[1,2]',
    '<img src=x onerror=alert(1)> **now**',
  ]);
  expect(group()!.querySelector('img')).toBeNull();
  expect(shown.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Yes', 'No']);
  // The field keeps the focus: the buttons take none.
  expect(chat.root.activeElement?.tagName).toBe('TEXTAREA');
  expect(posted()).toEqual([]);
});

test('Yes is sent once, and the answer goes on in the same turn', async () => {
  const open = openConnection();
  await askedToConfirm({ [stream]: () => open.response });
  const yes = button('Yes');
  const no = button('No');
  yes.focus();
  yes.click();
  expect([yes.disabled, no.disabled]).toEqual([true, true]);
  yes.click();
  no.click();
  await waitFor(() => expect(group()).toBeNull());
  await waitFor(() => expect(chat.root.activeElement).toBe(chat.screen.getByRole('log')));
  await waitFor(() => expect(chat.server.requests.at(-1)?.path).toBe(path(stream)));
  expect(posted()).toEqual([{ accept: true }]);
  expect(chat.server.requests.at(-1)?.headers.get('Last-Event-ID')).toBe(String(first.response.length));
  open.send(encodeEvents([{ event: 'step', data: { name: 'Cancelling' } }]));
  await waitFor(() => expect(spoken()).toBe('Cancelling'));
  open.send(encodeEvents([...deltas(whole.response, first.response.length), { event: 'done', data: whole }]));
  open.end();
  await waitFor(() => expect(spoken()).toContain('The order is cancelled.'));
  expect(chat.screen.getAllByRole('group', { name: 'Answer' })).toHaveLength(1);
  expect(textOf()).toBe(whole.response.replace('\n\n', ''));
  expect(group()).toBeNull();
  expect(chat.server.askRequests()).toHaveLength(1);
});

test('No is sent as well', async () => {
  await askedToConfirm();
  button('No').click();
  await waitFor(() => expect(textOf()).toContain('The order is cancelled.'));
  expect(posted()).toEqual([{ accept: false }]);
});

test.each([
  [409, 'conflict', 'it is too late to confirm the call; please ask again'],
  [404, 'not_found', 'there is no such message'],
] as const)('where the server refuses it with %i its sentence is shown', async (status, code, error) => {
  await askedToConfirm({ [confirm]: () => jsonResponse({ error, code }, status) });
  button('Yes').click();
  const note = (): HTMLElement | null => chat.root.querySelector('.note.warning');
  await waitFor(() => expect(note()?.querySelector('p')?.textContent).toBe(error));
  expect(spoken()).toBe(error);
  expect(group()).toBeNull();
  expect(textOf()).toBe(first.response);
  expect(chat.events).toContainEqual(['error', { code, error, status }]);
  within(note()!).getByRole('button', { name: 'Try again' }).click();
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(2));
});

test('where the answer of the visitor did not arrive the call can be confirmed again', async () => {
  const sent = vi.fn<Handler>(() => streamResponse([{ event: 'message', data: { uuid: 'm1' } }]));
  sent.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  const streams = [streamResponse([pending, { event: 'done', data: first }]), goesOn()];
  await askedToConfirm({ [confirm]: sent, [stream]: () => streams.shift()! });
  const yes = button('Yes');
  yes.click();
  await waitFor(() => expect(chat.root.contains(yes)).toBe(false));
  (await waitFor(() => button('Yes'))).click();
  await waitFor(() => expect(textOf()).toContain('The order is cancelled.'));
  expect(posted()).toEqual([{ accept: true }, { accept: true }]);
});

test('closing and opening the panel keeps the call; the stored conversation does not tell of one', async () => {
  await askedToConfirm();
  chat.handle.close();
  await waitFor(() => expect(chat.screen.queryByRole('dialog')).toBeNull());
  chat.handle.open();
  await waitFor(() => button('Yes'));
  expect(chat.screen.getAllByRole('button', { name: 'Yes' })).toHaveLength(1);
  chat.close();
  chat = await mountAndOpen({ 'GET /session/s1/messages': () => jsonResponse([first]) });
  await waitFor(() => expect(textOf()).toBe(first.response));
  expect(group()).toBeNull();
});

test('the buttons are in the page’s language', async () => {
  document.documentElement.lang = 'de';
  chat = await mountAndOpen(replies, { words: { field: 'Your question' } });
  chat.ask(question);
  await waitFor(() => button('Ja'));
  button('Nein');
});
