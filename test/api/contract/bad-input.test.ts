import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../../server/api/router.ts';
import type { Operation, ApiDeps } from '../../../server/api/requests/operation.ts';
import { API_KEY } from '../../running.ts';
import { rows } from './rows.ts';
import {
  FUNCTION,
  newAgent,
  newChatbot,
  newFunction,
  startApiFixture,
  stateOf,
  type ApiFixture,
} from '../api-fixture.ts';

/** What nobody means well by: a clear error, nothing changed, never a 500. */

let w: ApiFixture;
let chatbot: string;
beforeAll(async () => void (w = await startApiFixture()));
beforeEach(async () => void (chatbot = await newChatbot(w)));
afterAll(() => w.stop());

const DEEP = 100_000;
const nested = (open: string, close: string): string => open.repeat(DEEP) + close.repeat(DEEP);
const withBody = operations({} as ApiDeps).filter((one) => one.body);

async function refusedBy(one: Operation, bodies: [string, number][]): Promise<void> {
  const uuid = (await rows[`${one.method} ${one.path}`]?.on?.(w, chatbot)) ?? chatbot;
  const before = await stateOf(w, chatbot);
  for (const [body, status] of bodies) {
    const reply = await w.call(one.method, one.path.replace(':chatbot', chatbot).replace(':uuid', uuid), body);
    expect([reply.status, typeof reply.body.error], body.slice(0, 80)).toEqual([status, 'string']);
  }
  expect(await stateOf(w, chatbot)).toEqual(before);
}

it('a list with something else in it is told what its items must be', async () => {
  const uuid = 'a'.repeat(32);
  const deleted = await w.call('POST', '/api/v1/messages/delete', { uuids: [uuid, uuid, 5] });
  expect([deleted.status, deleted.body]).toEqual([
    422,
    { error: 'uuids must be a list of at most 1000, each a string', code: 'invalid_field', field: 'uuids' },
  ]);
  const tag = { name: 'Policies', color: '#1D4ED8', data_source_uuids: [null] };
  const made = await w.call('POST', `/api/v1/chatbot/${chatbot}/source-tag/create`, tag);
  expect(made.body.error).toMatch(/^data_source_uuids must be a list of at most 10000, each a string$/);
});

describe.each(withBody)('$method $path', (one) => {
  it('is told of broken JSON', async () => {
    const broken = [
      '{',
      '{"name":',
      '{"name":"x",}',
      "{'name':'x'}",
      '{"name":"x"} y',
      'undefined',
      'NaN',
      '\u0000',
      '{"a":"\n"}',
      '[}',
    ];
    await refusedBy(
      one,
      broken.map((body) => [body, 400]),
    );
  });

  it('is told of JSON that is no object', async () => {
    const others = ['null', 'true', '0', '"name"', '[]', '[{"name":"x"}]', '1e999', nested('[', ']')];
    await refusedBy(
      one,
      others.map((body) => [body, 422]),
    );
  });

  it('is told of a field nested without end, of every name it knows', async () => {
    // Settings that an agent's type does not have are as unknown as any other key, and so are other keys of `meta`.
    const settings = ['default_message', 'tags', 'parts', 'human_escalation_settings', 'meta'];
    const foreign = /\/agent\//.test(one.path) ? settings : [];
    const names = Object.keys(one.body?.properties ?? {}).filter((name) => !foreign.includes(name));
    const deep = [nested('[', ']'), `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`];
    const base = rows[`${one.method} ${one.path}`]?.send?.(chatbot, w) as object;
    const bodies = names.flatMap((name) =>
      deep.map((value) => JSON.stringify({ ...base, [name]: '@' }).replace('"@"', value)),
    );
    await refusedBy(
      one,
      bodies.map((body) => [body, 422]),
    );
  });

  it('ignores keys that it does not know, whatever is in them', async () => {
    const { on, send, withoutModel = 200 } = rows[`${one.method} ${one.path}`] ?? {};
    const strange = `"__proto__":{"admin":true,"name":7},"constructor":{"prototype":{"admin":true}},"prototype":1,"hasOwnProperty":0,"toString":null,"":{},"x":${nested('[', ']')}`;
    const uuid = (await on?.(w, chatbot)) ?? chatbot;
    const known = JSON.stringify(send?.(uuid, w));
    const body = `{${strange}${known === '{}' ? '' : ','}${known.slice(1)}`;
    const reply = await w.call(one.method, one.path.replace(':chatbot', chatbot).replace(':uuid', uuid), body);
    expect(reply.status, JSON.stringify(reply.body)).toBe(withoutModel);
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });
});

