import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NO_META } from '../../server/answer/runs.ts';
import { Refusal } from '../../server/schema/errors.ts';
import {
  answerWith,
  API_KEY,
  ask,
  ended,
  messagesOf,
  startChatServer,
  parseEvents,
  post,
  uuidOf,
  type ChatServer,
} from './fixture.ts';

let house: ChatServer;
let chatbot: string;
let door: string;

beforeAll(async () => {
  house = await startChatServer();
});
afterAll(() => house.stop());
beforeEach(async () => {
  house.respond = answerWith('You have 30 days.');
  chatbot = (await house.chatbot()).uuid;
  door = `${house.base}/chat/${chatbot}`;
});

const newSession = async (): Promise<string> => (await (await post(`${door}/session`)).json()).uuid;

describe('what the widget shows first', () => {
  it('is exactly the public face of the chatbot', async () => {
    const reply = await fetch(door);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(await reply.json()).toEqual({
      uuid: chatbot,
      name: 'Shop',
      show_citations: true,
      greeting: '',
      suggestions: [],
      theme: {},
      words: {},
      scheme: 'auto',
      density: 'comfortable',
      position: 'end',
      icon: 'chat',
      label: '',
      title: '',
      avatar: '',
      teaser: '',
      teaser_after: 5,
      open: false,
      disclaimer: '',
      privacy_url: '',
      consent: '',
      image_hosts: [],
      language: '',
    });
  });

  it('may be supplemented by whoever builds the door', async () => {
    const other = await startChatServer({ rooms: { profile: () => ({ greeting: 'Hello', suggestions: ['Why?'] }) } });
    const { uuid } = await other.chatbot();
    const face = await (await fetch(`${other.base}/chat/${uuid}`)).json();
    expect(face).toMatchObject({ greeting: 'Hello', suggestions: ['Why?'], name: 'Shop' });
    await other.stop();
  });

  it('is found by an identifier with dashes too', async () => {
    const dashed = chatbot.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    expect((await (await fetch(`${house.base}/chat/${dashed}`)).json()).uuid).toBe(chatbot);
  });
});

describe('visibility', () => {
  it('shows hybrid and public chatbots, and a private one as if there were none', async () => {
    const hybrid = await house.chatbot({ visibility: 'hybrid' });
    const hidden = await house.chatbot({ visibility: 'private' });
    expect((await fetch(`${house.base}/chat/${hybrid.uuid}`)).status).toBe(200);
    for (const [path, body] of [
      ['', undefined],
      ['/ask', '{"query":"a"}'],
      ['/session', '{}'],
      ['/ask', '{ not json'],
    ] as const) {
      const replies = await Promise.all(
        [hidden.uuid, '0'.repeat(32), 'no-uuid'].map((uuid) =>
          path === '' ? fetch(`${house.base}/chat/${uuid}`) : post(`${house.base}/chat/${uuid}${path}`, body),
        ),
      );
      expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(new Set(await Promise.all(replies.map((reply) => reply.text()))).size).toBe(1);
    }
  });

  it('holds for the sessions of a chatbot that became private', async () => {
    const session = uuidOf(await ask(house, chatbot, { query: 'How long?' }), 'session');
    await house.store.updateChatbot(chatbot, (one) => ({ ...one, meta: { ...one.meta, visibility: 'private' } }));
    expect((await fetch(`${door}/session/${session}/messages`)).status).toBe(404);
  });
});

