// @vitest-environment happy-dom
import { waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ChatEvent, Confirmation, VisitorMessage } from '../../../server/types.ts';
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
const call: Confirmation = {
  function: 'cancel_order',
  name: 'Cancel the order',
  arguments: { order: 'A-17', items: [1, 2], note: '<img src=x onerror=alert(1)> **now**' },
};
const text = 'Please confirm before this is done: Cancel the order';
/** The answer that has ended with the call, which may be confirmed for so many seconds more. */
const waiting = (expires_in: number): VisitorMessage => ({
  ...messageRecord(question, text),
  confirm: { ...call, expires_in },
});
const first = waiting(600);
const whole = messageRecord(question, `${text}\n\nThe order is cancelled.`);
const pending: ChatEvent = { event: 'confirm', data: call };
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
  await waitFor(() => button(call.name));
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
  await waitFor(() => expect(spoken()).toBe(''));
  open.send(encodeEvents([{ event: 'step', data: { name: 'Once more' } }]));
  await waitFor(() => expect(spoken()).toBe('Once more'));
  expect(textOf()).toBe('It le');
  open.send(encodeEvents(rest.slice(1)));
  await waitFor(() => expect(spoken()).toBe('Answer: It left on Monday.'));
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
  expect(shown.getAllByRole('rowheader').map(({ textContent }) => textContent)).toEqual(['Order', 'Items', 'Note']);
  expect(shown.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual([
    'A-17',
    '1\n2',
    '<img src=x onerror=alert(1)> **now**',
  ]);
  expect(group()!.querySelector('img')).toBeNull();
  expect(textOf()).toBe(text);
  expect(group()!.firstElementChild!.textContent).toBe('Cancel the order?Nothing is done until you confirm.');
  expect(shown.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([call.name, 'Don’t do it']);
  // The field keeps the focus: the buttons take none.
  expect(chat.root.activeElement?.tagName).toBe('TEXTAREA');
  expect(posted()).toEqual([]);
});

test('Yes is sent once, and the answer goes on in the same turn', async () => {
  const open = openConnection();
  await askedToConfirm({ [stream]: () => open.response });
  const yes = button(call.name);
  const no = button('Don’t do it');
  yes.focus();
  yes.click();
  expect([yes.isConnected, no.isConnected]).toEqual([false, false]);
  yes.click();
  no.click();
  await waitFor(() => expect(chat.root.activeElement?.tagName).toBe('TEXTAREA'));
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
  expect(chat.server.askRequests()).toHaveLength(1);
});

test('what was confirmed stays in view without its buttons, and what was declined does not', async () => {
  const open = openConnection();
  await askedToConfirm({ [stream]: () => open.response });
  button(call.name).click();
  await waitFor(() => expect(group()?.lastChild?.textContent).toBe('Cancel the order: Yes'));
  const isShown = (): void => {
    expect(within(group()!).getAllByRole('rowheader')).toHaveLength(3);
    expect([within(group()!).queryByRole('button'), posted()]).toEqual([null, [{ accept: true }]]);
  };
  isShown();
  open.send(encodeEvents([...deltas(whole.response, first.response.length), { event: 'done', data: whole }]));
  open.end();
  await waitFor(() => expect(spoken()).toContain('The order is cancelled.'));
  isShown();
  chat.handle.close();
  await waitFor(() => expect(chat.screen.queryByRole('dialog')).toBeNull());
  chat.handle.open();
  await waitFor(isShown);
});

test('a call that was answered in another tab is asked for no longer once this one is seen again', async () => {
  let listed = first;
  const list = '/session/s1/messages';
  await askedToConfirm({ [`GET ${list}`]: () => jsonResponse([listed]) });
  const lists = (): number => chat.server.requests.filter((request) => request.path === list).length;
  const seenAgain = (): boolean => document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  seenAgain();
  await waitFor(() => expect(lists()).toBe(1));
  await new Promise((resolve) => setTimeout(resolve, 50));
  button(call.name);
  listed = whole;
  const hidden = vi.spyOn(Document.prototype, 'hidden', 'get').mockReturnValue(true);
  seenAgain();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(lists()).toBe(1);
  hidden.mockRestore();
  seenAgain();
  await waitFor(() => expect(textOf()).toContain('The order is cancelled.'));
  expect([group(), posted(), lists(), note()]).toEqual([null, [], 2, null]);
  seenAgain();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(lists()).toBe(2);
});

test('No is sent as well', async () => {
  await askedToConfirm();
  button('Don’t do it').click();
  await waitFor(() => expect(textOf()).toContain('The order is cancelled.'));
  expect(posted()).toEqual([{ accept: false }]);
  await waitFor(() => expect(group()?.textContent).toContain(': No'));
  expect(group()!.querySelector('button')).toBeNull();
});

const note = (): HTMLElement | null => chat.root.querySelector('.note.warning');
const lateWords = 'This was not confirmed in time, and was not done.';

test('where it was answered elsewhere the turn shows what became of it', async () => {
  const error = 'the call was confirmed or declined before';
  await askedToConfirm({ [confirm]: () => jsonResponse({ error, code: 'conflict' }, 409) });
  button('Don’t do it').click();
  await waitFor(() => expect(spoken()).toContain('The order is cancelled.'));
  expect(textOf()).toBe(whole.response.replace('\n\n', ''));
  expect([group(), note()]).toEqual([null, null]);
  expect(chat.root.textContent).not.toContain(error);
  expect(chat.events).toContainEqual(['error', { code: 'conflict', error, status: 409 }]);
});

