import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Part } from '../../server/types.ts';
import { startFakeRemote, type FakeRemote } from '../fakes/remote.ts';
import {
  answerWith,
  API_KEY,
  ask,
  answerResult,
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

let remote: FakeRemote;
let docent: ChatServer;

beforeEach(async () => {
  remote = await startFakeRemote();
  docent = await startChatServer({ upstream: { url: remote.url, apiKey: remote.key, timeouts: TIMEOUTS } });
});
afterEach(async () => {
  // The log has neither the key nor questions.
  expect(docent.logged.join('')).not.toMatch(/canary|How long/);
  await docent.stop();
  await remote.close();
});

const count = (what: RegExp): number => remote.requests.filter((one) => what.test(one)).length;
const CITATION = { data_source_uuid: 'd', title: 'Returns', text: '30 days', file_name: 'https://x/', type: 'link' };

describe('a chat API with a remote upstream', () => {
  it('passes on follow-up questions of the remote record, at most 3 that are sentences', async () => {
    const follow_ups = [1, ' ', 'x'.repeat(201), 'Who?', 'What?', 'Where?', 'When?'];
    remote.record = { meta_json: JSON.stringify({ follow_ups }) };
    const events = await ask(docent, CHATBOT, { query: 'How long?' });
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { follow_ups: ['Who?', 'What?', 'Where?'] } });
  });

  it('passes over typed parts of the remote record that are not as they must be', async () => {
    const cards = [{ title: 'Returns', url: 'https://shop.example/returns' }];
    const bad = [{ type: 'link_cards', cards: [{ title: 'x', url: 'javascript:alert(1)' }] }, { type: 'html' }, 7];
    remote.record = { meta_json: JSON.stringify({ parts: [...bad, { type: 'link_cards', cards, html: '<b>' }] }) };
    const events = await ask(docent, CHATBOT, { query: 'How long?' });
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { parts: [{ type: 'link_cards', cards }] } });
    expect(JSON.stringify(events)).not.toContain('<b>');
  });

  it('streams the remote answer under its own message and session ids', async () => {
    remote.stream = async (reply) => {
      for (const piece of ['You ', 'have ', '30 days.']) {
        reply.write(piece);
        await new Promise((done) => setTimeout(done, 5));
      }
      reply.end();
    };
    remote.record = { response: 'You have 30 days.', cite_data_json: JSON.stringify({ 1: CITATION }) };
    const events = await ask(docent, CHATBOT, { query: 'How long?' });
    expect(textOf(events)).toBe('You have 30 days.');
    const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    expect([session, message].every((uuid) => /^[0-9a-f]{32}$/.test(uuid))).toBe(true);
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { uuid: message, finish_reason: 'stop' } });
    expect(await messagesOf(docent, CHATBOT, session)).toMatchObject([
      { uuid: message, response: 'You have 30 days.', cite_data_json: JSON.stringify({ 1: CITATION }) },
    ]);
  });

  it('asks nobody to confirm a call, whatever the remote record says', async () => {
    const call = { function: 'cancel', name: 'Cancel', arguments: {} };
    const pending_call_json = JSON.stringify({ shown: call, until: docent.clock.now + 60_000 });
    remote.stream = (reply) => void reply.end('Not done.');
    remote.record = { response: 'Not done.', confirm: { ...call, expires_in: 60 }, pending_call_json };
    const events = await ask(docent, CHATBOT, { query: 'Cancel it' });
    expect(events.map(({ event }) => event)).not.toContain('confirm');
    const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    expect((await messagesOf(docent, CHATBOT, session))[0]).not.toHaveProperty('confirm');
    const path = `/chat/${CHATBOT}/session/${session}/message/${message}/confirm`;
    expect((await post(docent.base + path, { accept: true })).status).toBe(409);
    expect(count(/POST .*message/)).toBe(1);
  });

  it('shows the remote profile and caches it for 30 seconds', async () => {
    const face = async () => (await fetch(`${docent.base}/chat/${CHATBOT}`)).json();
    expect(await face()).toMatchObject({ uuid: CHATBOT, name: 'Elsewhere', show_citations: true });
    remote.chatbot = { ...remote.chatbot, name: 'Renamed' };
    expect((await face()).name).toBe('Elsewhere');
    expect(count(/^GET/)).toBe(1);
    docent.clock.now += 30_000;
    expect((await face()).name).toBe('Renamed');
  });

  it('caches for 5 seconds that there is no such chatbot', async () => {
    const chatbot = remote.chatbot;
    remote.chatbot = undefined;
    const status = async () => (await fetch(`${docent.base}/chat/${CHATBOT}`)).status;
    expect([await status(), await status()]).toEqual([404, 404]);
    expect(count(/^GET/)).toBe(1);
    remote.chatbot = chatbot;
    docent.clock.now += 5_000;
    expect(await status()).toBe(200);
  });

  it('limits requests for unknown chatbots from one address', async () => {
    const status = async (uuid: string) => (await fetch(`${docent.base}/chat/${uuid}`)).status;
    expect(await status(CHATBOT)).toBe(200);
    const there = remote.chatbot;
    remote.chatbot = undefined;
    const names = Array.from({ length: 200 }, (_, i) => i.toString(16).padStart(32, 'f'));
    const told = await Promise.all(names.map(status));
    expect([told.filter((one) => one === 404).length, told.filter((one) => one === 429).length]).toEqual([29, 171]);
    expect(count(/^GET/)).toBe(30);
    expect((await fetch(`${docent.base}/c/${names[199]}`)).status).toBe(429);
    // Known chatbots are not limited, in any spelling and however stale.
    remote.chatbot = there;
    docent.clock.now += 30_000;
    expect(await status(CHATBOT.replace(/^(.{8})/, '$1-'))).toBe(200);
    expect(remote.requests.at(-1)).toBe(`GET /api/v1/chatbot/${CHATBOT}`);
    docent.clock.now += 30_000;
    expect(await status(names[199]!)).toBe(200);
  });

  it('limits requests for unknown chatbots from many addresses, except for known ones', async () => {
    const options = { url: remote.url, apiKey: remote.key, timeouts: TIMEOUTS };
    const behind = await startChatServer({ upstream: options, routerOptions: { trustProxyHops: 1 } });
    const status = async (uuid: string, i: number) => {
      const headers = { 'X-Forwarded-For': `198.51.100.${i % 256}` };
      return (await fetch(`${behind.base}/chat/${uuid}`, { headers })).status;
    };
    expect(await status(CHATBOT, 0)).toBe(200);
    const there = remote.chatbot;
    remote.chatbot = undefined;
    const before = count(/^GET/);
    const names = Array.from({ length: 200 }, (_, i) => i.toString(16).padStart(32, 'f'));
    const told = await Promise.all(names.map(status));
    expect(told.filter((one) => one === 503)).toHaveLength(100);
    expect(count(/^GET/) - before).toBe(100);
    remote.chatbot = there;
    // After a restart only the store knows it.
    await behind.stop({ keep: true });
    const again = await startChatServer({ dir: behind.dir, upstream: options, routerOptions: { trustProxyHops: 1 } });
    await Promise.all(
      names
        .slice(0, 120)
        .map((uuid, i) => fetch(`${again.base}/chat/${uuid}`, { headers: { 'X-Forwarded-For': `203.0.113.${i}` } })),
    );
    expect((await fetch(`${again.base}/chat/${CHATBOT}`)).status).toBe(200);
    await again.stop();
  });

  it('finds a new chatbot for one visitor while four others ask for hundreds of unknown ones', async () => {
    const options = { url: remote.url, apiKey: remote.key, timeouts: TIMEOUTS };
    const behind = await startChatServer({ upstream: options, routerOptions: { trustProxyHops: 1 } });
    const status = async (uuid: string, address: string) =>
      (await fetch(`${behind.base}/chat/${uuid}`, { headers: { 'X-Forwarded-For': address } })).status;
    const there = remote.chatbot;
    remote.chatbot = undefined;
    const names = Array.from({ length: 200 }, (_, i) => i.toString(16).padStart(32, 'f'));
    const told = await Promise.all(names.map((uuid, i) => status(uuid, `198.51.100.${i % 4}`)));
    expect(told.filter((one) => one === 404)).toHaveLength(104);
    remote.chatbot = there;
    expect(await status(CHATBOT, '203.0.113.1')).toBe(200);
    await behind.stop();
  });

  it('deletes a remote session that was being created when the visitor deleted the conversation', async () => {
    let release = (): void => {};
    const asked = new Promise<void>((came) => {
      remote.instead = (request, reply) => {
        if (!request.url?.endsWith('/session/create')) return false;
        release = () => {
          remote.queries.set('made-late', []);
          reply.writeHead(200, { 'Content-Type': 'application/json' }).end('{"uuid":"made-late"}');
        };
        came();
        return true;
      };
    });
    const stream = await watchAsk(docent, CHATBOT, { query: 'How long?' });
    const events = await stream.until((seen) => seen.some(({ event }) => event === 'message'));
    await asked;
    const url = `${docent.base}/chat/${CHATBOT}/session/${uuidOf(events, 'session')}/delete`;
    const forgotten = post(url);
    await new Promise((done) => setTimeout(done, 20));
    release();
    expect((await forgotten).status).toBe(200);
    expect(remote.queries.has('made-late')).toBe(false);
    remote.instead = () => false;
  });

  it('sends one request for a chatbot that 50 pages load at the same moment', async () => {
    const faces = Array.from({ length: 50 }, () => fetch(`${docent.base}/chat/${CHATBOT}`));
    expect((await Promise.all(faces)).every(({ status }) => status === 200)).toBe(true);
    expect(count(/^GET/)).toBe(1);
  });

  it('has no widget settings for a remote chatbot', async () => {
    expect((await ask(docent, CHATBOT, { query: 'How long?' })).at(-1)?.event).toBe('done');
    const headers = { Authorization: `Bearer ${API_KEY}` };
    const reply = await post(`${docent.base}/api/v1/chatbot/${CHATBOT}/widget`, { color: '#ff0000' }, headers);
    expect(reply.status).toBe(404);
    expect((await (await fetch(`${docent.base}/chat/${CHATBOT}`)).json()).theme).toEqual({});
  });

  it('serves the share page of a public chatbot, with default settings', async () => {
    const reply = await fetch(`${docent.base}/c/${CHATBOT}`);
    expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('<title>Elsewhere</title>')]);
  });

  it('uses one remote session for each of its own', async () => {
    const first = await ask(docent, CHATBOT, { query: 'How long?' });
    const session = uuidOf(first, 'session');
    await Promise.all([
      ask(docent, CHATBOT, { query: 'How long for Spain?', session }),
      ask(docent, CHATBOT, { query: 'How long for France?', session }),
    ]);
    expect(count(/session\/create$/)).toBe(1);
    expect(remote.queries.get('session-1')).toHaveLength(3);
  });

  it('creates the remote session with the first question, once for two at the same moment', async () => {
    const { uuid: session } = await (await post(`${docent.base}/chat/${CHATBOT}/session`)).json();
    expect(count(/session\/create$/)).toBe(0);
    await Promise.all(['How long?', 'How long, now?'].map((query) => ask(docent, CHATBOT, { query, session })));
    expect(count(/session\/create$/)).toBe(1);
  });

  it('creates another session where the remote server has lost it', async () => {
    const session = uuidOf(await ask(docent, CHATBOT, { query: 'How long?' }), 'session');
    remote.queries.clear();
    expect(textOf(await ask(docent, CHATBOT, { query: 'How long?', session }))).toBe('You have 30 days.');
    expect([...remote.queries.keys()]).toEqual(['session-2']);
  });

  it('uses the same remote session after a restart', async () => {
    const session = uuidOf(await ask(docent, CHATBOT, { query: 'How long?' }), 'session');
    await docent.stop({ keep: true });
    docent = await startChatServer({ dir: docent.dir, upstream: { url: remote.url, apiKey: remote.key } });
    await ask(docent, CHATBOT, { query: 'How long for Spain?', session });
    expect(remote.queries.get('session-1')).toEqual(['How long?', 'How long for Spain?']);
    expect(await messagesOf(docent, CHATBOT, session)).toHaveLength(2);
  });

  it('deletes a session on both servers', async () => {
    const session = uuidOf(await ask(docent, CHATBOT, { query: 'How long?' }), 'session');
    expect((await post(`${docent.base}/chat/${CHATBOT}/session/${session}/delete`)).status).toBe(200);
    expect(remote.queries.size).toBe(0);
    expect((await fetch(`${docent.base}/chat/${CHATBOT}/session/${session}/messages`)).status).toBe(404);
  });

  it('keeps the session where the remote server fails to delete it', async () => {
    const session = uuidOf(await ask(docent, CHATBOT, { query: 'How long?' }), 'session');
    remote.instead = (_, reply) => Boolean(reply.writeHead(500).end('no'));
    const refused = await post(`${docent.base}/chat/${CHATBOT}/session/${session}/delete`);
    expect([refused.status, (await refused.json()).code]).toEqual([502, 'upstream_failed']);
    remote.instead = () => false;
    expect((await post(`${docent.base}/chat/${CHATBOT}/session/${session}/delete`)).status).toBe(200);
  });

  it('decodes UTF-8 across chunks, whatever charset is named', async () => {
    const text = 'Zwölf Tage — 漢字 \u{1f600}.';
    remote.stream = async (reply) => {
      for (const byte of Buffer.from(text)) {
        reply.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      reply.end();
    };
    expect(textOf(await ask(docent, CHATBOT, { query: 'How long?' }))).toBe(text);
  });

  it('applies the rate limit itself', async () => {
    remote.chatbot = { ...remote.chatbot, meta: { ...(remote.chatbot!['meta'] as object), rate_limit: [1, 60] } };
    await ask(docent, CHATBOT, { query: 'How long?' });
    const refused = await post(`${docent.base}/chat/${CHATBOT}/ask`, { query: 'How long?' });
    expect([refused.status, (await refused.json()).error]).toEqual([429, 'Wait']);
    expect(count(/message\/stream$/)).toBe(1);
  });

  it('answers a repeated id from its own store', async () => {
    const body = { query: 'How long?', id: 'a' };
    const first = await ask(docent, CHATBOT, body);
    expect(await ask(docent, CHATBOT, body)).toEqual([first[0], first[1], expect.anything(), first.at(-1)]);
    expect(count(/message\/stream$/)).toBe(1);
  });

  it('closes the remote stream when the visitor stops', async () => {
    const closed = new Promise((left) => {
      remote.stream = (reply) => void reply.on('close', left).write('You have');
    });
    const stream = await watchAsk(docent, CHATBOT, { query: 'How long?' });
    const events = await stream.until((seen) => textOf(seen) !== '');
    const url = `${docent.base}/chat/${CHATBOT}/session/${uuidOf(events, 'session')}/message/${uuidOf(events, 'message')}`;
    expect((await post(`${url}/stop`)).status).toBe(200);
    expect((await stream.done).at(-1)).toMatchObject({ data: { response: 'You have', finish_reason: 'stopped' } });
    await closed;
  });

  it('takes the text from the record where the stream was empty', async () => {
    remote.stream = (reply) => void reply.end();
    remote.record = { response: 'You have 30 days.' };
    expect(textOf(await ask(docent, CHATBOT, { query: 'How long?' }))).toBe('You have 30 days.');
  });

  it('works where the base URL has a path', async () => {
    const under = await startChatServer({ upstream: { url: `${remote.url}/prefix/`, apiKey: remote.key } });
    expect(textOf(await ask(under, CHATBOT, { query: 'How long?' }))).toBe('You have 30 days.');
    expect(remote.requests.every((one) => one.includes('/prefix/api/v1/'))).toBe(true);
    await under.stop();
  });

  it('sends the chatbot’s id as the page spells it', async () => {
    const dashed = '01234567-89ab-cdef-0123-456789abcdef';
    await ask(docent, dashed, { query: 'How long?' });
    expect(remote.requests.slice(0, 2)).toEqual([
      `GET /api/v1/chatbot/${dashed}`,
      `POST /api/v1/chatbot/${dashed}/session/create`,
    ]);
  });
});

