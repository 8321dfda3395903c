import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCapacity, type Capacity } from '../../server/answer/capacity.ts';
import { Run } from '../../server/answer/run.ts';
import { Refusal } from '../../server/schema/errors.ts';
import { createEventStreams, unreadReplies } from '../../server/proxy/sse.ts';
import type { StoredMessage } from '../../server/store/store.ts';
import {
  answerWith,
  ask,
  answerResult,
  manualAnswer,
  messagesOf,
  startChatServer,
  parseEvents,
  post,
  textOf,
  uuidOf,
  watch,
  watchAsk,
  type ChatServer,
  type WatchedStream,
} from './fixture.ts';

let docent: ChatServer;
let chatbot: string;
let chatUrl: string;

beforeAll(async () => {
  docent = await startChatServer();
});
afterAll(() => docent.stop());
beforeEach(async () => {
  chatbot = (await docent.chatbot()).uuid;
  chatUrl = `${docent.base}/chat/${chatbot}`;
});

const begun = (events: { event: string }[]): boolean => events.some(({ event }) => event === 'message');

/** An open question whose answer the test writes. */
async function asking(query = 'How long?') {
  const answer = manualAnswer();
  docent.respond = answer.respond;
  const stream = await watchAsk(docent, chatbot, { query });
  const events = await stream.until(begun);
  const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
  return { answer, stream, session, message, url: `${chatUrl}/session/${session}/message/${message}` };
}

const resume = (url: string, offset?: number | string): Promise<WatchedStream> =>
  watch(`${url}/stream`, { headers: offset === undefined ? {} : { 'Last-Event-ID': String(offset) } });

const tick = (ms = 5): Promise<void> => new Promise((done) => setTimeout(done, ms));

describe('the events of an answer', () => {
  it('begin before the first text', async () => {
    const { answer, stream } = await asking();
    expect(stream.events().map(({ event }) => event)).toEqual(['session', 'message']);
    await answer.write('Yes.');
    await answer.end();
    expect(textOf(await stream.done)).toBe('Yes.');
  });

  it('join text of one turn, and number each delta by its end', async () => {
    const { answer, stream } = await asking();
    void answer.write('\u{1f600}');
    void answer.write(' one');
    void answer.write(' two');
    await stream.until((events) => textOf(events) !== '');
    void answer.write(' three ');
    await answer.end();
    const deltas = (await stream.done).filter(({ event }) => event === 'delta');
    expect(deltas.map(({ id, data }) => [id, data])).toEqual([
      ['10', { text: '\u{1f600} one two' }],
      ['16', { text: ' three' }],
    ]);
  });

  it('end with an error that keeps the text', async () => {
    const { answer, stream, url } = await asking();
    await answer.write('You have');
    await answer.fail(new Refusal('model_timeout', 'canary', { cause: new Error('canary') }));
    const events = await stream.done;
    expect(textOf(events)).toBe('You have');
    expect(events.at(-1)).toEqual({
      event: 'error',
      data: { error: 'the answer took too long; please ask again', code: 'model_timeout' },
    });
    const again = await (await resume(url)).done;
    expect(again.map(({ event }) => event)).toEqual(['message', 'delta', 'error']);
    expect(textOf(again)).toBe('You have');
    expect(JSON.stringify(again)).not.toContain('canary');
  });

  it('have retry_after where the model asked for it', async () => {
    const { answer, stream } = await asking();
    await answer.fail(new Refusal('unavailable', 'busy', { retryAfter: 7 }));
    expect((await stream.done).at(-1)).toMatchObject({ event: 'error', data: { code: 'unavailable', retry_after: 7 } });
  });

  it('end with an error where the session is deleted meanwhile, and nothing stays stored', async () => {
    const { stream, session, answer } = await asking();
    await answer.write('You have');
    expect((await post(`${chatUrl}/session/${session}/delete`)).status).toBe(200);
    await stream.done;
    expect((await fetch(`${chatUrl}/session/${session}/messages`)).status).toBe(404);
    expect(await docent.store.session(session)).toBeUndefined();
  });
});

