import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { API_KEY, site, start, until, type Running } from '../../running.ts';

let docent: Running;
let model: FakeModel;
let shop: Awaited<ReturnType<typeof site>>;
let chatbot: string;

beforeAll(async () => {
  model = await startFakeModel();
  shop = await site({
    '/returns': `<title>Returns</title><main><p>You may return any item within 45 days of delivery.</p></main>`,
  });
  docent = await start({
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'small',
    FALLBACK: '0',
    LLM_API_KEY: 'sk-canary',
    FETCH_ALLOW: shop.host,
  });
  const made = await docent.api('POST', '/chatbot/create', { name: 'Shop', show_citations: true });
  chatbot = made.body.uuid;
  await docent.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: `${shop.base}/returns` });
  const sources = () => docent.api('GET', `/chatbot/${chatbot}/data-sources`).then((reply) => reply.body);
  await until(sources, ([one]) => one.status === 'success');
});
afterAll(async () => {
  await docent.stop();
  await model.close();
  await shop.close();
});

const QUESTION = 'How long may I return an item?';

const newSession = async (of = chatbot): Promise<string> =>
  (await docent.api('POST', `/chatbot/${of}/session/create`)).body.uuid;

const messages = async (session: string) => (await docent.api('GET', `/session/${session}/messages`)).body;

