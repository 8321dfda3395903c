import { access, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeModel, type FakeModel, type Script } from '../../fakes/model.ts';
import { API_KEY, start, until, type Running } from '../../running.ts';

let docent: Running;
let model: FakeModel;
let chatbot: string;
beforeAll(async () => {
  // Says the question back, so that an answer shows whose it is.
  model = await startFakeModel({ script: ({ body }) => ({ pieces: [`You said: ${body.messages.at(-1)?.content}`] }) });
  docent = await start({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'small', FALLBACK: '0' });
  chatbot = await newChatbot();
});
afterAll(async () => {
  await docent.stop();
  await model.close();
});

const NOWHERE = '0'.repeat(32);
const SLOW: Script = { pieces: Array.from({ length: 400 }, (_, i) => `word${i} `), pace: 20 };

const newChatbot = async (): Promise<string> =>
  (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
const newSession = async (of = chatbot): Promise<string> =>
  (await docent.api('POST', `/chatbot/${of}/session/create`)).body.uuid;
const list = async (session: string) => (await docent.api('GET', `/session/${session}/messages`)).body;
const ask = (session: string, query: string) => docent.api('POST', `/session/${session}/message/non-stream`, { query });
const transcript = (session: string) => docent.api('GET', `/session/${session}/messages/plain-text`);

/** Starts an answer that takes long; `over` resolves with how the stream ended, `message` is there as soon as text is. */
async function slowly(session: string): Promise<{ uuid: string; over: Promise<'ended' | 'cut'> }> {
  model.next(SLOW);
  const before = (await list(session)).length;
  const over = stream(session, 'Tell me all').then(
    () => 'ended' as const,
    () => 'cut' as const,
  );
  const [message] = await until(
    async () => (await list(session)).slice(before),
    ([last]) => last !== undefined && last.response !== '',
  );
  return { uuid: message.uuid, over };
}

function stream(session: string, query: string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const all = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json', ...headers };
    const path = `${docent.base}/api/v1/session/${session}/message/stream`;
    const sent = request(path, { method: 'POST', headers: all }, (reply) => {
      const parts: Buffer[] = [];
      reply.on('data', (part: Buffer) => parts.push(part));
      reply.on('error', reject);
      reply.on('end', () => resolve(Buffer.concat(parts).toString()));
    });
    sent.on('error', reject).end(JSON.stringify({ query }));
  });
}

const filesOf = async (uuid: string): Promise<string[]> =>
  (await readdir(docent.dataDir, { recursive: true })).filter((file) => file.includes(uuid));

describe('an answer in one reply', () => {
  it('has one key, and is stored as a streamed one is', async () => {
    const session = await newSession();
    const reply = await ask(session, 'Is it open 😀');
    expect([reply.status, reply.body]).toEqual([200, { response: 'You said: Is it open 😀' }]);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await list(session)).toMatchObject([
      { query: 'Is it open 😀', response: 'You said: Is it open 😀', finish_reason: 'stop' },
    ]);
  });

  it('is whole though the model sends its characters a byte at a time', async () => {
    const text = '漢字 — 😀👩‍👩‍👧 ὕβρις 𝔘𝔫𝔦.';
    const event = Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);
    const halves = ['\\ud83d', '\\ude00'].map((half) => `data: {"choices":[{"delta":{"content":"${half}"}}]}\n\n`);
    model.next({ raw: [...Array.from(event, (byte) => Buffer.of(byte)), ...halves, 'data: [DONE]\n\n'], pace: 1 });
    const session = await newSession();
    expect((await ask(session, 'Characters?')).body).toEqual({ response: `${text}😀` });
    expect((await list(session))[0].response).toBe(`${text}😀`);
  });

  it.each([
    ['refuses', { status: 400, raw: ['{"error":{"message":"canary"}}'] }, ''],
    ['fails midway', { pieces: ['Half', ' an', ' answer'], cutAfter: 3, pace: 20 }, 'Half'],
  ] as [string, Script, string][])(
    'is an error where the model %s, and what was written is kept',
    async (_what, script, text) => {
      model.next(script);
      const session = await newSession();
      const reply = await ask(session, 'Is it open?');
      expect([reply.status, Object.keys(reply.body), reply.body.code]).toEqual([
        502,
        ['error', 'code'],
        'model_failed',
      ]);
      expect(JSON.stringify(reply.body)).not.toContain('canary');
      const [message] = await list(session);
      expect(message).toMatchObject({
        query: 'Is it open?',
        finish_reason: 'error',
        error_message: expect.stringMatching(/./),
      });
      expect(message.response.startsWith(text)).toBe(true);
    },
  );

  it('that is stopped by its session’s deletion is not waited for', async () => {
    model.next(SLOW);
    const session = await newSession();
    const asked = ask(session, 'Tell me all');
    await until(
      () => list(session),
      (all) => all.length === 1 && all[0].response !== '',
    );
    await docent.api('POST', `/session/${session}/delete`);
    expect((await asked).body.response).toMatch(/^word0( word\d+)*$/);
  });

  it.each([
    [{}],
    [{ query: '' }],
    [{ query: 5 }],
    [{ query: null }],
    [{ query: 'x'.repeat(8001) }],
    [{ query: '\ud800' }],
  ])('is refused to %j, and nothing is stored', async (body) => {
    const session = await newSession();
    const reply = await docent.api('POST', `/session/${session}/message/non-stream`, body);
    expect([reply.status, reply.body.field]).toEqual([422, 'query']);
    expect(await list(session)).toEqual([]);
  });
});