const done = async () => (await ask(docent, CHATBOT, { query: 'How long?' })).at(-1);

describe('records of a remote server', () => {
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
    remote.record = { cite_data_json };
    expect(await done()).toMatchObject({ event: 'done', data: { cite_data_json: shown } });
  });

  it('show no citations where the chatbot shows none', async () => {
    remote.chatbot = { ...remote.chatbot, meta: { visibility: 'hybrid' } };
    remote.record = { cite_data_json: JSON.stringify({ 1: CITATION }) };
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
    remote.record = { finish_reason };
    expect(await done()).toMatchObject({ event: 'done', data: { finish_reason: shown } });
  });

  it('that say error end the stream with an error, and keep the text', async () => {
    remote.record = { finish_reason: 'error' };
    const events = await ask(docent, CHATBOT, { query: 'How long?' });
    expect(textOf(events)).toBe('You have 30 days.');
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'upstream_failed' } });
    expect((await (await fetch(`${docent.base}/readyz`)).json()).status).toBe('degraded');
  });

  it('that cannot be listed leave the answer without citations', async () => {
    remote.instead = (request, reply) =>
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
    remote.chatbot = { ...remote.chatbot, meta: { visibility: 'public', ...spelt } };
    expect((await (await fetch(`${docent.base}/chat/${CHATBOT}`)).json()).show_citations).toBe(shown);
  });

  it.each([[undefined], ['private'], ['PUBLIC'], [true]])(
    'with the visibility %j are not shown',
    async (visibility) => {
      remote.chatbot = { ...remote.chatbot, meta: { visibility } };
      expect((await fetch(`${docent.base}/chat/${CHATBOT}`)).status).toBe(404);
    },
  );

  it.each([[[0, 60]], [[1.5, 60]], ['20'], [[1]], [[1, 9999]], [undefined]])(
    'with the rate limit %j get the default one',
    async (rate_limit) => {
      remote.chatbot = { ...remote.chatbot, meta: { visibility: 'public', rate_limit } };
      for (let i = 0; i < 20; i += 1) await ask(docent, CHATBOT, { query: 'How long?' });
      const refused = await post(`${docent.base}/chat/${CHATBOT}/ask`, { query: 'How long?' });
      const { retry_after, ...told } = (await refused.json()) as { retry_after: number };
      expect(told).toEqual({ error: 'Too many messages', code: 'rate_limited' });
      // Less by the seconds that the questions took.
      expect(retry_after).toBeGreaterThan(180);
      expect(retry_after).toBeLessThanOrEqual(240);
    },
  );
});

