import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryRows } from '../../engine/engine.ts';
import { start, type Running } from '../../running.ts';

let docent: Running;
beforeAll(async () => void (docent = await start()));
afterAll(() => docent.stop());

const NOWHERE = '0'.repeat(32);
const URL = 'https://shop.test/stock?kind=all';

const agent = async (): Promise<string> => {
  const bot = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
  return (await docent.api('GET', `/chatbot/${bot}/agents`)).body[0].uuid;
};
const create = (uuid: string, body: unknown) => docent.api('POST', `/agent/${uuid}/function/create`, body);
const made = async (body: object = {}) =>
  (await create(await agent(), { name: 'stock', external_url: URL, ...body })).body;
const update = (uuid: string, body: unknown) => docent.api('POST', `/function/${uuid}/update`, body);
const fetched = async (uuid: string) => (await docent.api('GET', `/agent/${uuid}`)).body;

const PARAMETERS = {
  type: 'object',
  properties: { sku: { type: 'string', description: 'the article', enum: ['a', 'b'] }, '': {} },
  required: ['sku'],
  additionalProperties: false,
};

/** `levels` objects within one another. */
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

describe('a tool function', () => {
  it('is created with exactly the keys and defaults of the interface', async () => {
    const uuid = await agent();
    const { status, body } = await create(uuid, { name: 'stock', external_url: URL });
    expect(status).toBe(200);
    expect(body).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'stock',
      description: '',
      parameters: { type: 'object', properties: {}, required: [] },
      headers: {},
      enabled: 1,
      external_url: URL,
      method: 'POST',
      created_at: expect.any(String),
      modified_at: body.created_at,
      meta: {},
    });
  });

  it('keeps its meta as it is sent, whole, until another is sent', async () => {
    const meta = { label: 'Stock', nested: { list: [1, null, 'x'] }, allow_gpt_trainer_properties: false };
    const one = await made({ meta });
    expect(one.meta).toEqual(meta);
    expect((await update(one.uuid, { description: 'new' })).body.meta).toEqual(meta);
    expect((await update(one.uuid, { meta: null })).body.meta).toEqual(meta);
    expect((await update(one.uuid, { meta: { other: 1 } })).body.meta).toEqual({ other: 1 });
    expect((await update(one.uuid, { meta: {} })).body.meta).toEqual({});
  });

  it('takes allow_gpt_trainer_properties at the top level into its meta', async () => {
    const one = await made({ allow_gpt_trainer_properties: true });
    expect(one).not.toHaveProperty('allow_gpt_trainer_properties');
    expect(one.meta).toEqual({ allow_gpt_trainer_properties: true });
    const both = (await update(one.uuid, { meta: { a: 1 }, allow_gpt_trainer_properties: false })).body;
    expect(both.meta).toEqual({ a: 1, allow_gpt_trainer_properties: false });
    const list = (await update(one.uuid, { allow_gpt_trainer_properties: ['name'] })).body;
    expect(list.meta).toEqual({ a: 1, allow_gpt_trainer_properties: ['name'] });
  });

  it('keeps all that is sent, as it is sent', async () => {
    const sent = {
      name: 'Is it in stock?',
      description: 'x'.repeat(1023),
      parameters: PARAMETERS,
      headers: { 'X-Shop-Key': 'secret \t value', accept: '' },
      enabled: false,
      external_url: 'http://127.0.0.1:9/stock',
      method: 'PATCH',
    };
    const shown = { 'X-Shop-Key': '****alue', accept: '' };
    expect(await made(sent)).toMatchObject({ ...sent, headers: shown, enabled: 0 });
    expect((await made({ parameters: {} })).parameters).toEqual({});
  });

  it('stands in its agent and dates it, in order of creation', async () => {
    const uuid = await agent();
    const before = await fetched(uuid);
    const first = (await create(uuid, { name: 'one', external_url: URL })).body;
    const second = (await create(uuid, { name: 'two', external_url: URL })).body;
    const after = await fetched(uuid);
    expect(after).toEqual({ ...before, tool_functions: [first, second], modified_at: after.modified_at });
    expect(after.modified_at > before.modified_at).toBe(true);

    const changed = (await update(first.uuid, { method: 'GET', enabled: 0 })).body;
    expect(changed).toEqual({ ...first, method: 'GET', enabled: 0, modified_at: changed.modified_at });
    expect(changed.modified_at > first.modified_at).toBe(true);
    const later = await fetched(uuid);
    expect(later.tool_functions).toEqual([changed, second]);
    expect(later.modified_at > after.modified_at).toBe(true);
  });

  it('loses none of the fields that fifty updates at once set', async () => {
    const { uuid } = await made();
    const fields = [
      { name: 'N' },
      { method: 'PUT' },
      { headers: { a: '' } },
      { parameters: PARAMETERS },
      { enabled: 0 },
    ];
    const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => update(uuid, fields[i % 5])));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect((await update(uuid, {})).body).toMatchObject(Object.assign({}, ...fields));
  });

  it('is gone from its agent once deleted', async () => {
    const uuid = await agent();
    const one = (await create(uuid, { name: 'one', external_url: URL })).body;
    const two = (await create(uuid, { name: 'two', external_url: URL })).body;
    const before = await fetched(uuid);
    expect((await docent.api('POST', `/function/${one.uuid}/delete`)).body).toEqual({ success: true });
    const after = await fetched(uuid);
    expect(after.tool_functions).toEqual([two]);
    expect(after.modified_at > before.modified_at).toBe(true);
    expect((await update(one.uuid, { name: 'x' })).status).toBe(404);
    expect((await docent.api('POST', `/function/${one.uuid}/delete`)).status).toBe(404);
  });

  it('is deleted once, however often at once', async () => {
    const { uuid } = await made();
    const replies = await Promise.all(Array.from({ length: 5 }, () => docent.api('POST', `/function/${uuid}/delete`)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404, 404]);
  });

  it('goes with its agent', async () => {
    const uuid = await agent();
    const one = (await create(uuid, { name: 'one', external_url: URL })).body;
    await docent.api('DELETE', `/agent/${uuid}/delete`);
    expect((await update(one.uuid, { name: 'x' })).status).toBe(404);
  });

  it('is not found where the agent or the function is not there', async () => {
    expect((await create(NOWHERE, { name: 'one', external_url: URL })).status).toBe(404);
    expect((await update(NOWHERE, {})).status).toBe(404);
    expect((await docent.api('POST', `/function/${NOWHERE}/delete`)).status).toBe(404);
  });
});

