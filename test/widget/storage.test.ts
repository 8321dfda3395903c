// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createChatStorage } from '../../widget/browser/storage.ts';
import {
  answerEvents,
  citation,
  deltas,
  jsonResponse,
  openConnection,
  messageRecord,
  server,
  streamResponse,
  type Handler,
} from './fake-server.ts';
import { mountChat, mountAndOpen, typeText, type MountedChat } from './mounted.ts';

const answer = messageRecord('first?', 'An answer [1].', { 1: citation() });
/** What the widget says of the page with each question. */
const HERE = { page: `${location.origin}/` };
const history = 'GET /session/s1/messages';
let chat: MountedChat;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  chat.close();
  vi.restoreAllMocks();
});

const field = (): HTMLTextAreaElement =>
  chat.screen.getByRole('textbox', { name: 'Your question' }) as HTMLTextAreaElement;

const stored = (): string | null => localStorage.getItem(`docent:${server}:c1`);

/** The page again: another widget over the same storage. */
async function reload(answers: Record<string, Handler>): Promise<void> {
  chat.close();
  chat = await mountAndOpen(answers);
}

async function asked(answers: Record<string, Handler> = {}): Promise<void> {
  chat = await mountAndOpen({ 'POST /ask': () => streamResponse(answerEvents(answer)), ...answers });
  chat.ask('first?');
  await waitFor(() => chat.screen.getByRole('button', { name: /^Source 1/ }));
}

test('nothing is stored or fetched before the visitor acts', async () => {
  chat = mountChat({});
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(localStorage.length).toBe(0);
  expect(chat.server.requests).toEqual([]);
  chat.screen.getByRole('button', { name: 'Open chat' }).click();
  await waitFor(() => chat.screen.getByText('Good day!'));
  expect(localStorage.length).toBe(0);
});

test('a reload restores the conversation and its citations with one request', async () => {
  await asked();
  await reload({ [history]: () => jsonResponse([answer]) });
  await waitFor(() => chat.screen.getByRole('button', { name: /^Source 1/ }));
  expect(chat.screen.getByRole('group', { name: 'Your question' }).textContent).toBe('first?');
  expect(chat.server.requests.map(({ path }) => path).toSorted()).toEqual(['', '/session/s1/messages']);
});

test('an answer in progress at a reload resumes at its offset', async () => {
  await asked();
  const unfinished = { ...answer, response: 'An an', finish_reason: '' };
  await reload({
    [history]: () => jsonResponse([unfinished]),
    'GET /session/s1/message/m1/stream': ({ headers }) =>
      streamResponse([
        ...deltas(answer.response, Number(headers.get('Last-Event-ID'))),
        { event: 'done', data: answer },
      ]),
  });
  await waitFor(() => chat.screen.getByRole('button', { name: /^Source 1/ }));
  expect(chat.server.requests.at(-1)!.headers.get('Last-Event-ID')).toBe('5');
  expect(chat.root.querySelector('.text')?.textContent).toBe('An answer\u00a01.');
});

test('a session that the server does not know is forgotten, and the chat starts over', async () => {
  await asked();
  await reload({ [history]: () => jsonResponse({ error: 'no such session', code: 'not_found' }, 404) });
  await waitFor(() => expect(stored()).not.toMatch(/session|last/));
  chat.screen.getByText('Good day!');
  chat.close();
  chat = await mountAndOpen({});
  expect(chat.server.requests.some(({ path }) => path.includes('s1'))).toBe(false);
});

test('a question to a lost session is sent again in a new one', async () => {
  const answers = [
    streamResponse(answerEvents(answer)),
    jsonResponse({ error: 'no such session', code: 'not_found' }, 404),
    streamResponse(answerEvents(messageRecord('second?', 'Still here.'))),
  ];
  await asked({ 'POST /ask': () => answers.shift()! });
  chat.ask('second?');
  await waitFor(() => chat.screen.getByText('Still here.'));
  expect(chat.server.askRequests().map(({ body }) => body['session'])).toEqual([undefined, 's1', undefined]);
});

