import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start, type Running } from '../../running.ts';

let docent: Running;
beforeAll(async () => void (docent = await start()));
afterAll(() => docent.stop());

const UUID = /^[0-9a-f]{32}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const create = async (body: object = { name: 'Shop' }) => (await docent.api('POST', '/chatbot/create', body)).body;

describe('a chatbot', () => {
  it('is created with exactly the keys and defaults of the interface', async () => {
    const { status, body } = await docent.api('POST', '/chatbot/create', { name: 'Shop' });
    expect(status).toBe(200);
    expect(body).toEqual({
      uuid: expect.stringMatching(UUID),
      name: 'Shop',
      created_at: expect.stringMatching(TIME),
      modified_at: body.created_at,
      meta: {
        rate_limit: [20, 240],
        rate_limit_message: 'Too many messages',
        show_citations: false,
        visibility: 'private',
      },
    });
  });

  it('is created with every setting that is sent', async () => {
    const settings = { rate_limit: [100, 360], rate_limit_message: '', show_citations: true, visibility: 'hybrid' };
    const made = await create({ name: ' padded ', ...settings });
    expect(made).toMatchObject({ name: ' padded ', meta: settings });
    expect((await docent.api('GET', `/chatbot/${made.uuid}`)).body).toEqual(made);
  });

  it('has one enabled agent from the start', async () => {
    const { uuid } = await create();
    const { body } = await docent.api('GET', `/chatbot/${uuid}/agents`);
    expect(body).toEqual([
      {
        uuid: expect.stringMatching(UUID),
        name: 'General Q&A',
        prompt: expect.any(String),
        description: expect.any(String),
        type: 'user-facing',
        created_at: expect.stringMatching(TIME),
        modified_at: expect.stringMatching(TIME),
        enabled: 1,
        meta: { model: 'llm-4o-mini-4k', temperature: 0, bias: 0, stickness: 0, use_all_sources: true },
        data_source_uuids: [],
        tool_functions: [],
        variables: [],
      },
    ]);
  });

  it('keeps what an update does not send, and dates each update later than the last', async () => {
    const made = await create({ name: 'Shop', rate_limit: [3, 30] });
    const first = (await docent.api('POST', `/chatbot/${made.uuid}/update`, { visibility: 'public' })).body;
    const second = (await docent.api('POST', `/chatbot/${made.uuid}/update`, { name: 'Store' })).body;
    expect(second).toMatchObject({ name: 'Store', meta: { rate_limit: [3, 30], visibility: 'public' } });
    expect(first.modified_at > made.modified_at).toBe(true);
    expect(second.modified_at > first.modified_at).toBe(true);
    expect(second.created_at).toBe(made.created_at);
  });

  it('loses no field of fifty updates at once', async () => {
    const { uuid } = await create();
    const fields = [{ name: 'N' }, { visibility: 'public' }, { show_citations: true }, { rate_limit: [7, 77] }];
    const bodies = Array.from({ length: 50 }, (_, i) => fields[i % 4]);
    await Promise.all(bodies.map((body) => docent.api('POST', `/chatbot/${uuid}/update`, body)));
    expect((await docent.api('GET', `/chatbot/${uuid}`)).body).toMatchObject({
      name: 'N',
      meta: { visibility: 'public', show_citations: true, rate_limit: [7, 77] },
    });
  });

  it('is gone with all that belonged to it once deleted', async () => {
    const { uuid } = await create();
    const session = (await docent.api('POST', `/chatbot/${uuid}/session/create`)).body;
    expect((await docent.api('DELETE', `/chatbot/${uuid}/delete`)).body).toEqual({ success: true });
    for (const path of [`/chatbot/${uuid}`, `/chatbot/${uuid}/agents`, `/session/${session.uuid}/messages`]) {
      expect((await docent.api('GET', path)).status).toBe(404);
    }
  });
});

