// @vitest-environment happy-dom
import { waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answerEvents, jsonResponse, messageRecord, server, streamResponse, type Handler } from '../fake-server.ts';
import { mountAndOpen, type MountedChat } from '../mounted.ts';

/** What the server refuses, and what never replies. */

const answered: Handler = () => streamResponse(answerEvents(messageRecord('first?', 'An answer.')));
const gone: Handler = () => jsonResponse({ error: 'no such chatbot', code: 'not_found' }, 404);
const HISTORY = 'GET /session/s1/messages';
let chat: MountedChat;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  chat.close();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const stored = (): string => localStorage.getItem(`docent:${server}:c1`) ?? '';
const questions = (): unknown[] => chat.server.askRequests().map(({ body }) => [body['query'], body['session']]);

async function reload(answers: Record<string, Handler>): Promise<void> {
  chat.close();
  chat = await mountAndOpen(answers);
}

/** A conversation of one answer, and then these replies. */
async function asked(answers: Record<string, Handler>): Promise<void> {
  chat = await mountAndOpen({ 'POST /ask': answered });
  chat.ask('first?');
  await waitFor(() => chat.screen.getByText('An answer.'));
  const records = [{ ...messageRecord('first?', 'An answer.') }];
  await reload({ [HISTORY]: () => jsonResponse(records), ...answers });
}

test.each([400, 413, 415, 422, 431])('a question refused with %s is not sent again after a reload', async (status) => {
  chat = await mountAndOpen({ 'POST /ask': () => jsonResponse({ error: 'query is too long', code: 'x' }, status) });
  chat.ask('q'.repeat(9000));
  await waitFor(() => chat.screen.getByRole('button', { name: 'Try again' }));
  expect(stored()).not.toContain('qqq');
  await reload({});
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(questions()).toEqual([]);
});

test('the field takes as many characters as the server', async () => {
  chat = await mountAndOpen({});
  expect(chat.screen.getByRole('textbox').getAttribute('maxlength')).toBe('8000');
});

test('a conversation outlives a time in which the chatbot is private', async () => {
  let isPrivate = true;
  const records = [messageRecord('first?', 'An answer.')];
  await asked({ [HISTORY]: (request) => (isPrivate ? gone(request) : jsonResponse(records)), 'GET ': gone });
  const retry = await waitFor(() => chat.screen.getByRole('button', { name: 'Try again' }));
  expect(stored()).toContain('"session":"s1"');
  isPrivate = false;
  retry.click();
  await waitFor(() => chat.screen.getByText('An answer.'));
});

test('a question to a chatbot that is private for a while is asked in its conversation', async () => {
  let isPrivate = true;
  await asked({ 'POST /ask': (request) => (isPrivate ? gone(request) : answered(request)) });
  await waitFor(() => chat.screen.getByText('An answer.'));
  chat.ask('second?');
  const retry = await waitFor(() => within(chat.root.querySelector<HTMLElement>('.warning')!).getByRole('button'));
  isPrivate = false;
  retry.click();
  await waitFor(() => expect(questions()).toHaveLength(2));
  expect(questions()).toEqual([
    ['second?', 's1'],
    ['second?', 's1'],
  ]);
});

test('a conversation that a private chatbot does not delete stays listed', async () => {
  await asked({ 'POST /session/s1/delete': gone });
  chat.screen.getByRole('button', { name: 'Conversations' }).click();
  (await waitFor(() => chat.screen.getAllByRole('button', { name: 'Delete' })[0]!)).click();
  (await waitFor(() => chat.screen.getAllByRole('button', { name: 'Delete' })[0]!)).click();
  await waitFor(() => chat.screen.getByText('Deleting failed.'));
  expect(stored()).toContain('"session":"s1"');
});

test('a clock that is set back holds up no other try', async () => {
  const replies = [
    () => {
      throw new TypeError('refused');
    },
    answered,
  ];
  chat = await mountAndOpen({ 'POST /ask': (request) => replies.shift()!(request) });
  vi.useFakeTimers();
  chat.ask('first?');
  await vi.advanceTimersByTimeAsync(50);
  vi.setSystemTime(Date.now() - 3_600_000);
  await vi.advanceTimersByTimeAsync(5000);
  chat.screen.getByText('An answer.');
});

test('a clock that is set back does not lengthen a rate limit', async () => {
  const limit = { error: 'Too many.', code: 'rate_limited', retry_after: 20 };
  chat = await mountAndOpen({ 'POST /ask': () => jsonResponse(limit, 429) });
  vi.useFakeTimers();
  chat.ask('first?');
  // What counts down is loaded first.
  await vi.waitFor(() => chat.screen.getByRole('button', { name: /^Try again/ }));
  vi.setSystemTime(Date.now() - 3_600_000);
  await vi.advanceTimersByTimeAsync(22_000);
  expect((chat.screen.getByRole('button', { name: 'Try again' }) as HTMLButtonElement).disabled).toBe(false);
});

test.each([
  ['profile', 'GET ', { name: 'Shop' }],
  ['conversation', HISTORY, [messageRecord('first?', 'An answer.')]],
])('a %s that does not come is given up, and requested again', async (_, path, body) => {
  const patience = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => patience.signal);
  let requests = 0;
  const slow: Handler = ({ signal }) =>
    requests++
      ? jsonResponse(body)
      : new Promise<never>((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
  localStorage.setItem(`docent:${server}:c1`, JSON.stringify({ session: 's1', last: 'm1' }));
  chat = await mountAndOpen({ [HISTORY]: () => jsonResponse([]), [path]: slow, 'POST /ask': answered });
  await waitFor(() => expect(requests).toBe(1));
  expect(timeout).toHaveBeenCalledWith(30_000);
  patience.abort();
  timeout.mockRestore();
  if (path === 'GET ') chat.ask('first?');
  else (await waitFor(() => chat.screen.getByRole('button', { name: 'Try again' }))).click();
  await waitFor(() => chat.screen.getByText('An answer.'), { timeout: 3000 });
  expect(requests).toBe(2);
});