test('a history that does not load shows an error with a retry', async () => {
  await asked();
  const answers = [jsonResponse({ error: 'busy', code: 'unavailable' }, 503), jsonResponse([answer])];
  await reload({ [history]: () => answers.shift()! });
  (await waitFor(() => chat.screen.getByRole('button', { name: 'Try again' }))).click();
  await waitFor(() => chat.screen.getByRole('button', { name: /^Source 1/ }));
});

test('a draft is kept when the chat closes and the page reloads', async () => {
  chat = await mountAndOpen({});
  typeText(field(), 'half a thou');
  chat.handle.close();
  await reload({});
  expect(field().value).toBe('half a thou');
});

test('an old unsent question waits after a reload until the visitor sends it', async () => {
  const sent = { a: { query: 'lost?', id: 'a', at: Date.now() - 11 * 60_000 } };
  localStorage.setItem('docent:https://docent.test/:c1', JSON.stringify({ sent }));
  chat = await mountAndOpen({ 'POST /ask': () => streamResponse(answerEvents(messageRecord('lost?', 'Found.'))) });
  const retry = await waitFor(() => chat.screen.getByRole('button', { name: 'Try again' }));
  chat.screen.getByText('lost?');
  expect(chat.server.askRequests()).toEqual([]);
  retry.click();
  await waitFor(() => chat.screen.getByText('Found.'));
  expect(chat.server.askRequests().map(({ body }) => body)).toEqual([{ query: 'lost?', id: 'a', variables: HERE }]);
});

test('unsent questions are sent again after a reload with the same message ids', async () => {
  chat = await mountAndOpen({ 'POST /ask': () => new Promise<never>(() => undefined) });
  chat.ask('lost?');
  chat.ask('and this?');
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(1));
  const { id } = chat.server.askRequests()[0]!.body;
  const answers = [messageRecord('lost?', 'Found.'), { ...messageRecord('and this?', 'This too.'), uuid: 'm2' }];
  await reload({ 'POST /ask': () => streamResponse(answerEvents(answers.shift()!)) });
  await waitFor(() => chat.screen.getByText('This too.'));
  chat.screen.getByText('Found.');
  const asked = chat.server.askRequests().map(({ body }) => body);
  expect(asked[0]).toEqual({ query: 'lost?', id, variables: HERE });
  expect(asked[1]).toMatchObject({ query: 'and this?', session: 's1' });
  await reload({ [history]: () => jsonResponse([]) });
  expect(chat.server.askRequests()).toEqual([]);
});

test('a question asked before the profile is loaded waits, and a known visitor’s is kept on reload', async () => {
  localStorage.setItem(`docent:${server}:c1`, '{"agreed":true}');
  chat = await mountAndOpen({ 'GET ': () => new Promise<never>(() => undefined) });
  chat.ask('early?');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(chat.server.askRequests()).toEqual([]);
  await reload({ 'POST /ask': () => streamResponse(answerEvents(messageRecord('early?', 'In time.'))) });
  await waitFor(() => chat.screen.getByText('In time.'));
  expect(chat.server.askRequests().map(({ body }) => body['query'])).toEqual(['early?']);
});

test('a question that arrived without an acknowledgement is shown once', async () => {
  await asked({ 'POST /ask': () => streamResponse(answerEvents(answer)) });
  chat.close();
  chat = await mountAndOpen({
    [history]: () => jsonResponse([answer]),
    'POST /ask': () => new Promise<never>(() => undefined),
  });
  chat.ask('heard?');
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(1));
  const { id } = chat.server.askRequests()[0]!.body;
  const heard = { ...messageRecord('heard?', 'Yes.'), uuid: 'm2' };
  await reload({
    [history]: () => jsonResponse([answer, heard]),
    'POST /ask': () => streamResponse(answerEvents(heard).slice(1)),
  });
  await waitFor(() => expect(chat.server.askRequests().map(({ body }) => body['id'])).toEqual([id]));
  await waitFor(() => expect(chat.screen.getAllByText('heard?')).toHaveLength(1));
  expect(chat.screen.getAllByText('Yes.')).toHaveLength(1);
});