describe('bad input', () => {
  it.each([
    ['name', {}],
    ['name', { name: '' }],
    ['name', { name: 7 }],
    ['name', { name: null }],
    ['name', { name: 'x'.repeat(201) }],
    ['name', { name: 'a\u0000b' }],
    ['name', { name: '\ud800' }],
    ['rate_limit', { name: 'n', rate_limit: [0, 240] }],
    ['rate_limit', { name: 'n', rate_limit: [101, 240] }],
    ['rate_limit', { name: 'n', rate_limit: [20, 361] }],
    ['rate_limit', { name: 'n', rate_limit: [20] }],
    ['rate_limit', { name: 'n', rate_limit: [20, 240, 1] }],
    ['rate_limit', { name: 'n', rate_limit: [1.5, 240] }],
    ['rate_limit', { name: 'n', rate_limit: '20,240' }],
    ['show_citations', { name: 'n', show_citations: 'yes' }],
    ['visibility', { name: 'n', visibility: 'secret' }],
  ])('names %s at fault in %j', async (field, body) => {
    const reply = await docent.api('POST', '/chatbot/create', body);
    expect(reply.status).toBe(422);
    expect(reply.body).toEqual({ error: expect.stringContaining(field), code: 'invalid_field', field });
  });

  it('changes nothing where one field of an update is wrong', async () => {
    const made = await create();
    const reply = await docent.api('POST', `/chatbot/${made.uuid}/update`, { name: 'New', visibility: 'secret' });
    expect(reply.status).toBe(422);
    expect((await docent.api('GET', `/chatbot/${made.uuid}`)).body).toEqual(made);
  });

  it('is told from a list, from broken JSON, from a body too large and from another media type', async () => {
    const post = (body: BodyInit, type = 'application/json') =>
      fetch(`${docent.base}/api/v1/chatbot/create`, {
        method: 'POST',
        headers: { Authorization: 'Bearer the-key-of-the-tests', 'Content-Type': type },
        body,
      });
    const code = async (reply: Response) => [reply.status, (await reply.json()).code];
    expect(await code(await post('[1]'))).toEqual([422, 'invalid_field']);
    expect(await code(await post('{"name":'))).toEqual([400, 'bad_json']);
    expect(await code(await post(JSON.stringify({ name: 'x'.repeat(1_100_000) })))).toEqual([413, 'too_large']);
    expect(await code(await post('name=x', 'text/csv'))).toEqual([415, 'unsupported_media_type']);
    const invalidText = await post(Buffer.from('{"name":"\xff"}', 'latin1'));
    expect([invalidText.status, await invalidText.json()]).toEqual([
      400,
      { error: 'the body is not valid UTF-8', code: 'bad_json' },
    ]);
  });

  it('may be compressed, may begin with a byte order mark, and is refused in an unknown encoding', async () => {
    const post = (body: Uint8Array<ArrayBuffer>, encoding: string) =>
      fetch(`${docent.base}/api/v1/chatbot/create`, {
        method: 'POST',
        headers: {
          Authorization: 'Bearer the-key-of-the-tests',
          'Content-Type': 'application/json',
          'Content-Encoding': encoding,
        },
        body,
      });
    const text = Buffer.from('\ufeff{"name":"Café"}');
    for (const [encoding, body] of [
      ['identity', text],
      ['gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text)],
    ] as const) {
      const reply = await post(body, encoding);
      expect([reply.status, (await reply.json()).name], encoding).toEqual([200, 'Café']);
    }
    expect((await post(text, 'zstd')).status).toBe(415);
    expect((await post(text, 'gzip')).status).toBe(400);
    expect((await post(gzipSync(Buffer.alloc(2_000_000, ' ')), 'gzip')).status).toBe(413);
  });

  it('counts code points, not UTF-16 units', async () => {
    expect((await docent.api('POST', '/chatbot/create', { name: '😀'.repeat(200) })).status).toBe(200);
    expect((await docent.api('POST', '/chatbot/create', { name: '😀'.repeat(201) })).status).toBe(422);
  });
});

describe('the key', () => {
  const bare = (path: string, method = 'GET', authorization?: string) =>
    fetch(docent.base + path, { method, headers: authorization ? { Authorization: authorization } : {} });

  it.each([
    ['/api/v1/chatbot/create', 'POST'],
    ['/api/v1/chatbot/create', 'GET'],
    ['/api/v1/chatbot/nonsense', 'GET'],
    ['/api/v1/nowhere', 'GET'],
    ['/api/', 'GET'],
  ])('is asked for before anything is said about %s %s', async (path, method) => {
    for (const authorization of [undefined, 'Bearer wrong-key-of-the-tests', 'Basic dTpw', 'Bearer']) {
      const reply = await bare(path, method, authorization);
      expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(await reply.json()).toEqual({ error: expect.any(String), code: 'unauthorized' });
    }
  });

  it('is not asked for by the two questions of health', async () => {
    expect((await bare('/healthz')).status).toBe(200);
    expect((await bare('/readyz')).status).toBe(200);
  });
});

describe('existing clients', () => {
  const header = { Authorization: 'Bearer the-key-of-the-tests' };

  it('may send JSON as a type with no body, no type and no body, and unknown keys', async () => {
    const { uuid } = await create({ name: 'Shop', colour: 'red', __proto__x: 1 });
    const url = `${docent.base}/api/v1/chatbot/${uuid}/session/create`;
    const typed = await fetch(url, { method: 'POST', headers: { ...header, 'Content-Type': 'application/json' } });
    const untyped = await fetch(url, { method: 'POST', headers: header });
    expect([typed.status, untyped.status]).toEqual([200, 200]);
    expect(Object.keys(await typed.json())).toEqual(['uuid', 'created_at', 'modified_at']);
  });

  it('may write identifiers with dashes and capitals', async () => {
    const { uuid } = await create();
    const dashed = uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    expect((await docent.api('GET', `/chatbot/${dashed}`)).body.uuid).toBe(uuid);
  });

  it('get 404 in JSON for a path or record that is not there, and 405 with Allow for a wrong method', async () => {
    expect((await docent.api('GET', '/nowhere')).body).toMatchObject({ code: 'not_found' });
    for (const uuid of ['0'.repeat(32), 'short', '..%2f..%2fetc', 'x'.repeat(5000)]) {
      expect((await docent.api('GET', `/chatbot/${uuid}`)).status).toBe(404);
    }
    const wrong = await docent.api('GET', '/chatbot/create/x');
    expect(wrong.status).toBe(404);
    const { uuid } = await create();
    const method = await docent.api('POST', `/chatbot/${uuid}`);
    expect([method.status, method.headers.get('allow')]).toEqual([405, 'HEAD, GET']);
  });

  it("carries the caller's own request id where it is plain, else a new one", async () => {
    const idFor = async (id: string) =>
      (await fetch(`${docent.base}/api/v1/nowhere`, { headers: { 'X-Request-Id': id } })).headers.get('x-request-id');
    for (const id of ['a', '8f14e45f-ceea-467f_v1.2', 'x'.repeat(64)]) expect(await idFor(id)).toBe(id);
    for (const id of ['', 'x'.repeat(65), 'a b', 'a,b', '"a"', '<a>', 'é', 'a;b=1', '{}']) {
      expect(await idFor(id), id).toMatch(/^[0-9a-f]{16}$/);
    }
  });

  it('are answered by a request id, and a preflight by what it may do', async () => {
    expect((await docent.api('GET', '/nowhere')).headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
    const preflight = await fetch(`${docent.base}/api/v1/chatbot/create`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.test', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  });
});
