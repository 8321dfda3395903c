// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import fc from '../../random.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { effect } from '@preact/signals';
import type { ChatEvent } from '../../../server/types.ts';
import { createChat } from '../../../widget/chat/chat.ts';
import {
  answerEvents,
  deltas,
  jsonResponse,
  openConnection,
  startFakeServer,
  messageRecord,
  server,
  streamResponse,
  encodeEvents,
  type FakeServer,
  type Connection,
} from '../fake-server.ts';
import { mountAndOpen, type MountedChat } from '../mounted.ts';

const answer = messageRecord('q', 'Eine Antwort – mit 👋🏽 Zeichen, die länger sind als ein Byte.');
const bytes = new TextEncoder().encode(encodeEvents(answerEvents(answer)));

let fakeServer: FakeServer | undefined;
let chat: MountedChat | undefined;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  chat?.close();
  fakeServer?.close();
  chat = fakeServer = undefined;
  vi.useRealTimers();
});

/** The bytes up to `at`, then a broken connection. */
function broken(at: number, all = bytes): Response {
  const connection = openConnection();
  connection.send(all.slice(0, at));
  // The reader takes what has come before it meets the break.
  setTimeout(connection.cut, 0);
  return connection.response;
}

/** Asks, and gives what a visitor has read when the answer has come to its end; `text` is without what its end may have mended. */
async function collect(): Promise<{ text: string; end: string }> {
  localStorage.clear();
  const asking = createChat(document.createElement('div'), { server, chatbot: 'c1' });
  asking.ask('q');
  const { status, text } = asking.turns.peek()[0]!;
  const read: string[] = [];
  const end = await new Promise<string>((resolve) => {
    effect(() => {
      const { is, reason = '' } = status.value;
      if (is === 'streaming' || is === 'reconnecting' || is === 'offline') read.push(text.value);
      if (is === 'done' || is === 'failed') resolve(`${is} ${reason}`.trim());
    });
  });
  asking.clear();
  for (const so of read) expect(answer.response.startsWith(so)).toBe(true);
  return { text: read.at(-1) ?? '', end };
}

function rest(from: number): ChatEvent[] {
  return [...deltas(answer.response, from, 3), { event: 'done', data: answer }];
}

test('an answer cut at any byte arrives without lost or repeated characters', async () => {
  vi.useFakeTimers();
  for (let at = 0; at < bytes.length; at += 1) {
    let asks = 0;
    fakeServer = startFakeServer({
      'POST /ask': () => (asks++ === 0 ? broken(at) : streamResponse(answerEvents(answer))),
      'GET /session/s1/message/m1/stream': ({ headers }) => streamResponse(rest(Number(headers.get('Last-Event-ID')))),
    });
    const all = collect();
    await vi.runAllTimersAsync();
    expect(await all).toEqual({ text: answer.response, end: 'done' });
    expect(new Set(fakeServer.askRequests().map(({ body }) => body['id'])).size).toBe(1);
    fakeServer.close();
  }
});