test('a question stopped before it was sent stays stopped after a reload', async () => {
  chat = await mountAndOpen({ 'POST /ask': () => new Promise<never>(() => undefined) });
  chat.ask('never mind');
  (await waitFor(() => chat.screen.getByRole('button', { name: 'Stop' }))).click();
  await reload({});
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(chat.server.askRequests()).toEqual([]);
});

test('the draft of one tab is not overwritten by another', async () => {
  chat = await mountAndOpen({});
  typeText(field(), 'mine');
  const other = createChatStorage(server, 'c1');
  other.write({ draft: 'theirs' });
  sessionStorage.setItem(`docent:${server}:c1`, JSON.stringify({ draft: 'mine' }));
  await reload({});
  expect(field().value).toBe('mine');
});

test('writes of two tabs to the stored conversation do not overwrite each other', () => {
  const [one, other] = [createChatStorage(server, 'c1'), createChatStorage(server, 'c1')];
  one.write({ session: 's1' });
  other.write({ last: 'm1' });
  one.write({ draft: 'x' });
  expect(other.read()).toEqual({ session: 's1', last: 'm1', draft: 'x' });
});

test('with full storage the chat works but is lost on reload', async () => {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  await asked();
  chat.ask('second?');
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(2));
  expect(chat.server.askRequests()[1]!.body['session']).toBe('s1');
});

test('New conversation begins without the one before, which stays on the server', async () => {
  await asked({ 'POST /session/s1/delete': () => jsonResponse({ success: true }) });
  chat.screen.getByRole('button', { name: 'New conversation' }).click();
  await waitFor(() => chat.screen.getByText('Good day!'));
  expect(chat.server.requests.at(-1)!.path).toBe('/ask');
  expect(createChatStorage(server, 'c1').read()).not.toHaveProperty('session');
});

test('New conversation during an answer: the next question does not wait for it', async () => {
  chat = await mountAndOpen({
    'POST /ask': ({ body, signal }) =>
      body['query'] === 'first?'
        ? openConnection(signal).response
        : streamResponse(answerEvents(messageRecord('second?', 'Anew.'))),
  });
  chat.ask('first?');
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(1));
  (await waitFor(() => chat.screen.getByRole('button', { name: 'New conversation' }))).click();
  chat.ask('second?');
  await waitFor(() => chat.screen.getByText('Anew.'));
  expect(chat.screen.queryByText('first?')).toBeNull();
});

test('with storage that throws the chat works but is lost on reload', async () => {
  vi.spyOn(globalThis, 'localStorage', 'get').mockImplementation(() => {
    throw new DOMException('denied', 'SecurityError');
  });
  await asked();
  chat.ask('second?');
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(2));
  expect(chat.server.askRequests()[1]!.body['session']).toBe('s1');
});

test('a question asked anew that a reload has interrupted takes the place of the earlier one', async () => {
  await asked();
  const known = JSON.parse(stored()!) as object;
  const id = 'an id of a question';
  const sent = { [id]: { query: 'first?', id, session: 's1', replaces: 'm1', at: Date.now() } };
  localStorage.setItem(`docent:${server}:c1`, JSON.stringify({ ...known, sent }));
  await reload({
    [history]: () => jsonResponse([answer]),
    'POST /ask': () => streamResponse(answerEvents({ ...answer, uuid: 'm2', response: 'Another answer.' })),
  });
  await waitFor(() => chat.screen.getByText('Another answer.'));
  expect(chat.server.askRequests().at(-1)!.body).toMatchObject({ id, replaces: 'm1' });
  expect(chat.screen.getAllByRole('group', { name: 'Your question' })).toHaveLength(1);
});
