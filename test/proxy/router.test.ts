import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NO_META } from '../../server/answer/runs.ts';
import { Refusal } from '../../server/schema/errors.ts';
import { onFiles } from '../engine/engine.ts';
import {
  answerWith,
  API_KEY,
  ask,
  answerResult,
  messagesOf,
  startChatServer,
  parseEvents,
  post,
  uuidOf,
  type ChatServer,
} from './fixture.ts';

let docent: ChatServer;
let chatbot: string;
let chatUrl: string;

beforeAll(async () => {
  docent = await startChatServer();
});
afterAll(() => docent.stop());
beforeEach(async () => {
  docent.respond = answerWith('You have 30 days.');
  chatbot = (await docent.chatbot()).uuid;
  chatUrl = `${docent.base}/chat/${chatbot}`;
});

const newSession = async (): Promise<string> => (await (await post(`${chatUrl}/session`)).json()).uuid;

describe('the profile of a chatbot', () => {
  it('has exactly the public fields', async () => {
    const reply = await fetch(chatUrl);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(await reply.json()).toEqual({
      uuid: chatbot,
      name: 'Shop',
      show_citations: true,
      site: '',
      by_ai: false,
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
      triggers: [],
      open: false,
      sound: false,
      disclaimer: '',
      privacy_url: '',
      contact: '',
      consent: '',
      image_hosts: [],
      language: '',
    });
  });

  it('can be overridden by an option of the router', async () => {
    const other = await startChatServer({
      routerOptions: { profile: () => ({ greeting: 'Hello', suggestions: ['Why?'] }) },
    });
    const { uuid } = await other.chatbot();
    const face = await (await fetch(`${other.base}/chat/${uuid}`)).json();
    expect(face).toMatchObject({ greeting: 'Hello', suggestions: ['Why?'], name: 'Shop' });
    await other.stop();
  });

  it('is found by an identifier with dashes too', async () => {
    const dashed = chatbot.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    expect((await (await fetch(`${docent.base}/chat/${dashed}`)).json()).uuid).toBe(chatbot);
  });
});

describe('visibility', () => {
  it('shows hybrid and public chatbots, and a private one as if there were none', async () => {
    const hybrid = await docent.chatbot({ visibility: 'hybrid' });
    const hidden = await docent.chatbot({ visibility: 'private' });
    expect((await fetch(`${docent.base}/chat/${hybrid.uuid}`)).status).toBe(200);
    for (const [path, body] of [
      ['', undefined],
      ['/ask', '{"query":"a"}'],
      ['/session', '{}'],
      ['/ask', '{ not json'],
    ] as const) {
      const replies = await Promise.all(
        [hidden.uuid, '0'.repeat(32), 'no-uuid'].map((uuid) =>
          path === '' ? fetch(`${docent.base}/chat/${uuid}`) : post(`${docent.base}/chat/${uuid}${path}`, body),
        ),
      );
      expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(new Set(await Promise.all(replies.map((reply) => reply.text()))).size).toBe(1);
    }
  });

  it('holds for the sessions of a chatbot that became private', async () => {
    const session = uuidOf(await ask(docent, chatbot, { query: 'How long?' }), 'session');
    await docent.store.updateChatbot(chatbot, (one) => ({ ...one, meta: { ...one.meta, visibility: 'private' } }));
    expect((await fetch(`${chatUrl}/session/${session}/messages`)).status).toBe(404);
  });
});

