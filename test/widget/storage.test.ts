// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createChatStorage } from '../../widget/browser/storage.ts';
import { answered, citation, deltas, json, line, record, server, stream, type Answer } from './fake-server.ts';
import { mounted, opened, type, type Opened } from './mounted.ts';

const answer = record('first?', 'An answer [1].', { 1: citation() });
const history = 'GET /session/s1/messages';
let chat: Opened;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  chat.close();
  vi.restoreAllMocks();
});

const field = (): HTMLTextAreaElement =>
  chat.see.getByRole('textbox', { name: 'Your question' }) as HTMLTextAreaElement;

const stored = (): string | null => localStorage.getItem(`docent:${server}:c1`);

/** The page again: another widget over the same storage. */
async function reload(answers: Record<string, Answer>): Promise<void> {
  chat.close();
  chat = await opened(answers);
}

async function asked(answers: Record<string, Answer> = {}): Promise<void> {
  chat = await opened({ 'POST /ask': () => stream(answered(answer)), ...answers });
  chat.ask('first?');
  await waitFor(() => chat.see.getByRole('button', { name: /^Source 1/ }));
}

test('nothing is stored or fetched before the visitor acts', async () => {
  chat = mounted({});
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(localStorage.length).toBe(0);
  expect(chat.door.requests).toEqual([]);
  chat.see.getByRole('button', { name: 'Open chat' }).click();
  await waitFor(() => chat.see.getByText('Good day!'));
  expect(localStorage.length).toBe(0);
});

test('a reload keeps the conversation, citations included, with one request for it', async () => {
  await asked();
  await reload({ [history]: () => json([answer]) });
  await waitFor(() => chat.see.getByRole('button', { name: /^Source 1/ }));
  expect(chat.see.getByRole('group', { name: 'Your question' }).textContent).toBe('first?');
  expect(chat.door.requests.map(({ path }) => path).toSorted()).toEqual(['', '/session/s1/messages']);
});

test('an answer that was being made at the reload goes on from where it stands', async () => {
  await asked();
  const unfinished = { ...answer, response: 'An an', finish_reason: '' };
  await reload({
    [history]: () => json([unfinished]),
    'GET /session/s1/message/m1/stream': ({ headers }) =>
      stream([...deltas(answer.response, Number(headers.get('Last-Event-ID'))), { event: 'done', data: answer }]),
  });
  await waitFor(() => chat.see.getByRole('button', { name: /^Source 1/ }));
  expect(chat.door.requests.at(-1)!.headers.get('Last-Event-ID')).toBe('5');
  expect(chat.root.querySelector('.text')?.textContent).toBe('An answer 1.');
});

test('a session the server no longer knows is forgotten, and the chat starts anew', async () => {
  await asked();
  await reload({ [history]: () => json({ error: 'no such session', code: 'not_found' }, 404) });
  await waitFor(() => expect(stored()).not.toMatch(/session|last/));
  chat.see.getByText('Good day!');
  chat.close();
  chat = await opened({});
  expect(chat.door.requests.some(({ path }) => path.includes('s1'))).toBe(false);
});

test('a session lost between two questions costs no question', async () => {
  const answers = [
    stream(answered(answer)),
    json({ error: 'no such session', code: 'not_found' }, 404),
    stream(answered(record('second?', 'Still here.'))),
  ];
  await asked({ 'POST /ask': () => answers.shift()! });
  chat.ask('second?');
  await waitFor(() => chat.see.getByText('Still here.'));
  expect(chat.door.asked().map(({ body }) => body['session'])).toEqual([undefined, 's1', undefined]);
});

test('a history that does not load says so and can be tried again', async () => {
  await asked();
  const answers = [json({ error: 'busy', code: 'unavailable' }, 503), json([answer])];
  await reload({ [history]: () => answers.shift()! });
  (await waitFor(() => chat.see.getByRole('button', { name: 'Try again' }))).click();
  await waitFor(() => chat.see.getByRole('button', { name: /^Source 1/ }));
});

test('a draft outlives closing and reloading', async () => {
  chat = await opened({});
  type(field(), 'half a thou');
  chat.handle.close();
  await reload({});
  expect(field().value).toBe('half a thou');
});

test('a question that never arrived and is old by now waits until the visitor sends it', async () => {
  const sent = { a: { query: 'lost?', id: 'a', at: Date.now() - 11 * 60_000 } };
  localStorage.setItem('docent:https://docent.test/:c1', JSON.stringify({ sent }));
  chat = await opened({ 'POST /ask': () => stream(answered(record('lost?', 'Found.'))) });
  const retry = await waitFor(() => chat.see.getByRole('button', { name: 'Try again' }));
  chat.see.getByText('lost?');
  expect(chat.door.asked()).toEqual([]);
  retry.click();
  await waitFor(() => chat.see.getByText('Found.'));
  expect(chat.door.asked().map(({ body }) => body)).toEqual([{ query: 'lost?', id: 'a' }]);
});