describe('the headers of a tool function', () => {
  const SECRET = 'Bearer secret-of-the-shop';
  const shown = { Authorization: '****shop', short: '****', empty: '' };
  const headers = { Authorization: SECRET, short: 'seven77', empty: '' };
  /** As they are stored. */
  async function storedHeaders(uuid: string): Promise<object | undefined> {
    const rows = await queryRows(docent.dataDir, 'select record from agents');
    if (rows)
      return headersOf(
        rows.map(({ record }) => JSON.parse(record as string)),
        uuid,
      );
    const files = await readdir(docent.dataDir, { recursive: true });
    for (const file of files.filter((name) => name.endsWith('.json'))) {
      const { agents = [] } = JSON.parse(await readFile(join(docent.dataDir, file), 'utf8')) as {
        agents?: StoredFunctions[];
      };
      const found = headersOf(agents, uuid);
      if (found) return found;
    }
    return undefined;
  }
  interface StoredFunctions {
    tool_functions: { uuid: string; headers: object }[];
  }
  const headersOf = (agents: StoredFunctions[], uuid: string): object | undefined =>
    agents.flatMap(({ tool_functions }) => tool_functions).find((one) => one.uuid === uuid)?.headers;

  it('are shown by their last four characters in every reply', async () => {
    const bot = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
    const { uuid } = (await docent.api('GET', `/chatbot/${bot}/agents`)).body[0];
    const one = (await create(uuid, { name: 'stock', external_url: URL, headers })).body;
    const replies = [
      one,
      (await update(one.uuid, { description: 'new' })).body,
      (await update(one.uuid, { headers })).body,
      (await fetched(uuid)).tool_functions[0],
      (await docent.api('POST', `/agent/${uuid}/update`, { name: 'Shop' })).body.tool_functions[0],
    ];
    expect(replies.map((reply) => reply.headers)).toEqual(replies.map(() => shown));
    const list = await docent.api('GET', `/chatbot/${bot}/agents`);
    expect(JSON.stringify(list.body)).not.toContain(SECRET);
    expect(list.body[0].tool_functions[0].headers).toEqual(shown);
  });

  it('keep their values where the masked ones are sent back', async () => {
    const { uuid } = await made({ headers });
    await update(uuid, { headers: { ...shown, authorization: shown.Authorization, more: 'a new value' } });
    expect(await storedHeaders(uuid)).toEqual({ ...headers, authorization: SECRET, more: 'a new value' });
    await update(uuid, { headers: { short: 'another one' } });
    expect(await storedHeaders(uuid)).toEqual({ short: 'another one' });
  });

  it('stay with the origin that they were sent for', async () => {
    const one = await made({ headers });
    for (const external_url of [
      'https://shop.test:8443/stock',
      'http://shop.test/stock',
      'https://evil.test/{{order}}',
    ])
      for (const kept of [{}, { headers: shown }, { headers: { ...headers, Authorization: shown.Authorization } }]) {
        const { status, body } = await update(one.uuid, { external_url, ...kept });
        expect([status, body.field, body.error]).toEqual([422, 'headers', expect.stringContaining('Authorization')]);
      }
    expect(await storedHeaders(one.uuid)).toEqual(headers);
    expect((await update(one.uuid, { external_url: 'https://SHOP.test:443/other?{{order}}' })).status).toBe(200);
    expect(await storedHeaders(one.uuid)).toEqual(headers);
    const moved = await update(one.uuid, { external_url: 'https://other.test/', headers: { Authorization: 'anew' } });
    expect([moved.status, await storedHeaders(one.uuid)]).toEqual([200, { Authorization: 'anew' }]);
    const without = await update(one.uuid, { external_url: 'https://third.test/', headers: {} });
    expect([without.status, without.body.headers]).toEqual([200, {}]);
    expect((await update(one.uuid, { external_url: 'https://fourth.test/' })).status).toBe(200);
  });

  it('are refused where a masked value belongs to no stored one', async () => {
    const one = await made({ headers });
    for (const wrong of [{ other: '****shop' }, { Authorization: '****spot' }, { short: '****shop' }]) {
      const { status, body } = await update(one.uuid, { headers: wrong });
      expect([status, body.field]).toEqual([422, 'headers']);
    }
    const created = await create(await agent(), { name: 'copy', external_url: URL, headers: shown });
    expect([created.status, created.body.field]).toEqual([422, 'headers']);
    expect(await storedHeaders(one.uuid)).toEqual(headers);
  });
});