/** What an HTTP/1.0 client reads, and `end` or the code of the error with which the connection ends. */
function oldClient(session: string): Promise<{ text: string; end: string | undefined }> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(docent.base);
    const socket = connect({ host: hostname, port: Number(port) }).setEncoding('utf8');
    let text = '';
    socket.on('data', (part: string) => (text += part));
    socket.once('end', () => resolve({ text, end: 'end' }));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve({ text, end: code }));
    const body = JSON.stringify({ query: QUESTION });
    socket.write(
      `POST /api/v1/session/${session}/message/stream HTTP/1.0\r\nHost: ${hostname}\r\nAuthorization: Bearer ${API_KEY}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  });
}

/** The reply's body as it came over the wire, a buffer a chunk. */
function chunks(session: string, query = QUESTION): Promise<{ status: number; parts: Buffer[]; cut: boolean }> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' };
    const sent = request(
      `${docent.base}/api/v1/session/${session}/message/stream`,
      { method: 'POST', headers },
      (reply) => {
        const parts: Buffer[] = [];
        reply.on('data', (part: Buffer) => parts.push(part));
        const over = (cut: boolean) => () => resolve({ status: reply.statusCode ?? 0, parts, cut });
        reply.on('end', over(false));
        reply.on('error', over(true));
      },
    );
    sent.on('error', reject).end(JSON.stringify({ query }));
  });
}

describe('an answer by a model', () => {
  it('is streamed as it is written, from the passages, and cites them', async () => {
    model.next({ pieces: ['Within ', '45 days', ' [1]', '.'], pace: 60, totalTokens: 321 });
    const session = await newSession();
    const { parts, cut } = await chunks(session);
    expect(parts.length).toBeGreaterThan(1);
    expect(cut).toBe(false);
    expect(Buffer.concat(parts).toString()).toBe('Within 45 days [1].');
    const [message] = await messages(session);
    expect(message).toMatchObject({ response: 'Within 45 days [1].', finish_reason: 'stop' });
    expect(JSON.parse(message.cite_data_json)['1']).toMatchObject({ title: 'Returns', type: 'link' });
    expect(JSON.parse(message.meta_json)).toMatchObject({
      actual_token_distribution: { total_tokens: 321 },
      credits: 1,
    });
    const asked = model.requests.at(-1)!;
    expect(asked.headers.authorization).toBe('Bearer sk-canary');
    expect(asked.body).toMatchObject({ model: 'small', temperature: 0, stream: true });
    expect(asked.body.messages[0]?.content).toContain('You may return any item within 45 days of delivery.');
    expect(asked.body.messages.at(-1)).toEqual({ role: 'user', content: QUESTION });
  });

  it('is given the turns before it', async () => {
    const session = await newSession();
    model.next({ pieces: ['Within 45 days [1].'] }, { pieces: ['Yes.'] });
    await chunks(session);
    await chunks(session, 'And for Spain?');
    expect(model.requests.at(-1)!.body.messages.slice(1)).toEqual([
      { role: 'user', content: QUESTION },
      { role: 'assistant', content: 'Within 45 days.' },
      { role: 'user', content: 'And for Spain?' },
    ]);
  });

  it('never splits a character between writes, nor sends white space alone', async () => {
    const text = 'Ja — 45 Tage 😀 für 漢字 👩‍👩‍👧.';
    const event = Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);
    const gaps = ['\\n\\n', ' ', 'End', ' ', '\\n'].map(
      (gap) => `data: {"choices":[{"delta":{"content":"${gap}"}}]}\n\n`,
    );
    const halves = ['\\ud83d', '\\ude00'].map((half) => `data: {"choices":[{"delta":{"content":"${half}"}}]}\n\n`);
    model.next({
      raw: [...Array.from(event, (byte) => Buffer.of(byte)), ...gaps, ...halves, 'data: [DONE]\n\n'],
      pace: 1,
    });
    const session = await newSession();
    const { parts } = await chunks(session);
    for (const part of parts) {
      expect(part.toString('utf8')).not.toContain('\ufffd');
      expect(part.toString('utf8').trim()).not.toBe('');
    }
    expect(Buffer.concat(parts).toString()).toBe(`${text}\n\n End \n😀`);
    expect((await messages(session))[0].response).toBe(`${text}\n\n End \n😀`);
  });

  it('shows what there is so far while it is being made', async () => {
    let goOn = (): void => {};
    const hold = new Promise<void>((resolve) => (goOn = resolve));
    model.next({ pieces: ['So ', 'far', ' so good.'], hold, beforeHold: 3 });
    const session = await newSession();
    const whole = chunks(session);
    const part = await until(
      () => messages(session),
      (all) => all[0]?.response === 'So far',
    );
    expect(part[0]).toMatchObject({ finish_reason: '', cite_data_json: '{}' });
    goOn();
    await whole;
    expect((await messages(session))[0]).toMatchObject({ response: 'So far so good.', finish_reason: 'stop' });
  });

  it('goes on and is stored when the caller hangs up in the middle', async () => {
    model.next({ pieces: ['One', ' two', ' three', ' four.'], pace: 40 });
    const session = await newSession();
    const headers = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' };
    await new Promise<void>((done) => {
      const sent = request(`${docent.base}/api/v1/session/${session}/message/stream`, { method: 'POST', headers });
      sent.on('response', (reply) => reply.once('data', () => (sent.destroy(), done())));
      sent.on('error', () => {});
      sent.end(JSON.stringify({ query: QUESTION }));
    });
    const stored = await until(
      () => messages(session),
      (all) => all[0].finish_reason !== '',
    );
    expect(stored[0]).toMatchObject({ response: 'One two three four.', finish_reason: 'stop' });
  });

  it('has no marker left, shown or stored, that points at nothing', async () => {
    model.next({ pieces: ['Within 45 days [1]', ' [', '7', '] or so [0].'] });
    const session = await newSession();
    const { parts } = await chunks(session);
    expect(Buffer.concat(parts).toString()).toBe('Within 45 days [1] or so.');
    const [message] = await messages(session);
    expect([message.response, Object.keys(JSON.parse(message.cite_data_json))]).toEqual([
      'Within 45 days [1] or so.',
      ['1'],
    ]);
  });

  it('loses a marker that its passage does not bear, and quotes the passage word for word for one that it does', async () => {
    const pieces = [
      'Within 30 days [',
      '1]. An item may be',
      ' returned within 45 days [1, 2]',
      '[3](https://evil.test).',
    ];
    model.next({ pieces, pace: 5 });
    const session = await newSession();
    const { parts } = await chunks(session);
    const text = 'Within 30 days. An item may be returned within 45 days [1].';
    expect(Buffer.concat(parts).toString()).toBe(text);
    const [message] = await messages(session);
    expect(message.response).toBe(text);
    expect(JSON.parse(message.cite_data_json)).toEqual({
      1: {
        data_source_uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
        title: 'Returns',
        text: 'You may return any item within 45 days of delivery.',
        file_name: `${shop.base}/returns`,
        type: 'link',
      },
    });
  });

  it('has no marker at all where the chatbot shows no citations', async () => {
    const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Silent' })).body;
    model.next({ pieces: ['Within 45 days [1].'] });
    const session = await newSession(uuid);
    expect(Buffer.concat((await chunks(session)).parts).toString()).toBe('Within 45 days.');
    expect((await messages(session))[0].cite_data_json).toBe('{}');
  });

  it('that is cut at the model’s own limit ends as length', async () => {
    model.next({ pieces: ['Within'], finish: 'length' });
    const session = await newSession();
    await chunks(session);
    expect((await messages(session))[0].finish_reason).toBe('length');
  });
});

describe('what a model thinks', () => {
  it('is not shown, not stored and not sent back', async () => {
    const thought = 'the canary of thought';
    model.next({ pieces: ['<thi', `nk>${thought}`, '</th', 'ink>\n\nWithin', ' 45 days.'] }, { pieces: ['Yes.'] });
    const session = await newSession();
    expect(Buffer.concat((await chunks(session)).parts).toString()).toBe('Within 45 days.');
    await chunks(session);
    expect(JSON.stringify(await messages(session))).not.toContain(thought);
    expect(JSON.stringify(model.requests.at(-1)!.body.messages)).toContain('Within 45 days.');
    expect(JSON.stringify(model.requests.at(-1)!.body.messages)).not.toContain(thought);
  });

  it('and nothing else, is no answer', async () => {
    model.next({ pieces: ['<think>', 'for ever'] });
    expect((await chunks(await newSession())).status).toBe(502);
  });
});

describe('a model that fails', () => {
  it('before the first byte gives an ordinary error, and the message says so', async () => {
    model.next({ status: 400, raw: ['{"error":{"message":"canary-of-the-model"}}'] });
    const session = await newSession();
    const { status, parts } = await chunks(session);
    const body = JSON.parse(Buffer.concat(parts).toString());
    expect([status, body.code]).toEqual([502, 'model_failed']);
    expect(JSON.stringify(body)).not.toContain('canary');
    expect((await messages(session))[0]).toMatchObject({ finish_reason: 'error', response: '' });
  });

  it('in the middle breaks the connection, and leaves what was written with its citations', async () => {
    model.next({ pieces: ['Within 45 days [1]', ' of', ' never'], cutAfter: 3, pace: 20 });
    const session = await newSession();
    const { parts, cut } = await chunks(session);
    expect(cut).toBe(true);
    const [message] = await messages(session);
    expect(message).toMatchObject({ finish_reason: 'error', response: Buffer.concat(parts).toString() });
    expect(message.response).toMatch(/^Within 45 days \[1\]/);
    expect(Object.keys(JSON.parse(message.cite_data_json))).toEqual(['1']);
    expect(message.error_message).not.toBe('');
  });

  it('in the middle resets an HTTP/1.0 connection, whose orderly close would look like the end of a whole answer', async () => {
    model.next({ pieces: ['Within 45 days [1]', ' of', ' never'], cutAfter: 3, pace: 20 });
    const cut = await oldClient(await newSession());
    expect(cut).toMatchObject({ text: expect.stringContaining('Within 45 days [1]'), end: 'ECONNRESET' });
    model.next({ pieces: ['Within 45 days [1].'] });
    const whole = await oldClient(await newSession());
    expect(whole).toMatchObject({ text: expect.stringMatching(/Within 45 days \[1\]\.$/), end: 'end' });
  });
});
