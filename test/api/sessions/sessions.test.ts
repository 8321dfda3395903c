import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { onFiles } from '../../engine/engine.ts';
import { API_KEY, start, type Running } from '../../running.ts';

let docent: Running;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T12:00:00.700Z') });
  docent = await start();
});
afterAll(async () => {
  vi.useRealTimers();
  await docent.stop();
});

const NOWHERE = '0'.repeat(32);

const newChatbot = async (): Promise<string> =>
  (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;

const newSession = async (chatbot: string, body?: unknown) =>
  (await docent.api('POST', `/chatbot/${chatbot}/session/create`, body)).body;

const list = (chatbot: string, query = '') => docent.api('GET', `/chatbot/${chatbot}/sessions${query}`);

describe('a session', () => {
  it('has three keys everywhere, and `meta` besides when it is fetched', async () => {
    const chatbot = await newChatbot();
    const made = await newSession(chatbot);
    expect(made).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
      created_at: '2026-03-01T12:00:00Z',
      modified_at: '2026-03-01T12:00:00Z',
    });
    expect((await list(chatbot)).body).toEqual([made]);
    expect((await docent.api('GET', `/session/${made.uuid}`)).body).toEqual({ ...made, meta: {} });
  });

  it('shows the initial variables it was created with, in lists too, and only then', async () => {
    const chatbot = await newChatbot();
    const initial_variables = { name: 'Ada Lovelace 😀', visits: 3, rate: -0.5, member: false, 'two\nlines': '' };
    const bare = await newSession(chatbot, {});
    const named = await newSession(chatbot, { initial_variables, colour: 'red' });
    const empty = await newSession(chatbot, { initial_variables: {} });
    expect(Object.keys(bare)).toEqual(['uuid', 'created_at', 'modified_at']);
    expect(named.initial_variables).toEqual(initial_variables);
    expect(empty.initial_variables).toEqual({});
    expect((await list(chatbot)).body).toEqual([bare, named, empty]);
    expect((await docent.api('GET', `/session/${named.uuid}`)).body).toEqual({ ...named, meta: {} });
    expect((await docent.api('GET', `/session/${bare.uuid}`)).body).toEqual({ ...bare, meta: {} });
  });

  it.each([
    ['a list', '[]'],
    ['a string', '"name"'],
    ['null within', '{"a":null}'],
    ['an object within', '{"a":{}}'],
    ['a list within', '{"a":["b"]}'],
    ['an object under a key of two lines', '{"a\\nb":{}}'],
    ['a number beyond all numbers', '{"a":1e999}'],
    ['a NUL', '{"a":"\\u0000"}'],
    ['half a character', '{"a":"\\ud83d"}'],
    ['half a character in a key', '{"\\ud83d":1}'],
    ['an empty key', '{"":1}'],
    ['a key too long', `{"${'k'.repeat(101)}":1}`],
    ['a value too long', `{"a":"${'v'.repeat(1001)}"}`],
    ['too many', JSON.stringify(Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i])))],
    ['__proto__', '{"__proto__":"x"}'],
    ['__proto__ with an object', '{"__proto__":{"admin":true}}'],
    ['constructor', '{"constructor":"x"}'],
    ['prototype', '{"prototype":"x"}'],
    ['nesting without end', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('is not created with variables that hold %s', async (_what, variables) => {
    const chatbot = await newChatbot();
    const body = `{"initial_variables":${variables}}`;
    const reply = await docent.api('POST', `/chatbot/${chatbot}/session/create`, body);
    expect([reply.status, reply.body.code, reply.body.field]).toEqual([422, 'invalid_field', 'initial_variables']);
    expect((await list(chatbot)).body).toEqual([]);
  });

  it('counts the characters of its variables, not their halves', async () => {
    const initial_variables = { ['😀'.repeat(100)]: '😀'.repeat(1000) };
    expect((await newSession(await newChatbot(), { initial_variables })).initial_variables).toEqual(initial_variables);
  });

  it('is gone with its messages and its file once deleted, and a second time not there', async () => {
    const chatbot = await newChatbot();
    const [one, other] = [await newSession(chatbot), await newSession(chatbot)];
    await docent.api('POST', `/session/${one.uuid}/message/stream`, { query: 'Is it open?' });
    const [message] = (await docent.api('GET', `/session/${one.uuid}/messages`)).body;
    expect((await docent.api('POST', `/session/${one.uuid}/delete`)).body).toEqual({ success: true });
    expect((await docent.api('POST', `/session/${one.uuid}/delete`)).status).toBe(404);
    for (const path of [`/session/${one.uuid}`, `/session/${one.uuid}/messages`, `/message/${message.uuid}`]) {
      expect((await docent.api('GET', path)).status).toBe(404);
    }
    expect((await list(chatbot)).body).toEqual([other]);
    if (!onFiles) return;
    const files = await readdir(docent.dataDir, { recursive: true });
    expect(files.filter((file) => file.includes(one.uuid))).toEqual([]);
    expect(files.filter((file) => file.includes(other.uuid))).not.toEqual([]);
  });

  it.each([
    ['POST', `/chatbot/${NOWHERE}/session/create`],
    ['GET', `/chatbot/${NOWHERE}/sessions`],
    ['GET', `/session/${NOWHERE}`],
    ['GET', '/session/short'],
    ['POST', `/session/${NOWHERE}/delete`],
  ])('that nobody made is not there: %s %s', async (method, path) => {
    expect(await docent.api(method, path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('the sessions of a chatbot', () => {
  const times = ['2026-03-10T09:59:59Z', '2026-03-10T10:00:00Z', '2026-03-10T10:00:01Z', '2026-03-11T00:00:00Z'];
  let chatbot: string;
  beforeAll(async () => {
    chatbot = await newChatbot();
    for (const time of times) {
      vi.setSystemTime(Date.parse(time) + 700);
      await newSession(chatbot);
    }
  });

  const shown = async (query: string): Promise<string[]> =>
    (await list(chatbot, query)).body.map((session: { created_at: string }) => session.created_at);

  it.each([
    ['nothing', '', [0, 1, 2, 3]],
    ['a start, which is included', '?start_timestamp=2026-03-10T10:00:00Z', [1, 2, 3]],
    ['an end, which is included', '?end_timestamp=2026-03-10T10:00:00Z', [0, 1]],
    ['both, the same second', '?start_timestamp=2026-03-10T10:00:00Z&end_timestamp=2026-03-10T10:00:00Z', [1]],
    ['a fraction within the second shown', '?start_timestamp=2026-03-10T10:00:00.999Z', [1, 2, 3]],
    ['a fraction at the end', '?end_timestamp=2026-03-10T10:00:00.001Z', [0, 1]],
    ['no zone, which is UTC', '?start_timestamp=2026-03-10T10:00:00', [1, 2, 3]],
    ['a zone', '?start_timestamp=2026-03-10T12:00:01%2B02:00', [2, 3]],
    ['a zone whose plus was not escaped', '?start_timestamp=2026-03-10T12:00:01+02:00', [2, 3]],
    ['a zone to the west', '?start_timestamp=2026-03-10T05:00:01-0500', [2, 3]],
    ['a space for the T', '?end_timestamp=2026-03-10%2010:00:00%2B00:00', [0, 1]],
    ['no seconds', '?start_timestamp=2026-03-10T10:00Z', [1, 2, 3]],
    ['a day, from its first second', '?start_timestamp=2026-03-11', [3]],
    ['a day, to its last second', '?end_timestamp=2026-03-10', [0, 1, 2]],
    ['seconds since 1970', `?start_timestamp=${Date.parse(times[1]!) / 1000}`, [1, 2, 3]],
    ['seconds since 1970 with a fraction', `?end_timestamp=${Date.parse(times[1]!) / 1000}.9`, [0, 1]],
    ['an end before the start', '?start_timestamp=2026-03-11&end_timestamp=2026-03-10', []],
    ['an unknown parameter', '?page=2', [0, 1, 2, 3]],
  ])('are asked for by %s', async (_what, query, expected) => {
    expect(await shown(query)).toEqual(expected.map((at) => times[at]));
  });

  it.each([
    'yesterday',
    '',
    'NaN',
    '2026-02-30T00:00:00Z',
    '2026-13-01',
    '2026-03-10T24:00:00Z',
    '2026-03-10T10:60:00Z',
    '2026-03-10T10:00:00%2B25:00',
    '2026-03-10T10:00:00 nonsense',
    '1741600000000',
    '1e9',
    '%00',
    '9'.repeat(500),
    '2026-03-10&start_timestamp=2026-03-11',
  ])('are not looked for since %j', async (written) => {
    const reply = await list(chatbot, `?start_timestamp=${written}`);
    expect([reply.status, reply.body.field]).toEqual([422, 'start_timestamp']);
    expect(reply.body.error).toContain('start_timestamp');
    const end = await list(chatbot, `?end_timestamp=${written.replace('start', 'end')}`);
    expect([end.status, end.body.field]).toEqual([422, 'end_timestamp']);
  });

  it('come in the order in which they were made, though many share a second', async () => {
    const many = await newChatbot();
    const made: string[] = [];
    for (let i = 0; i < 30; i++) made.push((await newSession(many)).uuid);
    expect((await list(many)).body.map((session: { uuid: string }) => session.uuid)).toEqual(made);
  });

  it('answer HEAD with the length of the list and no body', async () => {
    const url = `${docent.base}/api/v1/chatbot/${chatbot}/sessions`;
    const [get, head] = (await Promise.all(
      ['GET', 'HEAD'].map((method) => fetch(url, { method, headers: { Authorization: `Bearer ${API_KEY}` } })),
    )) as [Response, Response];
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of ['content-length', 'content-type']) expect(head.headers.get(name)).toBe(get.headers.get(name));
    expect(get.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });
});

/** A request as some client writes it, byte for byte. */
function raw(method: string, path: string, headers: Record<string, string>, body?: string) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const all = { Authorization: `Bearer ${API_KEY}`, ...headers, ...(body ? { 'Content-Length': body.length } : {}) };
    const sent = request(`${docent.base}/api/v1${path}`, { method, headers: all }, (reply) => {
      const parts: Buffer[] = [];
      reply.on('data', (part: Buffer) => parts.push(part));
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: Buffer.concat(parts).toString() }));
    });
    sent.on('error', reject).end(body);
  });
}