describe('a session', () => {
  it('has exactly its three keys and starts empty', async () => {
    const session = await (
      await post(`${chatUrl}/session`, { variables: { plan: 'pro', seats: 3, trial: false } })
    ).json();
    expect(Object.keys(session)).toEqual(['uuid', 'created_at', 'modified_at']);
    expect(await messagesOf(docent, chatbot, session.uuid)).toEqual([]);
    expect((await docent.store.session(session.uuid))?.initial_variables).toEqual({
      plan: 'pro',
      seats: 3,
      trial: false,
    });
  });

  // On PostgreSQL they are counted by its own clock, which no test sets.
  it.runIf(onFiles)('is refused with 429 after 100 new ones in a minute', async () => {
    const made = await Promise.all(Array.from({ length: 101 }, () => post(`${chatUrl}/session`)));
    expect(made.filter(({ status }) => status === 200)).toHaveLength(100);
    const refused = made.find(({ status }) => status === 429)!;
    expect(refused.headers.get('ratelimit-policy')).toBe('"default";q=100;w=60');
    expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=60');
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', retry_after: 60 });
    docent.clock.now += 60_000;
    expect((await post(`${chatUrl}/session`)).status).toBe(200);
  });

  it('created by a first question keeps that question’s variables', async () => {
    const events = await ask(docent, chatbot, { query: 'How long?', variables: { plan: 'pro' } });
    expect((await docent.store.session(uuidOf(events, 'session')))?.initial_variables).toEqual({ plan: 'pro' });
  });

  it('that was deleted is 404 on every route', async () => {
    const events = await ask(docent, chatbot, { query: 'How long?' });
    const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    expect(await (await post(`${chatUrl}/session/${session}/delete`)).json()).toEqual({ success: true });
    const replies = await Promise.all([
      fetch(`${chatUrl}/session/${session}/messages`),
      fetch(`${chatUrl}/session/${session}/message/${message}/stream`),
      post(`${chatUrl}/session/${session}/message/${message}/stop`),
      post(`${chatUrl}/session/${session}/message/${message}/feedback`, { rating: 1 }),
      post(`${chatUrl}/session/${session}/delete`),
      post(`${chatUrl}/ask`, { query: 'And?', session }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  });

  it('of another chatbot is 404 on every route', async () => {
    const events = await ask(docent, chatbot, { query: 'How long?' });
    const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    const other = `${docent.base}/chat/${(await docent.chatbot()).uuid}`;
    const replies = await Promise.all([
      fetch(`${other}/session/${session}/messages`),
      fetch(`${other}/session/${session}/message/${message}/stream`),
      post(`${other}/session/${session}/message/${message}/stop`),
      post(`${other}/session/${session}/message/${message}/feedback`, { rating: 1 }),
      post(`${other}/session/${session}/delete`),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(await messagesOf(docent, chatbot, session)).toHaveLength(1);
  });

  it('does not open the messages of another session', async () => {
    const one = await ask(docent, chatbot, { query: 'One?' });
    const two = await ask(docent, chatbot, { query: 'Two?' });
    const crossed = `${chatUrl}/session/${uuidOf(one, 'session')}/message/${uuidOf(two, 'message')}`;
    expect((await fetch(`${crossed}/stream`)).status).toBe(404);
    expect((await post(`${crossed}/feedback`, { rating: 1 })).status).toBe(404);
  });

  it('is masked in the log', async () => {
    const session = uuidOf(await ask(docent, chatbot, { query: 'a question nobody may read' }), 'session');
    await messagesOf(docent, chatbot, session);
    const log = docent.logged.join('');
    expect(log).toContain('/messages');
    expect(log).not.toContain(session);
    expect(log).not.toContain('nobody may read');
  });
});

describe('feedback', () => {
  it('answers with its unknown fields in a header', async () => {
    const events = await ask(docent, chatbot, { query: 'How long?' });
    const url = `${chatUrl}/session/${uuidOf(events, 'session')}/message/${uuidOf(events, 'message')}/feedback`;
    const reply = await post(url, { rating: 1, coment: 'Thanks' });
    expect([reply.status, reply.headers.get('x-unknown-fields')]).toEqual([200, 'coment']);
  });

  it('is limited to 100 a minute', async () => {
    const events = await ask(docent, chatbot, { query: 'How long?' });
    const url = `${chatUrl}/session/${uuidOf(events, 'session')}/message/${uuidOf(events, 'message')}/feedback`;
    const given = await Promise.all(Array.from({ length: 110 }, () => post(url, { rating: 1 })));
    const refused = given.filter(({ status }) => status !== 200);
    expect(refused.map(({ status }) => status)).toEqual(Array(10).fill(429));
    expect(await refused[0]!.json()).toEqual({
      error: 'too much feedback at once',
      code: 'rate_limited',
      retry_after: Number(refused[0]!.headers.get('retry-after')),
    });
  });

  it('is stored with the message and shown in it', async () => {
    const events = await ask(docent, chatbot, { query: 'How long?' });
    const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    const reply = await post(`${chatUrl}/session/${session}/message/${message}/feedback`, {
      rating: -1,
      comment: 'Wrong.',
    });
    expect(await reply.json()).toEqual({ success: true });
    const [seen] = await messagesOf(docent, chatbot, session);
    expect(JSON.parse(seen.feedback_json)).toEqual({ rating: -1, comment: 'Wrong.' });
    expect(seen.response).toBe('You have 30 days.');
    expect(seen.modified_at > seen.created_at).toBe(true);
  });

  it.each([{}, { rating: 0 }, { rating: '1' }, { rating: 2 }, { rating: 1, comment: 5 }])(
    'refuses %j',
    async (body) => {
      const events = await ask(docent, chatbot, { query: 'How long?' });
      const url = `${chatUrl}/session/${uuidOf(events, 'session')}/message/${uuidOf(events, 'message')}/feedback`;
      const reply = await post(url, body);
      expect([reply.status, (await reply.json()).code]).toEqual([422, 'invalid_field']);
    },
  );
});

describe('what a visitor sees of a message', () => {
  const KEYS = 'uuid query response finish_reason cite_data_json feedback_json created_at modified_at'.split(' ');

  it('is exactly eight keys, whatever else the record says', async () => {
    docent.respond = async (_, run) => {
      run.append('You have 30 days [1].');
      const citation = { data_source_uuid: 'd', title: 't', text: 'x', file_name: 'f', type: 'link' };
      const meta = {
        actual_token_distribution: { total_tokens: 1 },
        functions_called: [{ name: 'canary-function', content: 'canary-content' }],
        active_agent: { uuid: 'canary-uuid', name: 'canary-agent' },
        credits: 987_654,
      };
      return answerResult({ citations: { 1: citation }, meta });
    };
    const events = await ask(docent, chatbot, { query: 'How long?' });
    const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    const stored = (await docent.store.message(message))!;
    await docent.store.saveMessage({
      ...stored,
      error_message: 'canary-error',
      detected_frustrations: 'canary-frustration',
      labels: [{ name: 'canary-label', color: '#000000' }],
    });
    const list = await (await fetch(`${chatUrl}/session/${session}/messages`)).text();
    const replayed = await (await fetch(`${chatUrl}/session/${session}/message/${message}/stream`)).text();
    for (const text of [JSON.stringify(events), list, replayed]) expect(text).not.toMatch(/canary|987654/);
    expect(Object.keys(JSON.parse(list)[0])).toEqual(KEYS);
    expect(Object.keys(events.at(-1)!.data)).toEqual(KEYS);
    expect(JSON.parse(JSON.parse(list)[0].cite_data_json)['1'].title).toBe('t');
  });

  it('names a failed answer in the log by request, chatbot and masked session, and its outcome', async () => {
    docent.logged.length = 0;
    docent.respond = async () => {
      throw new Refusal('model_failed', 'the model could not answer');
    };
    const reply = await post(`${chatUrl}/ask`, { query: 'canary-question' });
    const session = uuidOf(parseEvents(await reply.text()), 'session');
    await expect.poll(() => docent.logged.some((line) => line.includes('"outcome"'))).toBe(true);
    const lines = docent.logged.map((line) => JSON.parse(line));
    const req = reply.headers.get('x-request-id');
    const masked = `${session.slice(0, 8)}…`;
    expect(lines.find(({ msg }) => msg.startsWith('answer failed'))).toMatchObject({ req, chatbot, session: masked });
    expect(lines.find(({ msg }) => msg === 'request')).toMatchObject({ req, status: 200, outcome: 'model_failed' });
    expect(docent.logged.join('')).not.toMatch(new RegExp(`canary|${session}`));
  });

  it.each([
    ['answered', 'stop', 'answered'],
    ['unsure', 'stop', 'unsure'],
    ['unknown', 'length', 'unknown'],
    ['answered', 'stopped', 'stopped'],
    [undefined, 'stop', 'stop'],
  ] as const)('says in the log of an answer that is %s and ended with %s: %s', async (outcome, finish_reason, said) => {
    docent.logged.length = 0;
    docent.respond = async (_, run) => {
      run.append('You have 30 days.');
      return answerResult({ finish_reason, meta: { ...NO_META, ...(outcome && { outcome }) } });
    };
    await ask(docent, chatbot, { query: 'How long?' });
    const lines = () => docent.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    await expect.poll(lines).toMatchObject([{ outcome: said }]);
  });

  it('puts the cause of a failed answer into the log once, for a key holder too', async () => {
    docent.respond = async () => {
      throw new Refusal('model_failed', 'no answer', { cause: new Error('the model server answered 500') });
    };
    const session = uuidOf(await ask(docent, chatbot, { query: 'How long?' }), 'session');
    docent.logged.length = 0;
    for (const way of ['stream', 'non-stream']) {
      const headers = { Authorization: `Bearer ${API_KEY}` };
      const path = `${docent.base}/api/v1/session/${session}/message/${way}`;
      expect((await post(path, { query: 'How long?' }, headers)).status).toBe(502);
    }
    expect(docent.logged.filter((line) => line.includes('the model server answered 500'))).toHaveLength(2);
    expect(docent.logged.filter((line) => JSON.parse(line).level === 40)).toEqual([]);
  });

  it('does not show why an answer failed', async () => {
    docent.respond = async () => {
      throw new Error('canary-secret at model.internal');
    };
    const events = await ask(docent, chatbot, { query: 'How long?' });
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'internal' } });
    expect(JSON.stringify(events)).not.toContain('canary');
    const list = await messagesOf(docent, chatbot, uuidOf(events, 'session'));
    expect(list[0].finish_reason).toBe('error');
    expect(JSON.stringify(list)).not.toContain('canary');
  });
});

describe('pages of another origin', () => {
  it('may read every reply, errors too, with no credentials', async () => {
    const headers = { Origin: 'null' };
    const replies = await Promise.all([
      fetch(chatUrl, { headers }),
      fetch(`${docent.base}/chat/${'0'.repeat(32)}`, { headers }),
      fetch(`${chatUrl}/nothing`, { headers }),
      post(`${chatUrl}/ask`, '{', headers),
      post(`${chatUrl}/ask`, { query: 'How long?', sesion: 1 }, headers),
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

  it('get a preflight reply that they may cache', async () => {
    const reply = await fetch(`${chatUrl}/ask`, {
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

describe('invalid requests', () => {
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
    const reply = await fetch(chatUrl + path, { method });
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
    const reply = await post(`${chatUrl}/ask`, body);
    const said = await reply.json();
    expect([reply.status, said.field]).toEqual([status, field]);
    expect(said.code).toBe(status === 400 ? 'bad_json' : 'invalid_field');
    expect(await docent.store.sessions(chatbot)).toHaveLength(0);
  });

  it('8,000 characters of two UTF-16 units each are within the limit of 8,000 characters', async () => {
    const query = '\u{1f600}'.repeat(8000);
    expect((await ask(docent, chatbot, { query })).at(-1)).toMatchObject({ event: 'done', data: { query } });
  });

  it('unknown keys of a body are ignored, `__proto__` among them', async () => {
    const reply = await post(`${chatUrl}/ask`, '{"query":"a","more":1}');
    expect(reply.status).toBe(200);
    await reply.text();
    expect((await post(`${chatUrl}/session`, '{"variables":{"__proto__":{"a":1}}}')).status).not.toBe(500);
  });

  it('a body of another type is 415, one over 1 MB is 413', async () => {
    const typed = await post(`${chatUrl}/ask`, 'query=a', { 'Content-Type': 'application/x-www-form-urlencoded' });
    expect([typed.status, (await typed.json()).code]).toEqual([415, 'unsupported_media_type']);
    const large = await post(`${chatUrl}/ask`, { query: 'a', more: 'b'.repeat(1_100_000) });
    expect([large.status, (await large.json()).code]).toEqual([413, 'too_large']);
  });

  it('a JSON type with an empty body, and neither type nor body, count as no fields', async () => {
    expect((await post(`${chatUrl}/session`, '')).status).toBe(200);
    expect((await post(`${chatUrl}/session`)).status).toBe(200);
    expect((await post(`${chatUrl}/session`, undefined, { 'Content-Type': 'text/plain' })).status).toBe(200);
  });

  it('a path that is not a valid URL gets a reply', async () => {
    const status = await new Promise((resolve, reject) => {
      const sent = request({ port: docent.port, host: '127.0.0.1', path: '/chat/%ff%/../x?%' }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      });
      sent.on('error', reject).end();
    });
    expect(status).toBe(404);
  });
});

it('the id of a session cannot be derived from the id of its message', async () => {
  const session = await newSession();
  const message = uuidOf(await ask(docent, chatbot, { query: 'How long?', session }), 'message');
  expect(message.slice(0, 8)).toBe(session.slice(0, 8));
  expect(message).not.toContain(session.slice(8));
});
