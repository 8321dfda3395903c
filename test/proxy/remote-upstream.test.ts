import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRemote, type FakeRemote } from '../fakes/remote.ts';
import {
  answerWith,
  API_KEY,
  ask,
  ended,
  messagesOf,
  startChatServer,
  post,
  textOf,
  uuidOf,
  watchAsk,
  type ChatServer,
} from './fixture.ts';

const CHATBOT = '0123456789abcdef0123456789abcdef';
const TIMEOUTS = { connect: 1000, firstByte: 1000, betweenChunks: 1000 };

let foreign: FakeRemote;
let house: ChatServer;

beforeEach(async () => {
  foreign = await startFakeRemote();
  house = await startChatServer({ upstream: { url: foreign.url, apiKey: foreign.key, timeouts: TIMEOUTS } });
});
afterEach(async () => {
  // Neither the key nor what visitors ask is ever in the log.
  expect(house.logged.join('')).not.toMatch(/canary|How long/);
  await house.stop();
  await foreign.close();
});

const count = (what: RegExp): number => foreign.requests.filter((one) => what.test(one)).length;
const CITATION = { data_source_uuid: 'd', title: 'Returns', text: '30 days', file_name: 'https://x/', type: 'link' };

describe('a door before another server', () => {
  it('answers with what that server streams, as messages and sessions of its own', async () => {
    foreign.stream = async (reply) => {
      for (const piece of ['You ', 'have ', '30 days.']) {
        reply.write(piece);
        await new Promise((done) => setTimeout(done, 5));
      }
      reply.end();
    };
    foreign.record = { response: 'You have 30 days.', cite_data_json: JSON.stringify({ 1: CITATION }) };
    const events = await ask(house, CHATBOT, { query: 'How long?' });
    expect(textOf(events)).toBe('You have 30 days.');
    const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    expect([session, message].every((uuid) => /^[0-9a-f]{32}$/.test(uuid))).toBe(true);
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { uuid: message, finish_reason: 'stop' } });
    expect(await messagesOf(house, CHATBOT, session)).toMatchObject([
      { uuid: message, response: 'You have 30 days.', cite_data_json: JSON.stringify({ 1: CITATION }) },
    ]);
  });

  it('shows the other server’s face, and asks for it once in a while', async () => {
    const face = async () => (await fetch(`${house.base}/chat/${CHATBOT}`)).json();
    expect(await face()).toMatchObject({ uuid: CHATBOT, name: 'Elsewhere', show_citations: true });
    foreign.chatbot = { ...foreign.chatbot, name: 'Renamed' };
    expect((await face()).name).toBe('Elsewhere');
    expect(count(/^GET/)).toBe(1);
    house.clock.now += 30_000;
    expect((await face()).name).toBe('Renamed');
  });

  it('asks once for a chatbot that is not there, and again a little later', async () => {
    const chatbot = foreign.chatbot;
    foreign.chatbot = undefined;
    const status = async () => (await fetch(`${house.base}/chat/${CHATBOT}`)).status;
    expect([await status(), await status()]).toEqual([404, 404]);
    expect(count(/^GET/)).toBe(1);
    foreign.chatbot = chatbot;
    house.clock.now += 5_000;
    expect(await status()).toBe(200);
  });

  it('passes on no flood of names that the other server does not know', async () => {
    const status = async (uuid: string) => (await fetch(`${house.base}/chat/${uuid}`)).status;
    expect(await status(CHATBOT)).toBe(200);
    const there = foreign.chatbot;
    foreign.chatbot = undefined;
    const names = Array.from({ length: 200 }, (_, i) => i.toString(16).padStart(32, 'f'));
    const told = await Promise.all(names.map(status));
    expect([told.filter((one) => one === 404).length, told.filter((one) => one === 429).length]).toEqual([29, 171]);
    expect(count(/^GET/)).toBe(30);
    expect((await fetch(`${house.base}/c/${names[199]}`)).status).toBe(429);
    // Who asks for what is known here notices nothing, in whatever spelling and however stale.
    foreign.chatbot = there;
    house.clock.now += 30_000;
    expect(await status(CHATBOT.replace(/^(.{8})/, '$1-'))).toBe(200);
    expect(foreign.requests.at(-1)).toBe(`GET /api/v1/chatbot/${CHATBOT}`);
    house.clock.now += 30_000;
    expect(await status(names[199]!)).toBe(200);
  });

  it('passes on no flood of names from many addresses, and those that were there before are found', async () => {
    const options = { url: foreign.url, apiKey: foreign.key, timeouts: TIMEOUTS };
    const behind = await startChatServer({ upstream: options, rooms: { trustProxyHops: 1 } });
    const status = async (uuid: string, i: number) => {
      const headers = { 'X-Forwarded-For': `198.51.100.${i % 256}` };
      return (await fetch(`${behind.base}/chat/${uuid}`, { headers })).status;
    };
    expect(await status(CHATBOT, 0)).toBe(200);
    const there = foreign.chatbot;
    foreign.chatbot = undefined;
    const before = count(/^GET/);
    const names = Array.from({ length: 200 }, (_, i) => i.toString(16).padStart(32, 'f'));
    const told = await Promise.all(names.map(status));
    expect(told.filter((one) => one === 503)).toHaveLength(100);
    expect(count(/^GET/) - before).toBe(100);
    foreign.chatbot = there;
    // As after a restart, when nothing but the store knows of it.
    await behind.stop({ keep: true });
    const again = await startChatServer({ dir: behind.dir, upstream: options, rooms: { trustProxyHops: 1 } });
    await Promise.all(
      names
        .slice(0, 120)
        .map((uuid, i) => fetch(`${again.base}/chat/${uuid}`, { headers: { 'X-Forwarded-For': `203.0.113.${i}` } })),
    );
    expect((await fetch(`${again.base}/chat/${CHATBOT}`)).status).toBe(200);
    await again.stop();
  });

  it('finds a chatbot nobody has asked for yet while four visitors look for hundreds', async () => {
    const options = { url: foreign.url, apiKey: foreign.key, timeouts: TIMEOUTS };
    const behind = await startChatServer({ upstream: options, rooms: { trustProxyHops: 1 } });
    const status = async (uuid: string, address: string) =>
      (await fetch(`${behind.base}/chat/${uuid}`, { headers: { 'X-Forwarded-For': address } })).status;
    const there = foreign.chatbot;
    foreign.chatbot = undefined;
    const names = Array.from({ length: 200 }, (_, i) => i.toString(16).padStart(32, 'f'));
    const told = await Promise.all(names.map((uuid, i) => status(uuid, `198.51.100.${i % 4}`)));
    expect(told.filter((one) => one === 404)).toHaveLength(104);
    foreign.chatbot = there;
    expect(await status(CHATBOT, '203.0.113.1')).toBe(200);
    await behind.stop();
  });

  it('deletes the session there that an answer was still making when the visitor forgot it', async () => {
    let release = (): void => {};
    const asked = new Promise<void>((came) => {
      foreign.instead = (request, reply) => {
        if (!request.url?.endsWith('/session/create')) return false;
        release = () => {
          foreign.queries.set('made-late', []);
          reply.writeHead(200, { 'Content-Type': 'application/json' }).end('{"uuid":"made-late"}');
        };
        came();
        return true;
      };
    });
    const stream = await watchAsk(house, CHATBOT, { query: 'How long?' });
    const events = await stream.until((seen) => seen.some(({ event }) => event === 'message'));
    await asked;
    const url = `${house.base}/chat/${CHATBOT}/session/${uuidOf(events, 'session')}/delete`;
    const forgotten = post(url);
    await new Promise((done) => setTimeout(done, 20));
    release();
    expect((await forgotten).status).toBe(200);
    expect(foreign.queries.has('made-late')).toBe(false);
    foreign.instead = () => false;
  });

  it('asks once for a chatbot that many pages want at the same moment', async () => {
    const faces = Array.from({ length: 50 }, () => fetch(`${house.base}/chat/${CHATBOT}`));
    expect((await Promise.all(faces)).every(({ status }) => status === 200)).toBe(true);
    expect(count(/^GET/)).toBe(1);
  });

  it('keeps no settings of a widget for a chatbot that is the other server’s', async () => {
    expect((await ask(house, CHATBOT, { query: 'How long?' })).at(-1)?.event).toBe('done');
    const headers = { Authorization: `Bearer ${API_KEY}` };
    const reply = await post(`${house.base}/api/v1/chatbot/${CHATBOT}/widget`, { color: '#ff0000' }, headers);
    expect(reply.status).toBe(404);
    expect((await (await fetch(`${house.base}/chat/${CHATBOT}`)).json()).theme).toEqual({});
  });

  it('gives a public chatbot its page, with the widget’s own settings', async () => {
    const reply = await fetch(`${house.base}/c/${CHATBOT}`);
    expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('<title>Elsewhere</title>')]);
  });

  it('keeps one session of the other server for each of its own', async () => {
    const first = await ask(house, CHATBOT, { query: 'How long?' });
    const session = uuidOf(first, 'session');
    await Promise.all([
      ask(house, CHATBOT, { query: 'How long for Spain?', session }),
      ask(house, CHATBOT, { query: 'How long for France?', session }),
    ]);
    expect(count(/session\/create$/)).toBe(1);
    expect(foreign.queries.get('session-1')).toHaveLength(3);
  });

  it('makes that session with the first question, once, though two come together', async () => {
    const { uuid: session } = await (await post(`${house.base}/chat/${CHATBOT}/session`)).json();
    expect(count(/session\/create$/)).toBe(0);
    await Promise.all(['How long?', 'How long, now?'].map((query) => ask(house, CHATBOT, { query, session })));
    expect(count(/session\/create$/)).toBe(1);
  });

  it('makes another where the other server has forgotten it', async () => {
    const session = uuidOf(await ask(house, CHATBOT, { query: 'How long?' }), 'session');
    foreign.queries.clear();
    expect(textOf(await ask(house, CHATBOT, { query: 'How long?', session }))).toBe('You have 30 days.');
    expect([...foreign.queries.keys()]).toEqual(['session-2']);
  });

  it('finds its sessions again after a restart', async () => {
    const session = uuidOf(await ask(house, CHATBOT, { query: 'How long?' }), 'session');
    await house.stop({ keep: true });
    house = await startChatServer({ dir: house.dir, upstream: { url: foreign.url, apiKey: foreign.key } });
    await ask(house, CHATBOT, { query: 'How long for Spain?', session });
    expect(foreign.queries.get('session-1')).toEqual(['How long?', 'How long for Spain?']);
    expect(await messagesOf(house, CHATBOT, session)).toHaveLength(2);
  });

  it('deletes a session there and here', async () => {
    const session = uuidOf(await ask(house, CHATBOT, { query: 'How long?' }), 'session');
    expect((await post(`${house.base}/chat/${CHATBOT}/session/${session}/delete`)).status).toBe(200);
    expect(foreign.queries.size).toBe(0);
    expect((await fetch(`${house.base}/chat/${CHATBOT}/session/${session}/messages`)).status).toBe(404);
  });

  it('keeps the session where the other server cannot delete it, so that it can be tried again', async () => {
    const session = uuidOf(await ask(house, CHATBOT, { query: 'How long?' }), 'session');
    foreign.instead = (_, reply) => Boolean(reply.writeHead(500).end('no'));
    const refused = await post(`${house.base}/chat/${CHATBOT}/session/${session}/delete`);
    expect([refused.status, (await refused.json()).code]).toEqual([502, 'upstream_failed']);
    foreign.instead = () => false;
    expect((await post(`${house.base}/chat/${CHATBOT}/session/${session}/delete`)).status).toBe(200);
  });

  it('reads UTF-8 whatever is said of it, wherever it is cut', async () => {
    const text = 'Zwölf Tage — 漢字 \u{1f600}.';
    foreign.stream = async (reply) => {
      for (const byte of Buffer.from(text)) {
        reply.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      reply.end();
    };
    expect(textOf(await ask(house, CHATBOT, { query: 'How long?' }))).toBe(text);
  });

  it('limits visitors itself', async () => {
    foreign.chatbot = { ...foreign.chatbot, meta: { ...(foreign.chatbot!['meta'] as object), rate_limit: [1, 60] } };
    await ask(house, CHATBOT, { query: 'How long?' });
    const refused = await post(`${house.base}/chat/${CHATBOT}/ask`, { query: 'How long?' });
    expect([refused.status, (await refused.json()).error]).toEqual([429, 'Wait']);
    expect(count(/message\/stream$/)).toBe(1);
  });

  it('answers a repeat from its own store', async () => {
    const body = { query: 'How long?', id: 'a' };
    const first = await ask(house, CHATBOT, body);
    expect(await ask(house, CHATBOT, body)).toEqual([first[0], first[1], expect.anything(), first.at(-1)]);
    expect(count(/message\/stream$/)).toBe(1);
  });

  it('stops reading when the visitor says stop', async () => {
    const closed = new Promise((left) => {
      foreign.stream = (reply) => void reply.on('close', left).write('You have');
    });
    const stream = await watchAsk(house, CHATBOT, { query: 'How long?' });
    const events = await stream.until((seen) => textOf(seen) !== '');
    const url = `${house.base}/chat/${CHATBOT}/session/${uuidOf(events, 'session')}/message/${uuidOf(events, 'message')}`;
    expect((await post(`${url}/stop`)).status).toBe(200);
    expect((await stream.done).at(-1)).toMatchObject({ data: { response: 'You have', finish_reason: 'stopped' } });
    await closed;
  });

  it('takes the words from the record where the stream had none', async () => {
    foreign.stream = (reply) => void reply.end();
    foreign.record = { response: 'You have 30 days.' };
    expect(textOf(await ask(house, CHATBOT, { query: 'How long?' }))).toBe('You have 30 days.');
  });

  it('works where the other server stands under a path', async () => {
    const under = await startChatServer({ upstream: { url: `${foreign.url}/prefix/`, apiKey: foreign.key } });
    expect(textOf(await ask(under, CHATBOT, { query: 'How long?' }))).toBe('You have 30 days.');
    expect(foreign.requests.every((one) => one.includes('/prefix/api/v1/'))).toBe(true);
    await under.stop();
  });

  it('names the chatbot to the other server as the page writes it', async () => {
    const dashed = '01234567-89ab-cdef-0123-456789abcdef';
    await ask(house, dashed, { query: 'How long?' });
    expect(foreign.requests.slice(0, 2)).toEqual([
      `GET /api/v1/chatbot/${dashed}`,
      `POST /api/v1/chatbot/${dashed}/session/create`,
    ]);
  });
});