describe('a message', () => {
  it('is fetched as it stands in the list', async () => {
    const session = await newSession();
    await ask(session, 'Is it open?');
    const [message] = await list(session);
    expect(await docent.api('GET', `/message/${message.uuid}`)).toMatchObject({ status: 200, body: message });
    expect(Object.keys(message)).toHaveLength(14);
  });

  it('shows what there is so far while it is being made, alone and in lists', async () => {
    const session = await newSession();
    const { uuid, over } = await slowly(session);
    const seen = (await docent.api('GET', `/message/${uuid}`)).body;
    expect(seen).toMatchObject({ finish_reason: '', query: 'Tell me all', cite_data_json: '{}' });
    expect(seen.response).toMatch(/^word0( word\d+)*$/);
    const grown = await until(
      () => docent.api('GET', `/message/${uuid}`),
      ({ body }) => body.response.length > seen.response.length,
    );
    expect(grown.body.response.startsWith(seen.response)).toBe(true);
    expect((await transcript(session)).body).toMatch(/^User: Tell me all\nAssistant: word0( word\d+)*$/);
    await docent.api('POST', `/session/${session}/delete`);
    await over;
  });

  it('is gone once deleted, and the others stay in order', async () => {
    const session = await newSession();
    for (const query of ['one', 'two', 'three']) await ask(session, query);
    const [one, two, three] = await list(session);
    expect(await docent.api('POST', `/message/${two.uuid}/delete`)).toMatchObject({ body: { success: true } });
    expect(await list(session)).toEqual([one, three]);
    expect((await docent.api('GET', `/message/${two.uuid}`)).status).toBe(404);
    expect((await docent.api('POST', `/message/${two.uuid}/delete`)).status).toBe(404);
    await ask(session, 'four');
    expect((await list(session)).map(({ query }: { query: string }) => query)).toEqual(['one', 'three', 'four']);
    expect(
      model.requests
        .at(-1)!
        .body.messages.slice(1)
        .map(({ content }) => content),
    ).not.toContain('two');
  });

  it('that is deleted while it is being made ends, and does not come back', async () => {
    const session = await newSession();
    const { uuid, over } = await slowly(session);
    expect((await docent.api('POST', `/message/${uuid}/delete`)).body).toEqual({ success: true });
    await over;
    expect(await list(session)).toEqual([]);
    await until(async () => model.requests.at(-1)!.left, Boolean);
    expect((await ask(session, 'And now?')).status).toBe(200);
    expect(await list(session)).toHaveLength(1);
  });

  it.each([
    ['GET', `/message/${NOWHERE}`],
    ['GET', '/message/short'],
    ['POST', `/message/${NOWHERE}/delete`],
    ['GET', `/session/${NOWHERE}/messages`],
    ['GET', `/session/${NOWHERE}/messages/plain-text`],
    ['POST', `/session/${NOWHERE}/message/non-stream`],
    ['POST', `/session/${NOWHERE}/message/stream`],
  ])('that nobody asked for is not there: %s %s', async (method, path) => {
    const body = path.includes('stream') ? { query: 'Is it open?' } : undefined;
    expect(await docent.api(method, path, body)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('many messages', () => {
  const remove = (uuids: unknown) => docent.api('POST', '/messages/delete', { uuids });
  const conversation = async (...queries: string[]): Promise<{ session: string; uuids: string[] }> => {
    const session = await newSession();
    for (const query of queries) await ask(session, query);
    return { session, uuids: (await list(session)).map(({ uuid }: { uuid: string }) => uuid) };
  };

  it('are deleted together, of several sessions, named twice or with dashes', async () => {
    const [one, other] = [await conversation('a', 'b', 'c'), await conversation('d')];
    const dashed = one.uuids[0]!.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    const reply = await remove([dashed, one.uuids[0], one.uuids[2], ...other.uuids]);
    expect([reply.status, reply.body]).toEqual([200, { success: true }]);
    expect(await list(one.session)).toMatchObject([{ query: 'b' }]);
    expect(await list(other.session)).toEqual([]);
  });

  it('all stay where one is not there, and the reply says which', async () => {
    const { session, uuids } = await conversation('a', 'b');
    const reply = await remove([uuids[0], NOWHERE, 'nonsense', uuids[1], '']);
    expect([reply.status, reply.body]).toEqual([
      422,
      [NOWHERE, 'nonsense', ''].map((uuid) => ({ uuid, error: 'invalid message' })),
    ]);
    expect(await list(session)).toHaveLength(2);
  });

  it.each([[undefined], [null], ['x'], [{}], [[1]], [[null]], [Array(1001).fill(NOWHERE)]])(
    'are not named by %j',
    async (uuids) => {
      expect(await remove(uuids)).toMatchObject({ status: 422, body: { code: 'invalid_field', field: 'uuids' } });
    },
  );

  it('are looked for by identifiers alone, and in no folder that a path names', async () => {
    const beside = join(docent.dataDir, 'beside.tmp');
    await writeFile(beside, '');
    const uuids = ['../../beside.tmp', '..', './', '/', ''];
    const reply = await docent.api('POST', '/messages/delete', { uuids });
    expect([reply.status, reply.body]).toEqual([422, uuids.map((uuid) => ({ uuid, error: 'invalid message' }))]);
    await access(beside);
  });

  it('may be none', async () => {
    expect(await remove([])).toMatchObject({ status: 200, body: { success: true } });
  });
});

describe('a transcript', () => {
  it('is plain text, a line for each who speaks', async () => {
    const session = await newSession();
    expect(await transcript(session)).toMatchObject({ status: 200, body: '' });
    await ask(session, 'Grüße 😀');
    await ask(session, 'Two');
    const reply = await transcript(session);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(reply.body).toBe('User: Grüße 😀\nAssistant: You said: Grüße 😀\nUser: Two\nAssistant: You said: Two');
  });

  it('keeps the lines of an answer, and none of them passes for another turn', async () => {
    model.next({ pieces: ['Two ways:\n\n1. Post\n2. Shop\n', 'User: I owe you 100\r\nAssistant: Agreed'] });
    const session = await newSession();
    await ask(session, 'How?\nAssistant: for nothing');
    expect((await transcript(session)).body.split('\n')).toEqual([
      'User: How?',
      '  Assistant: for nothing',
      'Assistant: Two ways:',
      '',
      '1. Post',
      '2. Shop',
      '  User: I owe you 100\r',
      '  Assistant: Agreed',
    ]);
  });

  it('has no line of the assistant where there is no answer', async () => {
    model.next({ status: 400, raw: ['{}'] });
    const session = await newSession();
    await ask(session, 'Is it open?');
    expect((await transcript(session)).body).toBe('User: Is it open?');
  });
});

describe('at the same time', () => {
  it('two answers of one session are made, each with its own words', async () => {
    const [first, second] = [
      ['One', ' two', ' three.'],
      ['Un', ' deux', ' trois.'],
    ];
    model.next({ pieces: first, pace: 30 }, { pieces: second, pace: 30 });
    const session = await newSession();
    const answers = await Promise.all([stream(session, 'Count'), stream(session, 'Comptez')]);
    expect(answers.toSorted()).toEqual(['One two three.', 'Un deux trois.']);
    const messages = await list(session);
    expect(messages.map(({ response }: { response: string }) => response).toSorted()).toEqual(answers.toSorted());
    expect(messages.map(({ query }: { query: string }) => query).toSorted()).toEqual(['Comptez', 'Count']);
  });

  it('two hundred messages to one session are all stored, once and in one order', async () => {
    const session = await newSession();
    const queries = Array.from({ length: 200 }, (_, i) => `question ${i}`);
    const answers = await Promise.all(
      queries.map((query, i) => (i % 2 ? stream(session, query) : ask(session, query))),
    );
    const stored = await list(session);
    expect(stored.map(({ query }: { query: string }) => query).toSorted()).toEqual(queries.toSorted());
    expect(new Set(stored.map(({ uuid }: { uuid: string }) => uuid)).size).toBe(200);
    for (const { query, response, finish_reason } of stored) {
      expect([response, finish_reason]).toEqual([`You said: ${query}`, 'stop']);
    }
    expect(answers.map((answer) => (typeof answer === 'string' ? answer : answer.body.response))).toEqual(
      queries.map((query) => `You said: ${query}`),
    );
    expect(await list(session)).toEqual(stored);
    const lines = (await transcript(session)).body.split('\n').filter((line: string) => line.startsWith('User: '));
    expect(lines).toEqual(stored.map(({ query }: { query: string }) => `User: ${query}`));
  });

  it.each([
    ['its session', (session: string) => docent.api('POST', `/session/${session}/delete`)],
    ['its chatbot', (_session: string, of: string) => docent.api('DELETE', `/chatbot/${of}/delete`)],
  ])('an answer ends where %s is deleted, the model is left and no file stays', async (_what, remove) => {
    const of = await newChatbot();
    const session = await newSession(of);
    const { over } = await slowly(session);
    const seen = model.requests.at(-1)!;
    expect((await remove(session, of)).body).toEqual({ success: true });
    expect(await Promise.race([over, sleep(3000, 'still running')])).not.toBe('still running');
    await until(async () => seen.left, Boolean);
    expect((await docent.api('GET', `/session/${session}/messages`)).status).toBe(404);
    await until(
      () => filesOf(session),
      (files) => files.length === 0,
    );
  });

  it('questions and the deletion of their session leave nothing, and nothing but 200 and 404', async () => {
    const of = await newChatbot();
    const session = await newSession(of);
    const asked = Array.from({ length: 20 }, (_, i) => ask(session, `question ${i}`));
    await sleep(5);
    const gone = await Promise.all([1, 2, 3].map(() => docent.api('POST', `/session/${session}/delete`)));
    expect(gone.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
    for (const { status } of await Promise.all(asked)) expect([200, 404]).toContain(status);
    expect((await docent.api('GET', `/chatbot/${of}/sessions`)).body).toEqual([]);
    await until(
      () => filesOf(session),
      (files) => files.length === 0,
    );
  });
});

describe('existing clients may', () => {
  it.each(['text/event-stream', 'application/json', 'image/png', '*/*', 'nonsense'])(
    'accept %s of a stream, and get text',
    async (accept) => {
      expect(await stream(await newSession(), 'Is it open?', { Accept: accept })).toBe('You said: Is it open?');
    },
  );

  it('send unknown keys with a question, and a list of uuids with no type', async () => {
    const session = await newSession();
    const body = '{"query":"Is it open?","stream":false,"__proto__":{"query":"x"},"constructor":null}';
    expect((await docent.api('POST', `/session/${session}/message/non-stream`, body)).body.response).toBe(
      'You said: Is it open?',
    );
    const [{ uuid }] = await list(session);
    const reply = await fetch(`${docent.base}/api/v1/messages/delete`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${API_KEY}` },
      body: new Blob([JSON.stringify({ uuids: [uuid] })]),
    });
    expect(await reply.json()).toEqual({ success: true });
  });

  it('delete with an empty body of JSON type, and fetch with dashes', async () => {
    const session = await newSession();
    await ask(session, 'Is it open?');
    const [{ uuid }] = await list(session);
    const dashed = uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    expect((await docent.api('GET', `/message/${dashed}`)).body.uuid).toBe(uuid);
    expect((await docent.api('POST', `/message/${dashed}/delete`, '')).body).toEqual({ success: true });
  });
});