test('where it is too late the turn says so, and the question can be asked again', async () => {
  const error = 'it is too late to confirm the call; please ask again';
  const late = waiting(0);
  await askedToConfirm({
    [confirm]: () => jsonResponse({ error, code: 'conflict' }, 409),
    [stream]: () => streamResponse([{ event: 'done', data: late }]),
  });
  button(call.name).click();
  await waitFor(() => expect(note()?.querySelector('p')?.textContent).toBe(lateWords));
  expect(spoken()).toBe(lateWords);
  expect(chat.root.textContent).not.toContain(error);
  expect([group(), textOf()]).toEqual([null, text]);
  within(note()!).getByRole('button', { name: 'Try again' }).click();
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(2));
});

test('a call that expires while it is shown says so by itself', async () => {
  chat = await mountAndOpen({ 'POST /ask': () => streamResponse(answerEvents(waiting(1))) });
  chat.ask(question);
  await waitFor(() => button(call.name));
  await waitFor(() => expect(spoken()).toBe(lateWords), { timeout: 10_000 });
  expect([group(), note()?.querySelector('p')?.textContent]).toEqual([null, lateWords]);
  expect(posted()).toEqual([]);
});

test('where the conversation is gone the turn says so in the visitor’s words', async () => {
  const gone = (): Response => jsonResponse({ error: 'no such session', code: 'not_found' }, 404);
  await askedToConfirm({ [confirm]: gone, [stream]: gone });
  button(call.name).click();
  await waitFor(() => expect(note()?.querySelector('p')?.textContent).toBe('This chat is not available.'));
  expect(group()).toBeNull();
});

test('where the answer of the visitor did not arrive the call can be confirmed again', async () => {
  const sent = vi.fn<Handler>(() => streamResponse([{ event: 'message', data: { uuid: 'm1' } }]));
  sent.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  const streams = [streamResponse([pending, { event: 'done', data: first }]), goesOn()];
  await askedToConfirm({ [confirm]: sent, [stream]: () => streams.shift()! });
  const yes = button(call.name);
  yes.click();
  await waitFor(() => expect(chat.root.contains(yes)).toBe(false));
  (await waitFor(() => button(call.name))).click();
  await waitFor(() => expect(textOf()).toContain('The order is cancelled.'));
  expect(posted()).toEqual([{ accept: true }, { accept: true }]);
});

test('Stop before the server has the visitor’s answer stops the call, and the turn shows how it ended', async () => {
  const stop = 'POST /session/s1/message/m1/stop';
  const stopped = messageRecord(question, `${text}\n\nThis was not done: Cancel the order`, {}, 'stopped');
  let arrive = (): void => undefined;
  const arrives = new Promise<void>((resolve) => (arrive = resolve));
  await askedToConfirm({
    [confirm]: () => arrives.then(() => streamResponse([{ event: 'message', data: { uuid: 'm1' } }])),
    [stop]: () => jsonResponse({ success: true }),
    [stream]: () => streamResponse([...deltas(stopped.response, text.length), { event: 'done', data: stopped }]),
  });
  button(call.name).click();
  (await waitFor(() => button('Stop'))).click();
  await waitFor(() => expect(spoken()).toContain('The answer was stopped.'));
  const requests = (): string[] => chat.server.requests.slice(2).map((request) => request.path);
  await waitFor(() => expect(requests()).toEqual([confirm, stop].map(path)));
  arrive();
  await waitFor(() => expect(textOf()).toContain('This was not done: Cancel the order'));
  expect(requests()).toEqual([confirm, stop, stop, stream].map(path));
  expect(spoken()).toContain('The answer was stopped.');
});

test('closing and opening the panel keeps the call, and so does a reload', async () => {
  await askedToConfirm();
  chat.handle.close();
  await waitFor(() => expect(chat.screen.queryByRole('dialog')).toBeNull());
  chat.handle.open();
  await waitFor(() => button(call.name));
  expect(chat.screen.getAllByRole('button', { name: call.name })).toHaveLength(1);
  chat.close();
  chat = await mountAndOpen({ ...replies, 'GET /session/s1/messages': () => jsonResponse([first]) });
  await waitFor(() => button(call.name));
  expect(within(group()!).getAllByRole('rowheader')).toHaveLength(3);
  expect(textOf()).toBe(text);
  // The field keeps the focus.
  expect(chat.root.activeElement?.tagName).toBe('TEXTAREA');
  button(call.name).click();
  await waitFor(() => expect(textOf()).toContain('The order is cancelled.'));
  expect([posted(), chat.server.askRequests()]).toEqual([[{ accept: true }], []]);
});

test('the time to confirm goes on while the panel is closed', async () => {
  await askedToConfirm();
  chat.handle.close();
  await waitFor(() => expect(chat.screen.queryByRole('dialog')).toBeNull());
  const later = Date.now() + 601_000;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => later);
  chat.handle.open();
  await waitFor(() => expect(note()?.querySelector('p')?.textContent).toBe(lateWords));
  clock.mockRestore();
  expect([group(), posted()]).toEqual([null, []]);
});

test('a restored call that is too late to confirm says so', async () => {
  localStorage.setItem('docent:https://docent.test/:c1', JSON.stringify({ session: 's1', last: 'm1' }));
  chat = await mountAndOpen({ ...replies, 'GET /session/s1/messages': () => jsonResponse([waiting(0)]) });
  await waitFor(() => expect(note()?.querySelector('p')?.textContent).toBe(lateWords));
  expect([group(), textOf()]).toEqual([null, text]);
});

test('the buttons are in the page’s language', async () => {
  document.documentElement.lang = 'de';
  chat = await mountAndOpen(replies, { words: { field: 'Your question' } });
  chat.ask(question);
  await waitFor(() => button('Nicht ausführen'));
});