test('an answer cut repeatedly arrives complete, whatever overlap the server repeats', async () => {
  vi.useFakeTimers();
  const cuts = fc.array(fc.record({ at: fc.nat(400), back: fc.nat(6) }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(cuts, async (plan) => {
      const left = [...plan];
      fakeServer = startFakeServer({
        'POST /ask': () => broken(bytes.length - 150),
        'GET /session/s1/message/m1/stream': ({ headers }) => {
          const next = left.shift();
          const from = Math.max(0, Number(headers.get('Last-Event-ID')) - (next?.back ?? 0));
          if (!next) return streamResponse(rest(from));
          return broken(next.at, new TextEncoder().encode(encodeEvents(rest(from))));
        },
      });
      const all = collect();
      await vi.runAllTimersAsync();
      expect((await all).text).toBe(answer.response);
      fakeServer.close();
    }),
    { numRuns: 40 },
  );
});

test('a gap in the stream is treated as a cut and skips nothing', async () => {
  vi.useFakeTimers();
  const gap = [...answerEvents(answer).slice(0, 3), ...deltas(answer.response, 20)];
  fakeServer = startFakeServer({
    'POST /ask': () => streamResponse(gap),
    'GET /session/s1/message/m1/stream': ({ headers }) => streamResponse(rest(Number(headers.get('Last-Event-ID')))),
  });
  const all = collect();
  await vi.runAllTimersAsync();
  expect((await all).text).toBe(answer.response);
});

test('a silent connection is replaced by another', async () => {
  vi.useFakeTimers();
  fakeServer = startFakeServer({
    'POST /ask': ({ signal }) => {
      const silent = openConnection(signal);
      silent.send(bytes.slice(0, 200));
      return silent.response;
    },
    'GET /session/s1/message/m1/stream': ({ headers }) => streamResponse(rest(Number(headers.get('Last-Event-ID')))),
  });
  const all = collect();
  await vi.runAllTimersAsync();
  expect((await all).text).toBe(answer.response);
});

test.each([
  ['after an hour of sleep', () => vi.setSystemTime(Date.now() + 3_600_000)],
  ['after the clock was set back', () => vi.setSystemTime(Date.now() - 3_600_000)],
  ['when the network goes', () => dispatchEvent(new Event('offline'))],
])('a silent connection is replaced within seconds %s', async (_when, happen) => {
  vi.useFakeTimers();
  let silent: Connection | undefined;
  fakeServer = startFakeServer({
    'POST /ask': ({ signal }) => {
      silent = openConnection(signal);
      silent.send(bytes.slice(0, 200));
      return silent.response;
    },
    'GET /session/s1/message/m1/stream': ({ headers }) => streamResponse(rest(Number(headers.get('Last-Event-ID')))),
  });
  const all = collect();
  await vi.advanceTimersByTimeAsync(1000);
  happen();
  await vi.advanceTimersByTimeAsync(4000);
  expect((await all).text).toBe(answer.response);
  expect(vi.getTimerCount()).toBe(0);
});

test('an unreachable server is retried with backoff, and then given up', async () => {
  vi.useFakeTimers();
  fakeServer = startFakeServer({
    'POST /ask': () => {
      throw new TypeError('refused');
    },
  });
  const all = collect();
  await vi.runAllTimersAsync();
  expect((await all).end).toBe('failed network');
  expect(fakeServer.askRequests().length).toBeGreaterThan(3);
  expect(fakeServer.askRequests().length).toBeLessThan(12);
});

test('without a network nothing is retried until it is back', async () => {
  vi.useFakeTimers();
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  let isThere = false;
  fakeServer = startFakeServer({
    'POST /ask': () => {
      if (!isThere) throw new TypeError('offline');
      return streamResponse(answerEvents(answer));
    },
  });
  const all = collect();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(fakeServer.askRequests()).toHaveLength(1);
  isThere = true;
  online.mockRestore();
  dispatchEvent(new Event('online'));
  await vi.runAllTimersAsync();
  expect((await all).text).toBe(answer.response);
});

test('shows that it reconnects, then the whole answer', async () => {
  const second = openConnection();
  chat = await mountAndOpen({
    'POST /ask': () => broken(bytes.length - 200),
    'GET /session/s1/message/m1/stream': ({ headers }) => {
      const from = Number(headers.get('Last-Event-ID'));
      setTimeout(() => {
        second.send(encodeEvents(rest(from)));
        second.end();
      }, 60);
      return second.response;
    },
  });
  chat.ask('q');
  await waitFor(() => expect(chat!.screen.getAllByText('Reconnecting…').length).toBeGreaterThan(0));
  await waitFor(() => expect(chat!.root.querySelector('.text')?.textContent).toBe(answer.response), { timeout: 3000 });
  await waitFor(() => expect(chat!.screen.queryAllByText('Reconnecting…')).toEqual([]));
});

test('after giving up, a retry sends the same message id', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  let isThere = false;
  chat = await mountAndOpen({
    'POST /ask': () => {
      if (!isThere) throw new TypeError('refused');
      return streamResponse(answerEvents(answer));
    },
    'GET ': () => jsonResponse({ name: 'Shop' }),
  });
  chat.ask('q');
  await vi.advanceTimersByTimeAsync(120_000);
  isThere = true;
  chat.screen.getByRole('button', { name: 'Try again' }).click();
  await vi.advanceTimersByTimeAsync(1000);
  await vi.waitFor(() => expect(chat!.root.querySelector('.text')?.textContent).toBe(answer.response));
  expect(new Set(chat.server.askRequests().map(({ body }) => JSON.stringify(body))).size).toBe(1);
});