describe('a session', () => {
  it('has exactly its three keys and starts empty', async () => {
    const session = await (
      await post(`${door}/session`, { variables: { plan: 'pro', seats: 3, trial: false } })
    ).json();
    expect(Object.keys(session)).toEqual(['uuid', 'created_at', 'modified_at']);
    expect(await messagesOf(house, chatbot, session.uuid)).toEqual([]);
    expect((await house.store.session(session.uuid))?.initial_variables).toEqual({
      plan: 'pro',
      seats: 3,
      trial: false,
    });
  });

  it('is not made without end: a hundred a minute are any visitor’s due', async () => {
    const made = await Promise.all(Array.from({ length: 101 }, () => post(`${door}/session`)));
    expect(made.filter(({ status }) => status === 200)).toHaveLength(100);
    const refused = made.find(({ status }) => status === 429)!;
    expect(refused.headers.get('ratelimit-policy')).toBe('"default";q=100;w=60');
    expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=60');
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', retry_after: 60 });
    house.clock.now += 60_000;
    expect((await post(`${door}/session`)).status).toBe(200);
  });

  it('made by a first question keeps that question’s variables', async () => {
    const events = await ask(house, chatbot, { query: 'How long?', variables: { plan: 'pro' } });
    expect((await house.store.session(uuidOf(events, 'session')))?.initial_variables).toEqual({ plan: 'pro' });
  });

  it('that was deleted is unknown on every route', async () => {
    const events = await ask(house, chatbot, { query: 'How long?' });
    const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    expect(await (await post(`${door}/session/${session}/delete`)).json()).toEqual({ success: true });
    const replies = await Promise.all([
      fetch(`${door}/session/${session}/messages`),
      fetch(`${door}/session/${session}/message/${message}/stream`),
      post(`${door}/session/${session}/message/${message}/stop`),
      post(`${door}/session/${session}/message/${message}/feedback`, { rating: 1 }),
      post(`${door}/session/${session}/delete`),
      post(`${door}/ask`, { query: 'And?', session }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  });

  it('of another chatbot is unknown on every route', async () => {
    const events = await ask(house, chatbot, { query: 'How long?' });
    const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    const other = `${house.base}/chat/${(await house.chatbot()).uuid}`;
    const replies = await Promise.all([
      fetch(`${other}/session/${session}/messages`),
      fetch(`${other}/session/${session}/message/${message}/stream`),
      post(`${other}/session/${session}/message/${message}/stop`),
      post(`${other}/session/${session}/message/${message}/feedback`, { rating: 1 }),
      post(`${other}/session/${session}/delete`),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(await messagesOf(house, chatbot, session)).toHaveLength(1);
  });

  it('does not open the messages of another session', async () => {
    const one = await ask(house, chatbot, { query: 'One?' });
    const two = await ask(house, chatbot, { query: 'Two?' });
    const crossed = `${door}/session/${uuidOf(one, 'session')}/message/${uuidOf(two, 'message')}`;
    expect((await fetch(`${crossed}/stream`)).status).toBe(404);
    expect((await post(`${crossed}/feedback`, { rating: 1 })).status).toBe(404);
  });

  it('never stands whole in the log', async () => {
    const session = uuidOf(await ask(house, chatbot, { query: 'a question nobody may read' }), 'session');
    await messagesOf(house, chatbot, session);
    const log = house.logged.join('');
    expect(log).toContain('/messages');
    expect(log).not.toContain(session);
    expect(log).not.toContain('nobody may read');
  });
});

describe('feedback', () => {
  it('has its unknown fields named in a header', async () => {
    const events = await ask(house, chatbot, { query: 'How long?' });
    const url = `${door}/session/${uuidOf(events, 'session')}/message/${uuidOf(events, 'message')}/feedback`;
    const reply = await post(url, { rating: 1, coment: 'Thanks' });
    expect([reply.status, reply.headers.get('x-unknown-fields')]).toEqual([200, 'coment']);
  });

  it('without end does not fill the disk', async () => {
    const events = await ask(house, chatbot, { query: 'How long?' });
    const url = `${door}/session/${uuidOf(events, 'session')}/message/${uuidOf(events, 'message')}/feedback`;
    const given = await Promise.all(Array.from({ length: 110 }, () => post(url, { rating: 1 })));
    const refused = given.filter(({ status }) => status !== 200);
    expect(refused.map(({ status }) => status)).toEqual(Array(10).fill(429));
    expect(await refused[0]!.json()).toEqual({
      error: 'too much feedback at once',
      code: 'rate_limited',
      retry_after: Number(refused[0]!.headers.get('retry-after')),
    });
  });

  it('is kept with the message and seen in it', async () => {
    const events = await ask(house, chatbot, { query: 'How long?' });
    const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    const reply = await post(`${door}/session/${session}/message/${message}/feedback`, {
      rating: -1,
      comment: 'Wrong.',
    });
    expect(await reply.json()).toEqual({ success: true });
    const [seen] = await messagesOf(house, chatbot, session);
    expect(JSON.parse(seen.feedback_json)).toEqual({ rating: -1, comment: 'Wrong.' });
    expect(seen.response).toBe('You have 30 days.');
    expect(seen.modified_at > seen.created_at).toBe(true);
  });

  it.each([{}, { rating: 0 }, { rating: '1' }, { rating: 2 }, { rating: 1, comment: 5 }])(
    'refuses %j',
    async (body) => {
      const events = await ask(house, chatbot, { query: 'How long?' });
      const url = `${door}/session/${uuidOf(events, 'session')}/message/${uuidOf(events, 'message')}/feedback`;
      const reply = await post(url, body);
      expect([reply.status, (await reply.json()).code]).toEqual([422, 'invalid_field']);
    },
  );
});

describe('what a visitor sees of a message', () => {
  const KEYS = 'uuid query response finish_reason cite_data_json feedback_json created_at modified_at'.split(' ');

  it('is exactly eight keys, whatever else the record says', async () => {
    house.respond = async (_, run) => {
      run.append('You have 30 days [1].');
      const citation = { data_source_uuid: 'd', title: 't', text: 'x', file_name: 'f', type: 'link' };
      const meta = {
        actual_token_distribution: { total_tokens: 1 },
        functions_called: [{ name: 'canary-function', content: 'canary-content' }],
        active_agent: { uuid: 'canary-uuid', name: 'canary-agent' },
        credits: 987_654,
      };
      return ended({ citations: { 1: citation }, meta });
    };
    const events = await ask(house, chatbot, { query: 'How long?' });
    const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    const stored = (await house.store.message(message))!;
    await house.store.saveMessage({
      ...stored,
      error_message: 'canary-error',
      detected_frustrations: 'canary-frustration',
      labels: [{ name: 'canary-label', color: '#000000' }],
    });
    const list = await (await fetch(`${door}/session/${session}/messages`)).text();
    const replayed = await (await fetch(`${door}/session/${session}/message/${message}/stream`)).text();
    for (const text of [JSON.stringify(events), list, replayed]) expect(text).not.toMatch(/canary|987654/);
    expect(Object.keys(JSON.parse(list)[0])).toEqual(KEYS);
    expect(Object.keys(events.at(-1)!.data)).toEqual(KEYS);
    expect(JSON.parse(JSON.parse(list)[0].cite_data_json)['1'].title).toBe('t');
  });

  it('names a failed answer in the log by request, chatbot and masked session, and its outcome', async () => {
    house.logged.length = 0;
    house.respond = async () => {
      throw new Refusal('model_failed', 'the model could not answer');
    };
    const reply = await post(`${door}/ask`, { query: 'canary-question' });
    const session = uuidOf(parseEvents(await reply.text()), 'session');
    await expect.poll(() => house.logged.some((line) => line.includes('"outcome"'))).toBe(true);
    const lines = house.logged.map((line) => JSON.parse(line));
    const req = reply.headers.get('x-request-id');
    const masked = `${session.slice(0, 8)}…`;
    expect(lines.find(({ msg }) => msg.startsWith('answer failed'))).toMatchObject({ req, chatbot, session: masked });
    expect(lines.find(({ msg }) => msg === 'request')).toMatchObject({ req, status: 200, outcome: 'model_failed' });
    expect(house.logged.join('')).not.toMatch(new RegExp(`canary|${session}`));
  });

  it.each([
    ['answered', 'stop', 'answered'],
    ['unsure', 'stop', 'unsure'],
    ['unknown', 'length', 'unknown'],
    ['answered', 'stopped', 'stopped'],
    [undefined, 'stop', 'stop'],
  ] as const)('says in the log of an answer that is %s and ended with %s: %s', async (outcome, finish_reason, said) => {
    house.logged.length = 0;
    house.respond = async (_, run) => {
      run.append('You have 30 days.');
      return ended({ finish_reason, meta: { ...NO_META, ...(outcome && { outcome }) } });
    };
    await ask(house, chatbot, { query: 'How long?' });
    const lines = () => house.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    await expect.poll(lines).toMatchObject([{ outcome: said }]);
  });

  it('puts the cause of a failed answer into the log once, for a key holder too', async () => {
    house.respond = async () => {
      throw new Refusal('model_failed', 'no answer', { cause: new Error('the model server answered 500') });
    };
    const session = uuidOf(await ask(house, chatbot, { query: 'How long?' }), 'session');
    house.logged.length = 0;
    for (const way of ['stream', 'non-stream']) {
      const headers = { Authorization: `Bearer ${API_KEY}` };
      const path = `${house.base}/api/v1/session/${session}/message/${way}`;
      expect((await post(path, { query: 'How long?' }, headers)).status).toBe(502);
    }
    expect(house.logged.filter((line) => line.includes('the model server answered 500'))).toHaveLength(2);
    expect(house.logged.filter((line) => JSON.parse(line).level === 40)).toEqual([]);
  });

  it('tells nothing of how an answer failed', async () => {
    house.respond = async () => {
      throw new Error('canary-secret at model.internal');
    };
    const events = await ask(house, chatbot, { query: 'How long?' });
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'internal' } });
    expect(JSON.stringify(events)).not.toContain('canary');
    const list = await messagesOf(house, chatbot, uuidOf(events, 'session'));
    expect(list[0].finish_reason).toBe('error');
    expect(JSON.stringify(list)).not.toContain('canary');
  });
});

describe('pages of another origin', () => {
  it('may read every reply, errors too, with no credentials', async () => {
    const headers = { Origin: 'null' };
    const replies = await Promise.all([
      fetch(door, { headers }),
      fetch(`${house.base}/chat/${'0'.repeat(32)}`, { headers }),
      fetch(`${door}/nothing`, { headers }),
      post(`${door}/ask`, '{', headers),
      post(`${door}/ask`, { query: 'How long?', sesion: 1 }, headers),
    ]);
    expect(replies.at(-1)!.headers.get('x-unknown-fields')).toBe('sesion');
    expect(replies.at(-1)!.headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/);
    for (const reply of replies) {
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
      expect(reply.headers.get('access-control-expose-headers')).toBe(
        'Retry-After,X-Request-Id,RateLimit,RateLimit-Policy,X-Unknown-Fields',
      );
      expect(reply.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      expect(reply.headers.get('x-request-id')).toBeTruthy();
    }
  });

  it('get their preflight answered, and may keep the answer', async () => {
    const reply = await fetch(`${door}/ask`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://shop.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,last-event-id',
      },
    });
    expect(reply.status).toBe(204);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('access-control-allow-methods')).toContain('POST');
    expect(reply.headers.get('access-control-allow-headers')).toBe('Content-Type,Last-Event-ID');
    expect(Number(reply.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });
});

describe('requests that are not understood', () => {
  it.each([
    ['GET', '/ask', 405, 'POST'],
    ['POST', '', 405, 'HEAD, GET'],
    ['DELETE', '/session', 405, 'POST'],
    ['PUT', '/session/x/messages', 405, 'HEAD, GET'],
    ['GET', '/session/x/message/y/stop', 405, 'POST'],
    ['GET', '/nothing', 404, null],
    ['POST', '/session/x', 404, null],
    ['GET', '/session/x/messages', 404, null],
    ['POST', '/session/x/message/y/stop', 404, null],
  ])('%s %s is %i', async (method, path, status, allow) => {
    const reply = await fetch(door + path, { method });
    expect(reply.status).toBe(status);
    expect(reply.headers.get('allow')).toBe(allow);
    expect(await reply.json()).toMatchObject({
      error: expect.any(String),
      code: status === 404 ? 'not_found' : 'method_not_allowed',
    });
  });

  it.each([
    ['no body', undefined, 422, 'query'],
    ['an empty query', { query: '' }, 422, 'query'],
    ['white space alone', { query: ' \u00a0\n' }, 422, 'query'],
    ['a query that is no text', { query: 5 }, 422, 'query'],
    ['a query of 8,001 characters', { query: 'a'.repeat(8001) }, 422, 'query'],
    ['a NUL', { query: 'a\0b' }, 422, 'query'],
    ['half a surrogate pair', '{"query":"a\\ud83d"}', 422, 'query'],
    ['an id with other characters', { query: 'a', id: 'a b' }, 422, 'id'],
    ['an empty id', { query: 'a', id: '' }, 422, 'id'],
    ['an id of 65 characters', { query: 'a', id: 'a'.repeat(65) }, 422, 'id'],
    ['an id with a line end', { query: 'a', id: 'a\n' }, 422, 'id'],
    ['a session that is no identifier', { query: 'a', session: 'x' }, 422, 'session'],
    ['variables that are a list', { query: 'a', variables: [] }, 422, 'variables'],
    ['variables that are not flat', { query: 'a', variables: { a: {} } }, 422, 'variables'],
    ['a list', [], 422, undefined],
    ['what is not JSON', '{"query":', 400, undefined],
    ['a bare string', '"a"', 422, undefined],
  ])('asking with %s is refused', async (_, body, status, field) => {
    const reply = await post(`${door}/ask`, body);
    const said = await reply.json();
    expect([reply.status, said.field]).toEqual([status, field]);
    expect(said.code).toBe(status === 400 ? 'bad_json' : 'invalid_field');
    expect(await house.store.sessions(chatbot)).toHaveLength(0);
  });

  it('8,000 characters of two UTF-16 units each are no more than 8,000 characters', async () => {
    const query = '\u{1f600}'.repeat(8000);
    expect((await ask(house, chatbot, { query })).at(-1)).toMatchObject({ event: 'done', data: { query } });
  });

  it('unknown keys of a body are ignored, `__proto__` among them', async () => {
    const reply = await post(`${door}/ask`, '{"query":"a","more":1}');
    expect(reply.status).toBe(200);
    await reply.text();
    expect((await post(`${door}/session`, '{"variables":{"__proto__":{"a":1}}}')).status).not.toBe(500);
  });

  it('a body of another type is 415, one over 1 MB is 413', async () => {
    const typed = await post(`${door}/ask`, 'query=a', { 'Content-Type': 'application/x-www-form-urlencoded' });
    expect([typed.status, (await typed.json()).code]).toEqual([415, 'unsupported_media_type']);
    const large = await post(`${door}/ask`, { query: 'a', more: 'b'.repeat(1_100_000) });
    expect([large.status, (await large.json()).code]).toEqual([413, 'too_large']);
  });

  it('a JSON type with an empty body, and neither type nor body, count as no fields', async () => {
    expect((await post(`${door}/session`, '')).status).toBe(200);
    expect((await post(`${door}/session`)).status).toBe(200);
    expect((await post(`${door}/session`, undefined, { 'Content-Type': 'text/plain' })).status).toBe(200);
  });

  it('a path that is no URL is answered all the same', async () => {
    const status = await new Promise((resolve, reject) => {
      const sent = request({ port: house.port, host: '127.0.0.1', path: '/chat/%ff%/../x?%' }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      });
      sent.on('error', reject).end();
    });
    expect(status).toBe(404);
  });
});

it('a session of one door cannot be guessed from its message', async () => {
  const session = await newSession();
  const message = uuidOf(await ask(house, chatbot, { query: 'How long?', session }), 'message');
  expect(message.slice(0, 8)).toBe(session.slice(0, 8));
  expect(message).not.toContain(session.slice(8));
});
