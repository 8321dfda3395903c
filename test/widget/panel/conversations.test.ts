// @vitest-environment happy-dom
import { waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createChatStorage } from '../../../widget/browser/storage.ts';
import { answerEvents, citation, jsonResponse, messageRecord, server, streamResponse } from '../fake-server.ts';
import type { Handler } from '../fake-server.ts';
import { mountAndOpen, pressKey, type MountedChat } from '../mounted.ts';

let chat: MountedChat;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  chat.close();
  vi.restoreAllMocks();
});

const record = (query: string, uuid: string): ReturnType<typeof messageRecord> => ({
  ...messageRecord(query, `Answer to ${query} [1]`, { 1: citation() }),
  uuid,
});
const [first, second] = [record('first?', 'm1'), record('second?', 'm2')];

/** The server has a session for each first question: s1 with `first`, then s2 with `second`. */
function sessions(): Record<string, Handler> {
  const records = [first, second];
  const deleted = (): Response => jsonResponse({ success: true });
  let count = 0;
  return {
    'POST /ask': () => {
      const [, ...events] = answerEvents(records[count++]!);
      return streamResponse([{ event: 'session', data: { uuid: `s${count}` } }, ...events]);
    },
    'GET /session/s1/messages': () => jsonResponse([first]),
    'GET /session/s2/messages': () => jsonResponse([second]),
    'POST /session/s1/delete': deleted,
    'POST /session/s2/delete': deleted,
  };
}

const button = (name: string): HTMLElement => chat.screen.getByRole('button', { name });
const list = (): HTMLElement => chat.screen.getByRole('dialog', { name: 'Conversations' });
const rows = (): (string | null)[] =>
  within(list())
    .queryAllByRole('listitem')
    .map((row) => row.getAttribute('aria-label'));
const inRow = (title: string, name: string | RegExp): HTMLElement =>
  within(within(list()).getByRole('listitem', { name: title })).getByRole('button', { name });
const stored = (): ReturnType<ReturnType<typeof createChatStorage>['read']> => createChatStorage(server, 'c1').read();

async function showList(): Promise<void> {
  button('Conversations').click();
  await waitFor(() => list());
}

/** Two conversations, of which the second is shown. */
async function twoConversations(answers: Record<string, Handler> = {}): Promise<void> {
  chat = await mountAndOpen({ ...sessions(), ...answers });
  for (const { query } of [first, second]) {
    chat.ask(query);
    await waitFor(() => button('Helpful'));
    if (query === 'first?') button('New conversation').click();
    await waitFor(() => chat.screen.getByText(query === 'first?' ? 'Good day!' : query));
  }
}

test('a question that has not arrived is in the field of the new conversation', async () => {
  chat = await mountAndOpen({ 'POST /ask': () => new Promise<Response>(() => undefined) });
  chat.ask('first?');
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(1));
  button('New conversation').click();
  await waitFor(() => expect(chat.root.querySelector('.question')).toBeNull());
  expect((chat.screen.getByRole('textbox') as HTMLTextAreaElement).value).toBe('first?');
});

test('a visitor who has asked nothing has no list, and nothing is stored for one', async () => {
  chat = await mountAndOpen({});
  expect(chat.screen.queryByRole('button', { name: 'Conversations' })).toBeNull();
  expect(localStorage.length).toBe(0);
});

test('lists conversations by their first questions, the newest first, and opens an earlier one, where it goes on', async () => {
  await twoConversations();
  await showList();
  expect(rows()).toEqual(['second?', 'first?']);
  expect(inRow('second?', /^second\?/).getAttribute('aria-current')).toBe('true');
  inRow('first?', /^first\?/).click();
  await waitFor(() => chat.screen.getByText('Answer to first?', { exact: false }));
  expect(chat.screen.queryByText('second?')).toBeNull();
  expect(chat.screen.queryByRole('dialog', { name: 'Conversations' })).toBeNull();
  expect(stored()).toMatchObject({ session: 's1', last: 'm1', past: [{ session: 's2', title: 'second?' }] });
  await showList();
  expect(rows()).toEqual(['first?', 'second?']);
  inRow('first?', /^first\?/).click();
  chat.ask('more?');
  await waitFor(() => expect(chat.server.askRequests().at(-1)!.body['session']).toBe('s1'));
});