describe('a resumed stream', () => {
  it('from beyond the end has only the last event', async () => {
    const { answer, url } = await asking();
    await answer.write('Yes.');
    const beyond = await resume(url, 999_999);
    await answer.end();
    expect((await beyond.done).map(({ event }) => event)).toEqual(['done']);
  });

  it('has no gap and no repeat, from any offset, before the end and after it', async () => {
    const pieces = ['You', ' have', ' \u{1f600}', ' 30', ' days.'];
    const whole = pieces.join('');
    const { answer, stream, url } = await asking();
    const early: { offset: number; stream: WatchedStream }[] = [];
    for (const piece of pieces) {
      early.push({ offset: textOf(stream.events()).length, stream: await resume(url, textOf(stream.events()).length) });
      early.push({ offset: 0, stream: await resume(url, 0) });
      const before = textOf(stream.events()).length;
      await answer.write(piece);
      await stream.until((events) => textOf(events).length > before);
    }
    await answer.end();
    for (const one of early) expect(textOf(await one.stream.done)).toBe(whole.slice(one.offset));
    const offsets = Array.from({ length: whole.length + 3 }, (_, i) => i);
    const late = await Promise.all(offsets.map(async (offset) => (await resume(url, offset)).done));
    for (const [offset, events] of late.entries()) {
      expect(textOf(events)).toBe(whole.slice(offset));
      expect(events.at(-1)?.event).toBe('done');
      expect(events.filter(({ event }) => event === 'delta').at(-1)?.id).toBe(
        offset < whole.length ? String(whole.length) : undefined,
      );
    }
  });

  it('without an offset starts with the message', async () => {
    docent.respond = answerWith('You have 30 days.');
    const events = await ask(docent, chatbot, { query: 'How long?' });
    const url = `${chatUrl}/session/${uuidOf(events, 'session')}/message/${uuidOf(events, 'message')}`;
    expect((await (await resume(url)).done).map(({ event }) => event)).toEqual(['message', 'delta', 'done']);
    expect((await (await resume(url, 3)).done).map(({ event }) => event)).toEqual(['delta', 'done']);
    expect((await (await resume(url, 17)).done).map(({ event }) => event)).toEqual(['done']);
  });

  it.each(['-1', '1.5', 'x', '1e3', '9'.repeat(10)])('refuses the offset %s', async (offset) => {
    docent.respond = answerWith('You have 30 days.');
    const events = await ask(docent, chatbot, { query: 'How long?' });
    const url = `${chatUrl}/session/${uuidOf(events, 'session')}/message/${uuidOf(events, 'message')}/stream`;
    const reply = await fetch(url, { headers: { 'Last-Event-ID': offset } });
    expect([reply.status, (await reply.json()).field]).toEqual([422, 'Last-Event-ID']);
  });

  it('before the end, from beyond what there is, repeats nothing', async () => {
    const { answer, url } = await asking();
    const ahead = await resume(url, 8);
    await answer.write('You have');
    await tick();
    await answer.write(' 30 days.');
    await answer.end();
    expect(textOf(await ahead.done)).toBe(' 30 days.');
  });

  it('is in the list of messages with its text so far', async () => {
    const { answer, stream, session } = await asking();
    await answer.write('You have');
    await stream.until((events) => textOf(events) !== '');
    expect(await messagesOf(docent, chatbot, session)).toMatchObject([{ response: 'You have', finish_reason: '' }]);
    await answer.end();
    await stream.done;
    expect(await messagesOf(docent, chatbot, session)).toMatchObject([{ response: 'You have', finish_reason: 'stop' }]);
  });

  it('answers HEAD without waiting for the end', async () => {
    const { answer, url, stream } = await asking();
    const reply = await fetch(`${url}/stream`, { method: 'HEAD' });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await answer.end();
    await stream.done;
  });
});

describe('stop', () => {
  it('stores the text so far as stopped before it replies', async () => {
    const { answer, stream, url, message } = await asking();
    await answer.write('You have');
    await stream.until((events) => textOf(events) !== '');
    expect(await (await post(`${url}/stop`)).json()).toEqual({ success: true });
    expect(await docent.store.message(message)).toMatchObject({ response: 'You have', finish_reason: 'stopped' });
    expect((await stream.done).at(-1)).toMatchObject({ event: 'done', data: { finish_reason: 'stopped' } });
  });

  it('works as soon as the message is known, and again after the end', async () => {
    const { url, stream } = await asking();
    expect((await post(`${url}/stop`)).status).toBe(200);
    expect((await stream.done).at(-1)).toMatchObject({
      event: 'done',
      data: { response: '', finish_reason: 'stopped' },
    });
    expect((await post(`${url}/stop`)).status).toBe(200);
  });
});

describe('feedback during an answer', () => {
  it('is stored after the end of the answer', async () => {
    const { answer, url, stream, message } = await asking();
    const given = post(`${url}/feedback`, { rating: 1 });
    await answer.write('You have 30 days.');
    await tick(20);
    await answer.end();
    expect((await given).status).toBe(200);
    await stream.done;
    const stored = await docent.store.message(message);
    expect(stored).toMatchObject({ response: 'You have 30 days.', feedback_json: '{"rating":1}' });
  });
});