const last = async () => {
  const events = await ask(docent, CHATBOT, { query: 'How long?' });
  const stored = await docent.store.message(uuidOf(events, 'message'));
  expect(stored?.finish_reason).toBe('error');
  return { text: textOf(events), code: (events.at(-1)!.data as { code?: string }).code, events };
};

describe('a remote server that fails', () => {
  it.each([400, 401, 403, 404, 500, 503, 302])('with %i to a question is an error of the stream', async (status) => {
    remote.instead = (request, reply) =>
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
  ])('with %i and %j becomes unavailable with the time to wait', async (status, headers, seconds) => {
    expect((await fetch(`${docent.base}/chat/${CHATBOT}`)).status).toBe(200);
    remote.instead = (_, reply) => Boolean(reply.writeHead(status, headers).end('canary: busy'));
    const { events } = await last();
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'unavailable', retry_after: seconds } });
    docent.clock.now += 30_000;
    const face = await fetch(`${docent.base}/chat/${CHATBOT}`);
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
    const ready = async () => (await fetch(`${docent.base}/readyz`)).json();
    const fail = (_request: IncomingMessage, reply: ServerResponse): boolean => {
      failing(reply);
      return true;
    };
    const face = `${docent.base}/chat/${CHATBOT}`;
    remote.instead = fail;
    await fetch(face);
    const records = `fetching chatbots from the upstream server fails (${reason}); visitors get errors`;
    expect(await ready()).toEqual({ status: 'degraded', reasons: [records] });
    remote.instead = () => false;
    expect((await fetch(face)).status).toBe(200);
    expect(await ready()).toEqual({ status: 'ok' });
    remote.instead = fail;
    await last();
    const answers = `asking the upstream server fails (${reason}); visitors get errors`;
    remote.instead = () => false;
    docent.clock.now += 30_000;
    // A chatbot that loads does not end the outage of answers.
    expect((await fetch(face)).status).toBe(200);
    expect(await ready()).toEqual({ status: 'degraded', reasons: [answers] });
    await ask(docent, CHATBOT, { query: 'How long?' });
    expect(await ready()).toEqual({ status: 'ok' });
  });

  it('by a closed connection keeps the text so far', async () => {
    remote.stream = (reply) => {
      reply.write('You have');
      setTimeout(() => reply.destroy(), 20);
    };
    expect(await last()).toMatchObject({ text: 'You have', code: 'upstream_failed' });
  });

  it('by silence is a time-out, before the first text and after it', async () => {
    remote.stream = (reply) => void reply.write('You have');
    expect(await last()).toMatchObject({ text: 'You have', code: 'upstream_timeout' });
    remote.instead = (request) => request.url!.endsWith('/message/stream');
    expect(await last()).toMatchObject({ text: '', code: 'upstream_timeout' });
  }, 20_000);

  it.each([
    ['a status', (reply: { writeHead(n: number): { end(s: string): void } }) => reply.writeHead(500).end('no'), 502],
    ['words', (reply: { writeHead(n: number): { end(s: string): void } }) => reply.writeHead(200).end('hello'), 502],
    ['another key', (reply: { writeHead(n: number): { end(s: string): void } }) => reply.writeHead(401).end('no'), 502],
  ])('with %s for the chatbot’s record is 502, and is asked again', async (_, failing, status) => {
    remote.instead = (_request, reply) => {
      failing(reply);
      return true;
    };
    const reply = await fetch(`${docent.base}/chat/${CHATBOT}`);
    expect([reply.status, (await reply.json()).code]).toEqual([status, 'upstream_failed']);
    remote.instead = () => false;
    expect((await fetch(`${docent.base}/chat/${CHATBOT}`)).status).toBe(200);
  });

  it.each([['{}'], ['{"uuid":5}'], ['[]'], ['null'], ['hello']])('with %s for a session is an error', async (words) => {
    remote.instead = (request, reply) =>
      request.url!.endsWith('/session/create') && Boolean(reply.writeHead(200).end(words));
    expect(await last()).toMatchObject({ text: '', code: 'upstream_failed' });
  });

  it('to accept connections is 502', async () => {
    await remote.close();
    const reply = await fetch(`${docent.base}/chat/${CHATBOT}`);
    expect([reply.status, (await reply.json()).code]).toEqual([502, 'upstream_failed']);
    remote = await startFakeRemote();
  });

  it('to end its answer is cut at the maximum length', async () => {
    remote.stream = (reply) => {
      const more = (): void => {
        while (!reply.destroyed && reply.write('a'.repeat(10_000)));
        if (!reply.destroyed) reply.once('drain', more);
      };
      more();
    };
    const events = await ask(docent, CHATBOT, { query: 'How long?' });
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { finish_reason: 'length' } });
    expect(textOf(events)).toHaveLength(400_000);
  });
});