describe('bad input', () => {
  const wrong: [string, object][] = [
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(201) }],
    ['description', { description: 'x'.repeat(1024) }],
    ['enabled', { enabled: 2 }],
    ['enabled', { enabled: 'yes' }],
    ['method', { method: 'HEAD' }],
    ['method', { method: 'post' }],
    ['external_url', { external_url: '' }],
    ['external_url', { external_url: '/stock' }],
    ['external_url', { external_url: 'ftp://shop.test/' }],
    ['external_url', { external_url: 'javascript:alert(1)' }],
    ['external_url', { external_url: 'https://user:word@shop.test/' }],
    ['external_url', { external_url: 'https://user@shop.test/' }],
    ['external_url', { external_url: 'https://shop.test/a\r\nb' }],
    ['external_url', { external_url: ' https://shop.test/' }],
    ['external_url', { external_url: 'https://' }],
    ['external_url', { external_url: `https://shop.test/${'x'.repeat(2048)}` }],
    ['headers', { headers: [] }],
    ['headers', { headers: { a: 1 } }],
    ['headers', { headers: { 'a b': 'c' } }],
    ['headers', { headers: { '': 'c' } }],
    ['headers', { headers: { 'a\n': 'c' } }],
    ['headers', { headers: { 'a:': 'c' } }],
    ['headers', { headers: { a: 'b\r\nc: d' } }],
    ['headers', { headers: { a: 'b\n' } }],
    ['headers', { headers: { a: '\u0000' } }],
    ['headers', { headers: { a: '😀' } }],
    ['headers', { headers: { a: 'x'.repeat(8001) } }],
    ['headers', { headers: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`h${i}`, ''])) }],
    ['meta', { meta: [] }],
    ['meta', { meta: 'x' }],
    ['meta', { meta: { constructor: 1 } }],
    ['meta', { meta: { note: 'é'.repeat(50_000) } }],
    ['meta', { allow_gpt_trainer_properties: 'é'.repeat(50_000) }],
    ['meta.class', { meta: { class: 'delete' } }],
    ['meta.class', { meta: { class: 1 } }],
    ['meta.class', { meta: { class: '' } }],
    ['meta.step', { meta: { step: ' ' } }],
    ['meta.step', { meta: { step: 'x'.repeat(1001) } }],
    ['meta.examples', { meta: { examples: 'Where is it?' } }],
    ['meta.examples', { meta: { examples: ['Where is it?', 1] } }],
    ['meta.examples', { meta: { examples: Array.from({ length: 101 }, () => 'x') } }],
    ['external_url', { external_url: 'https://{{shop}}.test/' }],
    ['allow_gpt_trainer_properties', { allow_gpt_trainer_properties: '\u0000' }],
    ['parameters', { parameters: [] }],
    ['parameters', { parameters: 'object' }],
    ['parameters', { parameters: { type: 'string' } }],
    ['parameters', { parameters: { properties: [] } }],
    ['parameters', { parameters: { properties: { sku: 'string' } } }],
    ['parameters', { parameters: { required: 'sku' } }],
    ['parameters', { parameters: { required: [1] } }],
    ['parameters', { parameters: { deep: ['\ud800'] } }],
    ['parameters', { parameters: { deep: { '\u0000': 1 } } }],
    ['parameters', { parameters: nested(21) }],
    ['parameters', { parameters: { description: 'é'.repeat(50_000) } }],
  ];

  it.each(wrong)('names %s at fault (%#)', async (field, sent) => {
    const refused = { code: 'invalid_field', field, error: expect.stringContaining(field) };
    const uuid = await agent();
    const created = await create(uuid, { name: 'stock', external_url: URL, ...sent });
    expect([created.status, created.body]).toEqual([422, refused]);
    const one = (await create(uuid, { name: 'stock', external_url: URL })).body;
    const updated = await update(one.uuid, { description: 'new', ...sent });
    expect([updated.status, updated.body]).toEqual([422, refused]);
    expect((await fetched(uuid)).tool_functions).toEqual([one]);
  });

  it.each(['name', 'external_url'])('is a function with no %s', async (field) => {
    const { [field]: _, ...rest }: Record<string, string> = { name: 'stock', external_url: URL };
    const { status, body } = await create(await agent(), rest);
    expect([status, body.field]).toEqual([422, field]);
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'is the key %s, at any depth of what the caller names',
    async (key) => {
      const uuid = await agent();
      for (const [field, value] of [
        ['parameters', `{"${key}":{}}`],
        ['parameters', `{"properties":{"a":{"enum":[{"${key}":1}]}}}`],
        ['headers', `{"${key}":"x"}`],
      ]) {
        const { status, body } = await create(uuid, `{"name":"n","external_url":"${URL}","${field}":${value}}`);
        expect([status, body.field]).toEqual([422, field]);
      }
      const { status, body } = await create(uuid, `{"name":"n","external_url":"${URL}","${key}":{"method":"GET"}}`);
      expect([status, body.method]).toEqual([200, 'POST']);
    },
  );

  it('is met at twenty levels and at the hundredth kilobyte, not before', async () => {
    expect((await made({ parameters: nested(20) })).parameters).toEqual(nested(20));
    const { parameters } = await made({ parameters: { description: 'x'.repeat(99_000) } });
    expect(parameters.description).toHaveLength(99_000);
  });

  it('may be nested a hundred thousand levels deep, or hold a number larger than any', async () => {
    const { uuid } = await made();
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    expect((await update(uuid, `{"parameters":${deep}}`)).body.field).toBe('parameters');
    expect((await update(uuid, `{"headers":${deep}}`)).body.field).toBe('headers');
    expect((await update(uuid, `{"parameters":{"most":1e999}}`)).body.field).toBe('parameters');
    expect((await update(uuid, `{"meta":${deep}}`)).body.field).toBe('meta');
  });
});