describe('readers', () => {
  it('who leave do not stop the answer', async () => {
    const { answer, stream, message, url } = await asking();
    await answer.write('You have');
    await stream.until((events) => textOf(events) !== '');
    stream.leave();
    await tick(20);
    await answer.write(' 30 days.');
    await answer.end();
    await docent.runs.settled();
    expect(await docent.store.message(message)).toMatchObject({ response: 'You have 30 days.', finish_reason: 'stop' });
    expect(textOf(await (await resume(url, 8)).done)).toBe(' 30 days.');
  });

  it('share one answer, each at its own offset', async () => {
    const { answer, stream, url } = await asking();
    await answer.write('One');
    await stream.until((events) => textOf(events) !== '');
    const others = await Promise.all([0, 1, 2, 3].map((offset) => resume(url, offset)));
    await answer.write(' two');
    await answer.end();
    expect(textOf(await stream.done)).toBe('One two');
    for (const [offset, one] of others.entries()) expect(textOf(await one.done)).toBe('One two'.slice(offset));
  });
});

/** The bodies of chunked replies on one connection, in order. */
function bodiesOf(raw: Buffer): string[] {
  const bodies: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const parts: Buffer[] = [];
    at = raw.indexOf('\r\n\r\n', at) + 4;
    for (let size = -1; size !== 0; at += size + 2) {
      const lineEnd = raw.indexOf('\r\n', at);
      size = parseInt(raw.toString('latin1', at, lineEnd), 16);
      at = lineEnd + 2;
      if (size > 0) parts.push(raw.subarray(at, at + size));
      else at -= 2;
    }
    bodies.push(Buffer.concat(parts).toString('utf8'));
  }
  return bodies;
}

describe('a reader that stalls', () => {
  const QUESTIONS = 10;
  const line = `${'漢'.repeat(99)}\n`;
  const whole = line.repeat(3900).trimEnd();

  /** Sends several questions on one connection, and reads nothing. */
  function stall(): Socket {
    const socket = connect({ port: docent.port, host: '127.0.0.1' }).pause();
    for (let i = 1; i <= QUESTIONS; i += 1) {
      const body = JSON.stringify({ query: 'A long one?', id: `long-${i}` });
      socket.write(
        `POST /chat/${chatbot}/ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\nConnection: ${i < QUESTIONS ? 'keep-alive' : 'close'}\r\n\r\n${body}`,
      );
    }
    return socket;
  }

  it('delays no other, has one write buffered, and gets all of it once it reads', async () => {
    docent.respond = async (_, run) => {
      for (let i = 0; i < 3900; i += 1) {
        run.append(line);
        if (i % 4 === 0) await new Promise(setImmediate);
      }
      return answerResult();
    };
    // More than the system's own buffers hold: the last replies cannot go out.
    const socket = stall();
    const fast = await ask(docent, chatbot, { query: 'A long one?', id: 'long-1' });
    expect(textOf(fast) === whole).toBe(true);
    await docent.runs.settled();
    await tick(50);
    const owed = [...docent.replies].map((reply) => reply.writableLength);
    expect(owed.length).toBeGreaterThan(3);
    expect(Math.max(...owed.slice(1))).toBeLessThan(64 * 1024);

    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
    await new Promise((done) => socket.once('end', done));
    const bodies = bodiesOf(Buffer.concat(chunks));
    expect(bodies).toHaveLength(QUESTIONS);
    for (const body of bodies) expect(textOf(parseEvents(body)) === whole).toBe(true);
  }, 30_000);
});

describe('open streams', () => {
  it('are limited to 32 for one address, until one of them is closed', async () => {
    const { answer, stream, url } = await asking();
    const open = await Promise.all(Array.from({ length: 31 }, () => resume(url)));
    expect(open.map(({ status }) => status)).toEqual(Array.from({ length: 31 }, () => 200));
    const refused = await fetch(`${url}/stream`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject({ code: 'unavailable' });
    expect((await post(`${chatUrl}/ask`, { query: 'And?' })).status).toBe(503);
    open.pop()!.leave();
    await vi.waitFor(async () => {
      const again = await resume(url);
      expect(again.status).toBe(200);
      open.push(again);
    });
    await answer.end();
    await Promise.all([stream, ...open].map(({ done }) => done));
    expect((await (await resume(url)).done).at(-1)?.event).toBe('done');
  });
});

describe('a replay beyond the memory limit', () => {
  const each = 1000;
  let bytes: Capacity;
  let own: ChatServer;
  beforeAll(async () => {
    bytes = createCapacity({ each, all: 3 * each });
    own = await startChatServer({ routerOptions: { unreadBytes: bytes, trustProxyHops: 1 } });
  });
  afterAll(() => own.stop());

  it('is refused with Retry-After, as a resumed stream and as a repeated question', async () => {
    const { uuid } = await own.chatbot();
    const question = { query: 'How long?', id: 'no-room' };
    const events = await ask(own, uuid, question);
    const url = `${own.base}/chat/${uuid}/session/${uuidOf(events, 'session')}/message/${uuidOf(events, 'message')}/stream`;
    const releases = ['a', 'b', 'c'].map((owner) => bytes.take(owner, each));
    for (const refused of [await fetch(url), await post(`${own.base}/chat/${uuid}/ask`, question)]) {
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await refused.json()).toMatchObject({ code: 'unavailable' });
    }
    for (const release of releases) release();
    expect(textOf(await (await watch(url)).done)).toBe('You have 30 days.');
  });
});