test('the list is there after a reload, in the empty chat too', async () => {
  await twoConversations();
  button('New conversation').click();
  chat.close();
  chat = await mountAndOpen(sessions());
  await showList();
  expect(rows()).toEqual(['second?', 'first?']);
});

test('deletes one after a second press, on the server and here', async () => {
  await twoConversations();
  await showList();
  inRow('first?', 'Delete').click();
  inRow('first?', 'Cancel').click();
  // In the list, as after a deletion.
  expect(list().contains((chat.root as ShadowRoot).activeElement)).toBe(true);
  inRow('first?', 'Delete').click();
  expect(chat.server.requests.some(({ path }) => path.includes('delete'))).toBe(false);
  inRow('first?', 'Delete').click();
  await waitFor(() => expect(rows()).toEqual(['second?']));
  expect(chat.server.requests.at(-1)!.path).toBe('/session/s1/delete');
  expect(stored().past).toBeUndefined();
  expect(chat.screen.getAllByText('second?').length).toBeGreaterThan(0);
});

test('deletes all of them with what was filled in of a form, and shows an empty chat', async () => {
  await twoConversations();
  sessionStorage.setItem('docent-form:c1', '{}');
  sessionStorage.setItem('docent-form:c2', '{}');
  await showList();
  within(list()).getByRole('button', { name: 'Delete all' }).click();
  expect(within(list()).getByText('Delete for good?')).toBeTruthy();
  within(list()).getByRole('button', { name: 'Delete all' }).click();
  await waitFor(() => chat.screen.getByText('Good day!'));
  expect(
    chat.server.requests
      .map(({ path }) => path)
      .filter((path) => path.includes('delete'))
      .toSorted(),
  ).toEqual(['/session/s1/delete', '/session/s2/delete']);
  expect(JSON.stringify({ ...localStorage })).not.toMatch(/s1|s2|first|second/);
  expect(Object.keys(sessionStorage)).not.toContain('docent-form:c1');
  expect(Object.keys(sessionStorage)).toContain('docent-form:c2');
  expect(chat.screen.queryByRole('button', { name: 'Conversations' })).toBeNull();
});

test('keeps one that the server could not delete, and says so; one that it does not know is gone', async () => {
  await twoConversations({
    'POST /session/s1/delete': () => jsonResponse({ error: 'busy', code: 'unavailable' }, 503),
    'POST /session/s2/delete': () => jsonResponse({ error: 'no such session', code: 'not_found' }, 404),
  });
  await showList();
  within(list()).getByRole('button', { name: 'Delete all' }).click();
  within(list()).getByRole('button', { name: 'Delete all' }).click();
  await waitFor(() => within(list()).getByText('Deleting failed.'));
  expect(rows()).toEqual(['first?']);
});

test('downloads a conversation as text with its sources', async () => {
  await twoConversations();
  const files: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => `blob:${files.push(file as Blob)}`);
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  await showList();
  inRow('first?', 'Download as text').click();
  await waitFor(() => expect(click).toHaveBeenCalled());
  const text = await files[0]!.text();
  expect(text).toContain(
    'Your question: first?\n\nAnswer: Answer to first? [1]\n\n[1] Returns – https://shop.test/returns',
  );
});

test('Escape closes the list first, and the focus returns to its button', async () => {
  await twoConversations();
  await showList();
  expect(chat.root.activeElement).toBe(button('Back to the chat'));
  pressKey(button('Back to the chat'), 'Escape');
  await waitFor(() => expect(chat.screen.queryByRole('dialog', { name: 'Conversations' })).toBeNull());
  expect(chat.root.activeElement).toBe(button('Conversations'));
  expect(chat.screen.getByRole('textbox', { name: 'Your question' })).toBeTruthy();
});

test('keeps the 50 newest', async () => {
  const past = Array.from({ length: 50 }, (_, at) => ({ session: `p${at}`, title: `p${at}`, at }));
  localStorage.setItem(`docent:${server}:c1`, JSON.stringify({ past }));
  chat = await mountAndOpen(sessions());
  chat.ask('first?');
  await waitFor(() => button('Helpful'));
  button('New conversation').click();
  expect(stored().past!.map(({ session }) => session)).toEqual(['s1', ...past.slice(0, 49).map((one) => one.session)]);
});