const done = async () => (await ask(house, CHATBOT, { query: 'How long?' })).at(-1);

describe('records of another server', () => {
  const two = { ...CITATION, more: 'canary' };

  it.each([
    ['nothing', '', '{}'],
    ['null', null, '{}'],
    ['no key at all', undefined, '{}'],
    ['a list', [CITATION], '{}'],
    ['a list in JSON', JSON.stringify([CITATION]), '{}'],
    ['an object that is not in JSON', { 1: CITATION }, '{}'],
    ['no JSON', '{"1":', '{}'],
    ['a number in a citation', JSON.stringify({ 1: { ...CITATION, title: 5 } }), '{}'],
    ['a citation without its type', JSON.stringify({ 1: { ...CITATION, type: undefined } }), '{}'],
    ['one good and one with more', JSON.stringify({ 1: CITATION, 2: two }), JSON.stringify({ 1: CITATION })],
  ])('may have %s for citations', async (_, cite_data_json, shown) => {
    foreign.record = { cite_data_json };
    expect(await done()).toMatchObject({ event: 'done', data: { cite_data_json: shown } });
  });

  it('show no citations where the chatbot shows none', async () => {
    foreign.chatbot = { ...foreign.chatbot, meta: { visibility: 'hybrid' } };
    foreign.record = { cite_data_json: JSON.stringify({ 1: CITATION }) };
    expect(await done()).toMatchObject({ event: 'done', data: { cite_data_json: '{}' } });
  });

  it.each([
    ['length', 'length'],
    ['quota', 'quota'],
    ['', 'stop'],
    ['weird', 'stop'],
    [undefined, 'stop'],
    [7, 'stop'],
  ])('may have the finish_reason %s', async (finish_reason, shown) => {
    foreign.record = { finish_reason };
    expect(await done()).toMatchObject({ event: 'done', data: { finish_reason: shown } });
  });

  it('that say error end the stream with an error, and keep what was written', async () => {
    foreign.record = { finish_reason: 'error' };
    const events = await ask(house, CHATBOT, { query: 'How long?' });
    expect(textOf(events)).toBe('You have 30 days.');
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'upstream_failed' } });
    expect((await (await fetch(`${house.base}/readyz`)).json()).status).toBe('degraded');
  });

  it('that cannot be listed leave the answer as it is', async () => {
    foreign.instead = (request, reply) =>
      request.url!.endsWith('/messages') && Boolean(reply.writeHead(500).end('out of order'));
    expect(await done()).toMatchObject({
      event: 'done',
      data: { response: 'You have 30 days.', cite_data_json: '{}' },
    });
  });

  it.each([
    [{ show_citations: true, show_citation: false }, true],
    [{ show_citation: true }, true],
    [{ show_citations: 1 }, true],
    [{ show_citations: 'yes' }, false],
    [{}, false],
  ])('may spell the citations switch %j', async (spelt, shown) => {
    foreign.chatbot = { ...foreign.chatbot, meta: { visibility: 'public', ...spelt } };
    expect((await (await fetch(`${house.base}/chat/${CHATBOT}`)).json()).show_citations).toBe(shown);
  });

  it.each([[undefined], ['private'], ['PUBLIC'], [true]])(
    'with the visibility %j are not shown',
    async (visibility) => {
      foreign.chatbot = { ...foreign.chatbot, meta: { visibility } };
      expect((await fetch(`${house.base}/chat/${CHATBOT}`)).status).toBe(404);
    },
  );

  it.each([[[0, 60]], [[1.5, 60]], ['20'], [[1]], [[1, 9999]], [undefined]])(
    'with the rate limit %j get the default one',
    async (rate_limit) => {
      foreign.chatbot = { ...foreign.chatbot, meta: { visibility: 'public', rate_limit } };
      for (let i = 0; i < 20; i += 1) await ask(house, CHATBOT, { query: 'How long?' });
      const refused = await post(`${house.base}/chat/${CHATBOT}/ask`, { query: 'How long?' });
      expect(await refused.json()).toEqual({ error: 'Too many messages', code: 'rate_limited', retry_after: 240 });
    },
  );
});

