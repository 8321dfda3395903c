// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createChatStorage } from '../../widget/browser/storage.ts';
import { answered, deltas, json, line, record, server, stream, wire, type Answer } from './fake-server.ts';
import { opened, type Opened } from './mounted.ts';

const history = 'GET /session/s1/messages';
const first = record('first?', 'The first answer.');
const second = { ...record('second?', 'The second answer, asked elsewhere.'), uuid: 'm2' };

let chat: Opened;

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

async function asked(answers: Record<string, Answer>): Promise<void> {
  chat = await opened({ 'POST /ask': () => stream(answered(first)), ...answers });
  chat.ask('first?');
  await waitFor(() => chat.see.getByText(first.response));
}

const texts = (): (string | null)[] => [...chat.root.querySelectorAll('.text')].map((text) => text.textContent);

test('a question asked in another tab shows here, and its answer streams in, each character once', async () => {
  const open = line();
  let from = '';
  await asked({
    [history]: () => json([first, { ...second, response: 'The sec', finish_reason: '' }]),
    'GET /session/s1/message/m2/stream': ({ headers }) => {
      from = headers.get('Last-Event-ID') ?? '';
      return open.response;
    },
  });
  elsewhere({ last: 'm2' });
  await waitFor(() => chat.see.getByText('second?'));
  await waitFor(() => expect(from).toBe('7'));
  open.say(wire([...deltas(second.response, 7), { event: 'done', data: second }]));
  await waitFor(() => expect(texts()).toEqual([first.response, second.response]));
  elsewhere({ last: 'm2' });
  expect(chat.door.requests.filter(({ path }) => path.endsWith('/messages'))).toHaveLength(1);
});

test('a conversation begun in another tab is this one’s too', async () => {
  chat = await opened({ [history]: () => json([first]) });
  elsewhere({ session: 's1', last: 'm1' });
  await waitFor(() => expect(texts()).toEqual([first.response]));
});

test('a conversation forgotten in another tab is gone here', async () => {
  await asked({});
  elsewhere({ session: undefined, last: undefined });
  await waitFor(() => chat.see.getByText('Good day!'));
  expect(texts()).toEqual([]);
});

test('a question asked in two tabs at once shows once in each', async () => {
  const own = line();
  const answers = [stream(answered(first)), own.response];
  const doubled = { ...second, finish_reason: '' as const, response: '' };
  await asked({
    'POST /ask': () => answers.shift()!,
    [history]: () => json([first, doubled]),
    'GET /session/s1/message/m2/stream': () => line().response,
  });
  chat.ask('second?');
  await waitFor(() => expect(chat.door.asked()).toHaveLength(2));
  // This tab has not heard of its message when the list already has it.
  elsewhere({ last: 'm2' });
  await waitFor(() => expect(chat.see.getAllByText('second?')).toHaveLength(2));
  own.say(wire(answered(second).slice(1)));
  own.end();
  await waitFor(() => expect(texts()).toEqual([first.response, second.response]));
  expect(chat.see.getAllByText('second?')).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(chat.door.requests.filter(({ path }) => path.endsWith('/stream'))).toEqual([]);
});

test('a hidden tab asks for nothing until it is looked at', async () => {
  await asked({ [history]: () => json([first, second]) });
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  const before = chat.door.requests.length;
  elsewhere({ last: 'm2' });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(chat.door.requests).toHaveLength(before);
  hidden.mockRestore();
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  await waitFor(() => expect(texts()).toEqual([first.response, second.response]));
});

test('a chat that was never opened asks for nothing when another tab does', async () => {
  chat = await opened({});
  chat.close();
  const before = chat.door.requests.length;
  elsewhere({ session: 's1', last: 'm1' });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(chat.door.requests).toHaveLength(before);
});