describe('existing clients may', () => {
  it.each([
    ['a JSON type and no body', { 'Content-Type': 'application/json' }, undefined],
    ['a JSON type and a length of nothing', { 'Content-Type': 'application/json', 'Content-Length': '0' }, undefined],
    ['a JSON type and chunks of nothing', { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }, ''],
    ['neither type nor body', {}, undefined],
    ['no type and a JSON body', {}, '{"initial_variables":{"a":1}}'],
    ['the type of a form and no body', { 'Content-Type': 'application/x-www-form-urlencoded' }, undefined],
    ['a type with a charset', { 'Content-Type': 'application/json; charset=UTF-8' }, '{}'],
    ['unknown keys', { 'Content-Type': 'application/json' }, '{"colour":"red","__proto__":{"a":1},"constructor":1}'],
  ])('create a session with %s', async (_what, headers, body) => {
    const reply = await raw('POST', `/chatbot/${await newChatbot()}/session/create`, headers, body);
    expect(reply.status).toBe(200);
    const keys = Object.keys(JSON.parse(reply.body));
    expect(keys.slice(0, 3)).toEqual(['uuid', 'created_at', 'modified_at']);
    expect(keys.length).toBe(body?.includes('initial_variables') ? 4 : 3);
  });

  it('list and fetch with a body of {}, and write identifiers with dashes and capitals', async () => {
    const chatbot = await newChatbot();
    const { uuid } = await newSession(chatbot);
    const json = { 'Content-Type': 'application/json' };
    const dashed = uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    expect(JSON.parse((await raw('GET', `/chatbot/${chatbot}/sessions`, json, '{}')).body)).toHaveLength(1);
    expect(JSON.parse((await raw('GET', `/session/${dashed}`, json, '{}')).body).uuid).toBe(uuid);
    expect((await raw('POST', `/session/${dashed}/delete`, json)).body).toBe('{"success":true}');
  });
});