const last = async () => {
  const events = await ask(house, CHATBOT, { query: 'How long?' });
  const stored = await house.store.message(uuidOf(events, 'message'));
  expect(stored?.finish_reason).toBe('error');
  return { text: textOf(events), code: (events.at(-1)!.data as { code?: string }).code, events };
};

describe('another server that fails', () => {
  it.each([400, 401, 403, 404, 500, 503, 302])('with %i to a question is an error of the stream', async (status) => {
    foreign.instead = (request, reply) =>
      request.url!.endsWith('/message/stream') &&
      Boolean(reply.writeHead(status, { Location: 'http://127.0.0.1:1/' }).end('canary: a plain text error'));
    const { text, code, events } = await last();
    expect([text, code]).toEqual(['', 'upstream_failed']);
    expect(JSON.stringify(events)).not.toContain('canary');
  });

  it.each([
    [429, { 'Retry-After': '9' }, 9],
    [503, { 'Retry-After': '9' }, 9],
    [429, {}, 5],
  ])('with %i and %j for having too much to do says when to come again', async (status, headers, seconds) => {
    expect((await fetch(`${house.base}/chat/${CHATBOT}`)).status).toBe(200);
    foreign.instead = (_, reply) => Boolean(reply.writeHead(status, headers).end('canary: busy'));
    const { events } = await last();
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'unavailable', retry_after: seconds } });
    house.clock.now += 30_000;
    const face = await fetch(`${house.base}/chat/${CHATBOT}`);
    expect([face.status, face.headers.get('retry-after')]).toEqual([503, String(seconds)]);
    expect((await face.json()).code).toBe('unavailable');
  });

  it.each([
    ['500', 'status_500', (reply: ServerResponse) => reply.writeHead(500).end('no')],
    ['401', 'status_401', (reply: ServerResponse) => reply.writeHead(401).end('no')],
    ['429', 'busy', (reply: ServerResponse) => reply.writeHead(429).end('no')],
    ['silence', 'timeout', () => {}],
    ['a cut', 'unreachable', (reply: ServerResponse) => reply.destroy()],
  ])('with %s degrades /readyz until it answers', async (_, reason, failing) => {
    const ready = async () => (await fetch(`${house.base}/readyz`)).json();
    const fail = (_request: IncomingMessage, reply: ServerResponse): boolean => {
      failing(reply);
      return true;
    };
    const face = `${house.base}/chat/${CHATBOT}`;
    foreign.instead = fail;
    await fetch(face);
    const records = `fetching chatbots from the server behind the door fails (${reason}); visitors get errors`;
    expect(await ready()).toEqual({ status: 'degraded', reasons: [records] });
    foreign.instead = () => false;
    expect((await fetch(face)).status).toBe(200);
    expect(await ready()).toEqual({ status: 'ok' });
    foreign.instead = fail;
    await last();
    const answers = `asking the server behind the door fails (${reason}); visitors get errors`;
    foreign.instead = () => false;
    house.clock.now += 30_000;
    // A page that loads says nothing of the answers.
    expect((await fetch(face)).status).toBe(200);
    expect(await ready()).toEqual({ status: 'degraded', reasons: [answers] });
    await ask(house, CHATBOT, { query: 'How long?' });
    expect(await ready()).toEqual({ status: 'ok' });
  });

  it('by cutting the connection keeps what was written', async () => {
    foreign.stream = (reply) => {
      reply.write('You have');
      setTimeout(() => reply.destroy(), 20);
    };
    expect(await last()).toMatchObject({ text: 'You have', code: 'upstream_failed' });
  });

  it('by silence is a time-out, before the first text and after it', async () => {
    foreign.stream = (reply) => void reply.write('You have');
    expect(await last()).toMatchObject({ text: 'You have', code: 'upstream_timeout' });
    foreign.instead = (request) => request.url!.endsWith('/message/stream');
    expect(await last()).toMatchObject({ text: '', code: 'upstream_timeout' });
  }, 20_000);

  it.each([
    ['a status', (reply: { writeHead(n: number): { end(s: string): void } }) => reply.writeHead(500).end('no'), 502],
    ['words', (reply: { writeHead(n: number): { end(s: string): void } }) => reply.writeHead(200).end('hello'), 502],
    ['another key', (reply: { writeHead(n: number): { end(s: string): void } }) => reply.writeHead(401).end('no'), 502],
  ])('with %s for the chatbot’s record is 502, and is asked again', async (_, failing, status) => {
    foreign.instead = (_request, reply) => {
      failing(reply);
      return true;
    };
    const reply = await fetch(`${house.base}/chat/${CHATBOT}`);
    expect([reply.status, (await reply.json()).code]).toEqual([status, 'upstream_failed']);
    foreign.instead = () => false;
    expect((await fetch(`${house.base}/chat/${CHATBOT}`)).status).toBe(200);
  });

  it.each([['{}'], ['{"uuid":5}'], ['[]'], ['null'], ['hello']])('with %s for a session is an error', async (words) => {
    foreign.instead = (request, reply) =>
      request.url!.endsWith('/session/create') && Boolean(reply.writeHead(200).end(words));
    expect(await last()).toMatchObject({ text: '', code: 'upstream_failed' });
  });

  it('by not being there is 502', async () => {
    await foreign.close();
    const reply = await fetch(`${house.base}/chat/${CHATBOT}`);
    expect([reply.status, (await reply.json()).code]).toEqual([502, 'upstream_failed']);
    foreign = await startFakeRemote();
  });

  it('by never ending is cut at the longest answer', async () => {
    foreign.stream = (reply) => {
      const more = (): void => {
        while (!reply.destroyed && reply.write('a'.repeat(10_000)));
        if (!reply.destroyed) reply.once('drain', more);
      };
      more();
    };
    const events = await ask(house, CHATBOT, { query: 'How long?' });
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { finish_reason: 'length' } });
    expect(textOf(events)).toHaveLength(400_000);
  });
});