it('unread bytes of one address do not block another', async () => {
  const bytes = unreadReplies();
  const own = await startChatServer({ routerOptions: { unreadBytes: bytes, trustProxyHops: 1 } });
  try {
    const { uuid } = await own.chatbot();
    const events = await ask(own, uuid, { query: 'How long?' });
    const session = `${own.base}/chat/${uuid}/session/${uuidOf(events, 'session')}`;
    const urls = [`${session}/messages`, `${session}/message/${uuidOf(events, 'message')}/stream`];
    const get = (url: string, from: string) => fetch(url, { headers: { 'X-Forwarded-For': from } });
    const quarter = 16 * 1024 * 1024;
    bytes.take('203.0.113.1', quarter);
    for (const url of urls) {
      const refused = await get(url, '203.0.113.1');
      expect(refused.status).toBe(503);
      expect((await refused.json()).error).toMatch(/^too many requests in progress/);
      const other = await get(url, '203.0.113.2');
      expect([other.status, await other.text()]).toEqual([200, expect.stringContaining('You have 30 days.')]);
    }
    await vi.waitFor(() => expect(bytes.taken).toBe(quarter));
    for (const from of ['203.0.113.3', '203.0.113.4', '203.0.113.5']) bytes.take(from, quarter);
    for (const url of urls) {
      for (const from of ['203.0.113.1', '203.0.113.2']) {
        const refused = await get(url, from);
        expect(refused.status).toBe(503);
        expect((await refused.json()).error).toMatch(/^there is too much to do/);
      }
    }
  } finally {
    await own.stop();
  }
});

const comments = (stream: WatchedStream): number => stream.text().match(/^:$/gm)?.length ?? 0;

describe('a quiet stream', () => {
  it('gets a comment every 15 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const own = await startChatServer();
      const answer = manualAnswer();
      own.respond = answer.respond;
      const { uuid } = await own.chatbot();
      const stream = await watchAsk(own, uuid, { query: 'How long?' });
      await stream.until(begun);
      for (let beats = 1; beats <= 3; beats += 1) {
        vi.advanceTimersByTime(14_999);
        await tick(20);
        expect(comments(stream)).toBe(beats - 1);
        vi.advanceTimersByTime(1);
        while (comments(stream) < beats) await tick();
      }
      await answer.write('Yes.');
      await answer.end();
      expect((await stream.done).map(({ event }) => event)).toEqual(['session', 'message', 'delta', 'done']);
      await own.stop();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

it('a stream of which nothing was read for eight comments is closed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const own = await startChatServer();
  try {
    const answer = manualAnswer();
    own.respond = answer.respond;
    const { uuid } = await own.chatbot();
    const socket = connect({ port: own.port, host: '127.0.0.1' }).pause();
    const body = JSON.stringify({ query: 'A long one?', id: 'long' });
    const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.write(`POST /chat/${uuid}/ask HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    const reply = await vi.waitFor(() => {
      const [first] = own.replies;
      expect(first?.headersSent).toBe(true);
      return first!;
    });
    // More of it than the system's own buffers hold, or a socket that takes nothing at all.
    reply.socket!.cork();
    await answer.write('漢'.repeat(100_000));
    await vi.waitFor(() => expect(reply.socket!.writableLength).toBeGreaterThan(0));
    vi.advanceTimersByTime(7 * 15_000);
    await tick(20);
    expect(own.replies.size).toBe(1);
    vi.advanceTimersByTime(15_000);
    await vi.waitFor(() => expect(own.replies.size).toBe(0));
    await answer.end();
    socket.destroy();
  } finally {
    await own.stop();
    vi.useRealTimers();
  }
});

it('a reader who left before the reply began is released', async () => {
  const run = new Run({ response: '' } as StoredMessage);
  const left = vi.fn();
  vi.spyOn(run, 'attach').mockReturnValue(left);
  const streams = createEventStreams({ commentInterval: 5 });
  const server = createServer((_, res) => {
    res.once('close', () => streams.send(run, res, { address: '', from: 0, first: [], failure: 'model_failed' }));
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: docent.test\r\n\r\n');
  await vi.waitFor(() => expect(left).toHaveBeenCalled());
  server.close();
});