test('a 502 of a gateway is retried with the same message id', async () => {
  const gateway = (): Response => new Response('<h1>Bad gateway</h1>', { status: 502 });
  const answers = [gateway, gateway, () => streamResponse(answerEvents(answer))];
  chat = await mountAndOpen({ 'POST /ask': () => answers.shift()!() });
  chat.ask('q');
  await vi.waitFor(() => expect(chat!.root.querySelector('.text')?.textContent).toBe(answer.response), 5000);
  expect(chat.server.askRequests()).toHaveLength(3);
  expect(new Set(chat.server.askRequests().map(({ body }) => JSON.stringify(body))).size).toBe(1);
});

test.each([
  [500, 'internal'],
  [502, 'upstream_failed'],
  [504, 'upstream_timeout'],
])('a resume that meets %i %s is tried again', async (status, code) => {
  const failed = (): Response => jsonResponse({ error: 'x', code }, status);
  const streams = [failed, failed, () => streamResponse(answerEvents(answer))];
  chat = await mountAndOpen({
    'POST /ask': () => broken(bytes.length - 200),
    'GET /session/s1/message/m1/stream': () => streams.shift()!(),
  });
  chat.ask('one');
  await vi.waitFor(() => expect(streams).toEqual([]), 5000);
  await vi.waitFor(() => expect(chat!.root.querySelector('.text')?.textContent).toBe(answer.response));
  expect(chat.server.askRequests()).toHaveLength(1);
});

test('stopping during a reconnect ends the answer, and the next question is sent', async () => {
  const answers = [
    () => broken(bytes.length - 200),
    () => streamResponse(answerEvents({ ...messageRecord('two', 'Next.'), uuid: 'm2' })),
  ];
  chat = await mountAndOpen({
    'POST /ask': () => answers.shift()!(),
    'GET /session/s1/message/m1/stream': () => jsonResponse({}, 503),
    'POST /session/s1/message/m1/stop': () => jsonResponse({ success: true }),
  });
  chat.ask('one');
  await waitFor(() => expect(chat!.screen.getAllByText(/^Reconnecting/).length).toBeGreaterThan(0));
  chat.screen.getByRole('button', { name: /^Stop/ }).click();
  chat.ask('two');
  await waitFor(() => chat!.screen.getByText('Next.'), { timeout: 3000 });
  const paths = chat.server.requests.map(({ path }) => path);
  expect(paths.filter((path) => path.endsWith('/stop'))).toHaveLength(1);
  expect(chat.screen.getAllByText(/stopped/).length).toBeGreaterThan(0);
});

test('an answer that the end of the server cut off says so after a reload, in the page’s language, and can be asked for again', async () => {
  localStorage.setItem('docent:https://docent.test/:c1', JSON.stringify({ session: 's1', last: 'm1' }));
  document.documentElement.lang = 'de';
  const cutOff = messageRecord('Wie lange?', '', {}, 'interrupted');
  chat = await mountAndOpen(
    {
      'GET /session/s1/messages': () => jsonResponse([cutOff]),
      'POST /ask': () => streamResponse(answerEvents({ ...answer, uuid: 'm2' })),
    },
    { words: { field: 'Your question' } },
  );
  const again = await waitFor(() => chat!.screen.getByRole('button', { name: 'Noch einmal versuchen' }));
  expect(chat.root.querySelector('.note.warning p')?.textContent).toBe('Die Antwort wurde unterbrochen.');
  again.click();
  await waitFor(() => expect(chat!.root.querySelector('.text')?.textContent).toContain('Eine Antwort'));
  expect(chat.server.askRequests().map(({ body }) => [body['query'], body['session']])).toEqual([['Wie lange?', 's1']]);
  document.documentElement.removeAttribute('lang');
});