test('questions that never arrived are asked again after a reload, each as the very same message', async () => {
  chat = await opened({ 'POST /ask': () => new Promise<never>(() => undefined) });
  chat.ask('lost?');
  chat.ask('and this?');
  await waitFor(() => expect(chat.door.asked()).toHaveLength(1));
  const { id } = chat.door.asked()[0]!.body;
  const answers = [record('lost?', 'Found.'), { ...record('and this?', 'This too.'), uuid: 'm2' }];
  await reload({ 'POST /ask': () => stream(answered(answers.shift()!)) });
  await waitFor(() => chat.see.getByText('This too.'));
  chat.see.getByText('Found.');
  const asked = chat.door.asked().map(({ body }) => body);
  expect(asked[0]).toEqual({ query: 'lost?', id });
  expect(asked[1]).toMatchObject({ query: 'and this?', session: 's1' });
  await reload({ [history]: () => json([]) });
  expect(chat.door.asked()).toEqual([]);
});

test('a question asked before it is known who answers waits, and outlives a reload', async () => {
  chat = await opened({ 'GET ': () => new Promise<never>(() => undefined) });
  chat.ask('early?');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(chat.door.asked()).toEqual([]);
  await reload({ 'POST /ask': () => stream(answered(record('early?', 'In time.'))) });
  await waitFor(() => chat.see.getByText('In time.'));
  expect(chat.door.asked().map(({ body }) => body['query'])).toEqual(['early?']);
});

test('a question that arrived although nobody heard of it is the very same message, shown once', async () => {
  await asked({ 'POST /ask': () => stream(answered(answer)) });
  chat.close();
  chat = await opened({ [history]: () => json([answer]), 'POST /ask': () => new Promise<never>(() => undefined) });
  chat.ask('heard?');
  await waitFor(() => expect(chat.door.asked()).toHaveLength(1));
  const { id } = chat.door.asked()[0]!.body;
  const heard = { ...record('heard?', 'Yes.'), uuid: 'm2' };
  await reload({ [history]: () => json([answer, heard]), 'POST /ask': () => stream(answered(heard).slice(1)) });
  await waitFor(() => expect(chat.door.asked().map(({ body }) => body['id'])).toEqual([id]));
  await waitFor(() => expect(chat.see.getAllByText('heard?')).toHaveLength(1));
  expect(chat.see.getAllByText('Yes.')).toHaveLength(1);
});

test('a question that the visitor stopped before it arrived stays stopped after a reload', async () => {
  chat = await opened({ 'POST /ask': () => new Promise<never>(() => undefined) });
  chat.ask('never mind');
  (await waitFor(() => chat.see.getByRole('button', { name: 'Stop' }))).click();
  await reload({});
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(chat.door.asked()).toEqual([]);
});

test('an unfinished thought in one tab is not lost to another tab', async () => {
  chat = await opened({});
  type(field(), 'mine');
  const other = createChatStorage(server, 'c1');
  other.write({ draft: 'theirs' });
  sessionStorage.setItem(`docent:${server}:c1`, JSON.stringify({ draft: 'mine' }));
  await reload({});
  expect(field().value).toBe('mine');
});

test('what one tab writes of a conversation takes nothing from what another wrote', () => {
  const [one, other] = [createChatStorage(server, 'c1'), createChatStorage(server, 'c1')];
  one.write({ session: 's1' });
  other.write({ last: 'm1' });
  one.write({ draft: 'x' });
  expect(other.read()).toEqual({ session: 's1', last: 'm1', draft: 'x' });
});

test('a full storage costs the reload, not the chat', async () => {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  await asked();
  chat.ask('second?');
  await waitFor(() => expect(chat.door.asked()).toHaveLength(2));
  expect(chat.door.asked()[1]!.body['session']).toBe('s1');
});

test('New conversation forgets here and on the server', async () => {
  await asked({ 'POST /session/s1/delete': () => json({ success: true }) });
  chat.see.getByRole('button', { name: 'New conversation' }).click();
  await waitFor(() => chat.see.getByText('Good day!'));
  expect(chat.door.requests.at(-1)!.path).toBe('/session/s1/delete');
  expect(stored()).not.toMatch(/session|last|sent/);
});

test('New conversation in the middle of an answer: the next question does not wait for it', async () => {
  chat = await opened({
    'POST /ask': ({ body, signal }) =>
      body['query'] === 'first?' ? line(signal).response : stream(answered(record('second?', 'Anew.'))),
  });
  chat.ask('first?');
  await waitFor(() => expect(chat.door.asked()).toHaveLength(1));
  (await waitFor(() => chat.see.getByRole('button', { name: 'New conversation' }))).click();
  chat.ask('second?');
  await waitFor(() => chat.see.getByText('Anew.'));
  expect(chat.see.queryByText('first?')).toBeNull();
});

test('storage that throws costs the reload, not the chat', async () => {
  vi.spyOn(globalThis, 'localStorage', 'get').mockImplementation(() => {
    throw new DOMException('denied', 'SecurityError');
  });
  await asked();
  chat.ask('second?');
  await waitFor(() => expect(chat.door.asked()).toHaveLength(2));
  expect(chat.door.asked()[1]!.body['session']).toBe('s1');
});