describe('a chat API with another Docent as upstream', () => {
  it('streams its answers with their citations', async () => {
    const inner = await startChatServer();
    inner.respond = async (question, run) => {
      await answerWith('You have ', '30 days [1].')(question, run);
      return answerResult({ citations: { 1: CITATION } });
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

  it('passes on the typed parts of its answers, and the variables of later questions', async () => {
    const inner = await startChatServer();
    const sent: unknown[] = [];
    const parts: Part[] = [{ type: 'quick_replies', replies: [{ label: 'Track my parcel' }] }];
    inner.respond = async (question, run) => {
      sent.push(question.variables);
      await answerWith('It is on its way.')(question, run);
      return answerResult({ parts });
    };
    const { uuid } = await inner.chatbot();
    const outer = await startChatServer({ upstream: { url: inner.base, apiKey: API_KEY } });
    const events = await ask(outer, uuid, { query: 'Where is my parcel?', variables: { plan: 'pro' } });
    expect(events.filter(({ event }) => event === 'part').map(({ data }) => data)).toEqual(parts);
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { parts } });
    const session = uuidOf(events, 'session');
    expect(await messagesOf(outer, uuid, session)).toMatchObject([{ parts }]);
    await ask(outer, uuid, { query: 'Here is my mail', session, variables: { mail: 'ada@example.org' } });
    expect(sent).toEqual([undefined, { mail: 'ada@example.org' }]);
    await outer.stop();
    await inner.stop();
  });

  it('shows no more of its failures than it does itself', async () => {
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
