// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createChatStorage } from '../../widget/browser/storage.ts';
import {
  answerEvents,
  deltas,
  jsonResponse,
  openConnection,
  messageRecord,
  server,
  streamResponse,
  encodeEvents,
  type Handler,
} from './fake-server.ts';
import { mountAndOpen, type MountedChat } from './mounted.ts';

const history = 'GET /session/s1/messages';
const first = messageRecord('first?', 'The first answer.');
const second = { ...messageRecord('second?', 'The second answer, asked elsewhere.'), uuid: 'm2' };

let chat: MountedChat;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => chat.close());

/** What another tab of the same site does to what is remembered, and what this one hears of it. */
function elsewhere(change: Parameters<ReturnType<typeof createChatStorage>['write']>[0]): void {
  createChatStorage(server, 'c1').write(change);
  dispatchEvent(new StorageEvent('storage', { key: `docent:${server}:c1` }));
}

/** Longer than a tab waits before it loads what another one asked. */
const refreshed = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 600));

async function asked(answers: Record<string, Handler>): Promise<void> {
  chat = await mountAndOpen({ 'POST /ask': () => streamResponse(answerEvents(first)), ...answers });
  chat.ask('first?');
  await waitFor(() => chat.screen.getByText(first.response));
}

const texts = (): (string | null)[] => [...chat.root.querySelectorAll('.text')].map((text) => text.textContent);

test('a question asked in another tab is shown here, and its answer streamed once', async () => {
  const open = openConnection();
  let from = '';
  await asked({
    [history]: () => jsonResponse([first, { ...second, response: 'The sec', finish_reason: '' }]),
    'GET /session/s1/message/m2/stream': ({ headers }) => {
      from = headers.get('Last-Event-ID') ?? '';
      return open.response;
    },
  });
  elsewhere({ last: 'm2' });
  await waitFor(() => chat.screen.getByText('second?'));
  await waitFor(() => expect(from).toBe('7'));
  open.send(encodeEvents([...deltas(second.response, 7), { event: 'done', data: second }]));
  await waitFor(() => expect(texts()).toEqual([first.response, second.response]));
  elsewhere({ last: 'm2' });
  expect(chat.server.requests.filter(({ path }) => path.endsWith('/messages'))).toHaveLength(1);
});

test('a conversation started in another tab is shown here', async () => {
  chat = await mountAndOpen({ [history]: () => jsonResponse([first]) });
  elsewhere({ session: 's1', last: 'm1' });
  await waitFor(() => expect(texts()).toEqual([first.response]));
});

test('a conversation deleted in another tab is removed here', async () => {
  await asked({});
  elsewhere({ session: undefined, last: undefined });
  await waitFor(() => chat.screen.getByText('Good day!'));
  expect(texts()).toEqual([]);
});

test('an answer that another tab has made again is shown in place of the one it replaced', async () => {
  const again = { ...first, uuid: 'm2', response: 'Made again.' };
  await asked({ [history]: () => jsonResponse([again]) });
  elsewhere({ last: 'm2' });
  await waitFor(() => chat.screen.getByText('Made again.'));
  expect(texts()).toEqual(['Made again.']);
});

test('a question asked in two tabs at once is shown once in each', async () => {
  const own = openConnection();
  const answers = [streamResponse(answerEvents(first)), own.response];
  const doubled = { ...second, finish_reason: '' as const, response: '' };
  await asked({
    'POST /ask': () => answers.shift()!,
    [history]: () => jsonResponse([first, doubled]),
    'GET /session/s1/message/m2/stream': () => openConnection().response,
  });
  chat.ask('second?');
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(2));
  // This tab has not heard of its message when the list already has it.
  elsewhere({ last: 'm2' });
  await waitFor(() => expect(chat.screen.getAllByText('second?')).toHaveLength(2));
  own.send(encodeEvents(answerEvents(second).slice(1)));
  own.end();
  await waitFor(() => expect(texts()).toEqual([first.response, second.response]));
  expect(chat.screen.getAllByText('second?')).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(chat.server.requests.filter(({ path }) => path.endsWith('/stream'))).toEqual([]);
});

test('a question that another tab asked at the same moment is shown here, though this one stored its own after it', async () => {
  const other = { ...first, uuid: 'm0', query: 'elsewhere?', response: 'Asked in the other tab.' };
  await asked({ [history]: () => jsonResponse([other, first]) });
  const key = `docent:${server}:c1`;
  const stored = JSON.parse(localStorage.getItem(key)!) as object;
  dispatchEvent(new StorageEvent('storage', { key, newValue: JSON.stringify({ ...stored, last: 'm0' }) }));
  await waitFor(() => chat.screen.getByText('Asked in the other tab.'));
  expect(texts()).toEqual(['Asked in the other tab.', first.response]);
});

test('a hidden tab requests nothing until it is visible', async () => {
  await asked({ [history]: () => jsonResponse([first, second]) });
  const hidden = vi.spyOn(Document.prototype, 'hidden', 'get').mockReturnValue(true);
  const before = chat.server.requests.length;
  elsewhere({ last: 'm2' });
  await refreshed();
  expect(chat.server.requests).toHaveLength(before);
  hidden.mockRestore();
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  await waitFor(() => expect(texts()).toEqual([first.response, second.response]));
});

test.each([
  ['was closed', (): void => chat.handle.close()],
  ['was removed', (): void => chat.handle.destroy()],
])('a chat that %s requests nothing when another tab asks', async (_, end) => {
  chat = await mountAndOpen({});
  end();
  await waitFor(() => expect(chat.root.querySelector('section')).toBeNull());
  const before = chat.server.requests.length;
  elsewhere({ session: 's1', last: 'm1' });
  await refreshed();
  expect(chat.server.requests).toHaveLength(before);
});

test('an answer that is made again is not shown beside its question while the tab refreshes', async () => {
  const open = openConnection();
  const answers = [streamResponse(answerEvents(first)), streamResponse(answerEvents(second)), open.response];
  await asked({ 'POST /ask': () => answers.shift()!, [history]: () => jsonResponse([first, second]) });
  chat.ask('second?');
  await waitFor(() => chat.screen.getByText(second.response));
  const buttons = (): NodeListOf<HTMLElement> => chat.root.querySelectorAll('.again');
  await waitFor(() => expect(buttons()).toHaveLength(2));
  buttons()[1]!.click();
  await waitFor(() => expect(chat.server.askRequests()).toHaveLength(3));
  dispatchEvent(new Event('visibilitychange'));
  await waitFor(() => expect(chat.server.requests.at(-1)!.path).toBe('/session/s1/messages'));
  await refreshed();
  expect(chat.screen.getAllByText('second?')).toHaveLength(1);
  open.send(encodeEvents(answerEvents({ ...second, uuid: 'm3', response: 'Said another way.' })));
  await waitFor(() => expect(texts()).toEqual([first.response, 'Said another way.']));
});