describe('a door before a second instance of ourselves', () => {
  it('brings its answers with their citations', async () => {
    const inner = await startChatServer();
    inner.respond = async (question, run) => {
      await answerWith('You have ', '30 days [1].')(question, run);
      return ended({ citations: { 1: CITATION } });
    };
    const { uuid } = await inner.chatbot();
    const outer = await startChatServer({ upstream: { url: inner.base, apiKey: API_KEY } });
    const events = await ask(outer, uuid, { query: 'How long?', variables: { plan: 'pro' } });
    expect(textOf(events)).toBe('You have 30 days [1].');
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: { finish_reason: 'stop', cite_data_json: JSON.stringify({ 1: CITATION }) },
    });
    const session = uuidOf(events, 'session');
    await ask(outer, uuid, { query: 'And Spain?', session });
    const [own] = await inner.store.sessions(uuid);
    expect((await inner.store.messages(own!.uuid)).map(({ query }) => query)).toEqual(['How long?', 'And Spain?']);
    expect(own!.uuid).not.toBe(session);
    await post(`${outer.base}/chat/${uuid}/session/${session}/delete`);
    expect(await inner.store.sessions(uuid)).toEqual([]);
    await outer.stop();
    await inner.stop();
  });

  it('tells of its failures no more than it says itself', async () => {
    const inner = await startChatServer();
    inner.respond = async () => {
      throw new Error('canary');
    };
    const { uuid } = await inner.chatbot();
    const outer = await startChatServer({ upstream: { url: inner.base, apiKey: API_KEY } });
    const events = await ask(outer, uuid, { query: 'How long?' });
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'upstream_failed' } });
    expect(JSON.stringify(events)).not.toContain('canary');
    await outer.stop();
    await inner.stop();
  });
});