it('settings nested without end are refused where they belong', async () => {
  const person = await newAgent(w, chatbot, 'human-escalation');
  for (const [field, body] of [
    ['meta', `{"meta":${nested('[', ']')}}`],
    ['human_escalation_settings', `{"human_escalation_settings":${nested('[', ']')}}`],
    ['human_escalation_settings', `{"human_escalation_settings":{"monitored_messages":${nested('[', ']')}}}`],
  ]) {
    const reply = await w.call('POST', `/api/v1/agent/${person}/update`, body);
    expect([reply.status, reply.body.field]).toEqual([422, field]);
  }
  const agent = await newAgent(w, chatbot, 'background');
  for (const tags of [nested('[', ']'), `{"name":"n","color":"#000000","criteria":${nested('[', ']')}}`]) {
    for (const body of [`{"tags":${tags}}`, `{"meta":{"tags":${tags}}}`]) {
      const reply = await w.call('POST', `/api/v1/agent/${agent}/update`, body);
      expect([reply.status, reply.body.field]).toEqual([422, body.includes('meta') ? 'meta.tags' : 'tags']);
    }
  }
});

describe('keys of prototypes', () => {
  const hostile = [
    '"__proto__":"x"',
    '"constructor":"x"',
    '"a":{"__proto__":{"b":1}}',
    '"a":{"b":{"constructor":{"prototype":{}}}}',
  ];

  it.each(hostile)('are refused in the parameters of a function: %s', async (inner) => {
    const agent = await newAgent(w, chatbot);
    const before = await stateOf(w, chatbot);
    for (const [field, value] of [
      ['parameters', `{"type":"object",${inner}}`],
      ['parameters', `{"type":"object","properties":{${inner.includes('{') ? inner : inner.replace('"x"', '{}')}}}`],
      ['headers', `{${inner}}`],
    ] as const) {
      const body = JSON.stringify({ ...FUNCTION, [field]: '@' }).replace('"@"', value);
      const reply = await w.call('POST', `/api/v1/agent/${agent}/function/create`, body);
      expect([reply.status, reply.body.field], value).toEqual([422, field]);
    }
    expect(await stateOf(w, chatbot)).toEqual(before);
  });

  it.each(hostile)('are refused in an update of a function: %s', async (inner) => {
    const uuid = await newFunction(w, chatbot);
    const before = await stateOf(w, chatbot);
    for (const field of ['parameters', 'headers']) {
      const reply = await w.call('POST', `/api/v1/function/${uuid}/update`, `{"name":"n","${field}":{${inner}}}`);
      expect([reply.status, reply.body.field]).toEqual([422, field]);
    }
    expect(await stateOf(w, chatbot)).toEqual(before);
  });

  it.each(hostile)('are refused in the variables of a session: %s', async (inner) => {
    const body = `{"initial_variables":{${inner}}}`;
    const reply = await w.call('POST', `/api/v1/chatbot/${chatbot}/session/create`, body);
    expect([reply.status, reply.body.field]).toEqual([422, 'initial_variables']);
  });
});

describe('numbers and keys', () => {
  const update = (body: string) => w.call('POST', `/api/v1/chatbot/${chatbot}/update`, body);

  it.each(['1e999', '-1e999', '1e308', '20.0000001', '-0.5', '9007199254740993', '1e-400', '-0', '0x14'])(
    'a limit of %s messages is refused',
    async (number) => {
      const reply = await update(`{"rate_limit":[${number},240]}`);
      expect([400, 422]).toContain(reply.status);
      expect((await w.call('GET', `/api/v1/chatbot/${chatbot}`)).body.meta.rate_limit).toEqual([20, 240]);
    },
  );

  it('of two keys of one name the last counts', async () => {
    expect((await update('{"name":"first","name":"last"}')).body.name).toBe('last');
    expect((await update('{"name":"good","name":7}')).status).toBe(422);
    expect((await update('{"name":7,"name":"Help centre"}')).status).toBe(200);
  });
});

describe('fields that nobody knows', () => {
  const unknownIn = async (path: string, body: unknown) =>
    (await w.call('POST', path, body)).headers.get('x-unknown-fields');
  const create = '/api/v1/chatbot/create';

  it('are ignored and named in a header, also where the body is refused', async () => {
    expect(await unknownIn(create, { name: 'Help' })).toBeNull();
    expect(await unknownIn(create, { name: 'Help', vizibility: 'public', colour: null })).toBe('vizibility, colour');
    const slip = await w.call('POST', create, { nmae: 'Help' });
    expect([slip.status, slip.body.field, slip.headers.get('x-unknown-fields')]).toEqual([422, 'name', 'nmae']);
  });

  it('are named for what stands behind the question mark, too', async () => {
    const named = async (path: string) => {
      const { status, headers } = await w.call('GET', path);
      return [status, headers.get('x-unknown-fields')];
    };
    const sessions = `/api/v1/chatbot/${chatbot}/sessions`;
    expect(await named(`${sessions}?limit=1&outcome=unknown`)).toEqual([200, null]);
    expect(await named(`${sessions}?outcom=unknown&limit=1`)).toEqual([200, 'outcom']);
    expect(await named(`/api/v1/chatbot/${chatbot}?x=1`)).toEqual([200, 'x']);
  });

  it('are named for the parts of an upload, too', async () => {
    const parts = new FormData();
    parts.append('file', new Blob(['Lamps.']), 'lamps.txt');
    parts.append('referense', 'https://shop.example');
    const upload = `/api/v1/chatbot/${await newChatbot(w)}/data-source/upload`;
    const { status, headers } = await w.call('POST', upload, parts);
    expect([status, headers.get('x-unknown-fields')]).toEqual([200, 'referense']);
  });

  it('are named with their place within settings, and never within maps of the caller', async () => {
    const agent = await newAgent(w, chatbot);
    const variables = [
      { name: 'a', defualt: 1 },
      { name: 'b', defualt: 2, default_value: { contnet: 'x' } },
    ];
    const path = `/api/v1/agent/${agent}/update`;
    expect(await unknownIn(path, { meta: { modle: 'x', bias: 0 }, variables })).toBe(
      'meta.modle, variables.defualt, variables.default_value.contnet',
    );
    const map = { anything: 1, 'goes here': 'x' };
    expect(await unknownIn(`/api/v1/chatbot/${chatbot}/session/create`, { initial_variables: map })).toBeNull();
    const own = { ...FUNCTION, meta: map, headers: { 'X-Any': 'x' } };
    expect(await unknownIn(`/api/v1/agent/${agent}/function/create`, own)).toBeNull();
  });

  it('break no header, whatever their names are', async () => {
    const names = ['a\r\nSet-Cookie: x', 'a,b', 'schlüssel', '\ud800', '', '😀'.repeat(5000), '__proto__'];
    const body = `{"name":"Help",${names.map((name) => `${JSON.stringify(name)}:1`).join(',')}}`;
    const told = await unknownIn(create, body);
    expect(told).toMatch(
      /^a%0D%0ASet-Cookie%3A%20x, a%2Cb, schl%C3%BCssel, %EF%BF%BD, , (?:%F0%9F%98%80){20}, __proto__$/,
    );
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}${'€'.repeat(100)}`, 1]));
    const header = (await unknownIn(create, { name: 'Help', ...many }))!;
    expect(header.split(', ')).toHaveLength(11);
    expect(header).toMatch(/, \.\.\.$/);
    expect(header.length).toBeLessThan(4000);
  });
});

describe('paths', () => {
  const key = { Authorization: `Bearer ${API_KEY}` };
  /** As it is written: `fetch` would tidy the path first. */
  const raw = (path: string, method = 'GET'): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(w.docent.base);
      const sent = request({ hostname, port, path, method, headers: key }, (reply) => {
        let body = '';
        reply.on('data', (piece) => (body += String(piece)));
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body }));
      });
      sent.on('error', reject).end();
    });

  it.each([
    '/api/v1/chatbot/../chatbots',
    '/api/v1/chatbot/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/api/v1/chatbot/..%5c..%5cwindows',
    '/api/v1/chatbot/%00',
    '/api/v1/chatbot/%zz',
    '/api/v1/chatbot/%',
    '/api/v1/chatbot/%ff%fe',
    '/api/v1/chatbot/%ED%A0%80',
    '/api/v1/chatbot/__proto__',
    '/api/v1/chatbot/constructor/agents',
    '/api/v1//chatbots',
    '/api/v1/chatbots;x=1',
    '/api/v1/chatbot/' + 'a'.repeat(10_000),
    '/api/v1/chatbot/' + '-'.repeat(40),
    '/api/v1/chatbot/' + '٣'.repeat(0) + '%D9%A3'.repeat(32),
    '/api/v1/session/toString/messages',
    '/api/v1/data-source/%2e',
    '/api/../api/v1/../v1/chatbot/x',
    '/docs/../../package.json',
    '/docs/%2e%2e/server/main.js',
    '/docs/rapidoc.js.br',
    'http://',
    'a://',
    'http://[::1',
    'http://xn--a/',
    'http://[x]/api/v1/chatbots',
  ])('%s finds nothing and breaks nothing', async (path) => {
    const { status, body } = await raw(path);
    expect([400, 404]).toContain(status);
    expect(JSON.parse(body)).toEqual({
      error: expect.any(String),
      code: expect.stringMatching(/^(?:not_found|bad_request)$/),
    });
  });

  it('the path of a message without its kind is known and takes no method, which a deployed client relies on', async () => {
    for (const session of ['0'.repeat(32), 'nonsense']) {
      const path = `/api/v1/session/${session}/message`;
      for (const method of ['POST', 'GET', 'DELETE']) {
        const reply = await w.call(method, path, method === 'GET' ? undefined : { query: 'Is it open?' });
        expect([reply.status, reply.body.code], method).toEqual([405, 'method_not_allowed']);
        expect(reply.headers.get('allow')).toBe('');
      }
      expect((await w.call('POST', path, { query: 'Is it open?' }, 'wrong')).status).toBe(401);
    }
  });

  it('a whole address stands for its path', async () => {
    expect((await raw('http://docent.test:99/api/v1/chatbots?x=1')).status).toBe(200);
    expect((await raw('http://docent.test/api/v1/chatbot/create', 'PUT')).status).toBe(405);
  });

  it('a path without end is refused before it is read', async () => {
    expect([404, 414, 431]).toContain((await raw(`/api/v1/chatbot/${'a'.repeat(40_000)}`)).status);
  });

  it('a method that nobody knows is refused', async () => {
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      expect((await raw('/api/v1/chatbots', method)).status, method).toBeLessThan(500);
    }
  });
});

describe('bodies by their size, type and encoding', () => {
  const post = async (body: BodyInit | undefined, headers: Record<string, string>) => {
    const url = `${w.docent.base}/api/v1/chatbot/create`;
    const reply = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${API_KEY}`, ...headers },
      body: body ?? null,
    });
    const said = { status: reply.status, headers: reply.headers, body: await reply.json() };
    return w.docent.checked('POST', '/api/v1/chatbot/create', said);
  };
  const json = { 'Content-Type': 'application/json' };
  const sized = (bytes: number): string => {
    const body = { name: 'Help', padding: '' };
    return JSON.stringify({ ...body, padding: 'x'.repeat(bytes - JSON.stringify(body).length) });
  };

  it('a body of 1 MB is read, one byte more is not', async () => {
    expect((await post(sized(1024 * 1024), json)).status).toBe(200);
    expect((await post(sized(1024 * 1024 + 1), json)).body.code).toBe('too_large');
  });

  it('a small body that unpacks to a large one is refused', async () => {
    const bomb = gzipSync(sized(50 * 1024 * 1024));
    expect((await post(bomb, { ...json, 'Content-Encoding': 'gzip' })).body.code).toBe('too_large');
    expect((await post(gzipSync('{"name":"Help"}'), { ...json, 'Content-Encoding': 'gzip' })).status).toBe(200);
  });

  it.each([
    [{ ...json, 'Content-Encoding': 'compress' }, 415],
    [{ ...json, 'Content-Encoding': 'gzip' }, 400],
    [{ 'Content-Type': 'text/plain' }, 415],
    [{ 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
    [{ 'Content-Type': 'multipart/form-data; boundary=x' }, 415],
    [{ 'Content-Type': 'application/xml' }, 415],
    [{ 'Content-Type': 'nonsense' }, 415],
    [{ 'Content-Type': 'application/json; charset=utf-8' }, 200],
    [{ 'Content-Type': 'application/vnd.api+json' }, 200],
  ])('sent as %j it is %i', async (headers, status) => {
    expect((await post('{"name":"Help"}', headers as Record<string, string>)).status).toBe(status);
  });

  it('bytes that are not UTF-8 are refused, and U+FFFD itself is not', async () => {
    const bytes = Buffer.concat([Buffer.from('{"name":"a'), Buffer.of(0xff, 0xc0), Buffer.from('b"}')]);
    expect(await post(bytes, json)).toMatchObject({
      status: 400,
      body: { error: 'the body is not valid UTF-8', code: 'bad_json' },
    });
    expect((await post(Buffer.from('{"name":"a\ufffdb"}'), json)).body.name).toBe('a\ufffdb');
  });
});
