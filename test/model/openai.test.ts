import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Refusal } from '../../server/schema/errors.ts';
import type { Generation, Model, ModelRequest } from '../../server/model/model.ts';
import { createOpenAi } from '../../server/model/openai.ts';
import { event, startFakeModel, streamOf, type FakeModel, type Script } from '../fakes/model.ts';

const KEY = 'sk-canary-0123456789';
const QUESTION: ModelRequest = {
  messages: [
    { role: 'system', content: 'Answer from the passages.' },
    { role: 'user', content: 'Is the blue canary waterproof, and for how long?' },
  ],
  temperature: 0.3,
};

let fake: FakeModel;
let model: Model;
let logged: string;

beforeEach(async () => {
  fake = await startFakeModel();
  logged = '';
  model = modelAt(fake.baseUrl);
});

afterEach(async () => {
  await model.close();
  await fake.close();
});

function modelAt(baseUrl: string, more: Partial<Parameters<typeof createOpenAi>[0]> = {}): Model {
  const log = pino({}, { write: (line: string) => void (logged += line) });
  return createOpenAi({ baseUrl, model: 'fake-1', apiKey: KEY, log, ...more });
}

interface Answer {
  pieces: string[];
  text: string;
  finish: string | undefined;
  totalTokens: number | undefined;
  refusal: Refusal | undefined;
}

async function ask(onPiece?: (piece: string, generation: Generation) => void): Promise<Answer> {
  const pieces: string[] = [];
  const generation: Generation = model.generate(QUESTION, (piece) => {
    pieces.push(piece);
    onPiece?.(piece, generation);
  });
  const ended = await generation.done.then(
    (outcome) => ({ ...outcome, refusal: undefined }),
    (refusal: Refusal) => ({ finish: undefined, totalTokens: undefined, refusal }),
  );
  return { pieces, text: pieces.join(''), ...ended };
}

function answerTo(script: Script): Promise<Answer> {
  fake.next(script);
  return ask();
}

describe('a request', () => {
  test('is a streamed chat completion with the key, the model and the messages', async () => {
    await ask();
    const [request] = fake.requests;
    expect(request?.path).toBe('/v1/chat/completions');
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.body).toEqual({
      model: 'fake-1',
      messages: QUESTION.messages,
      temperature: 0.3,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('without a key has no authorization; slash and query of the base URL are kept', async () => {
    model = modelAt(`${fake.baseUrl}/?api-version=2026-01-01`, { apiKey: undefined });
    await ask();
    expect(fake.requests[0]?.headers.authorization).toBeUndefined();
    expect(fake.requests[0]?.path).toBe('/v1/chat/completions?api-version=2026-01-01');
  });

  test('after another uses the same connection', async () => {
    await ask();
    await ask();
    expect(fake.requests).toHaveLength(2);
    expect(fake.requests[0]?.port).toBe(fake.requests[1]?.port);
  });

  test('is one of a hundred at the same time, all streamed at the same time', async () => {
    // No reply begins before all hundred requests are there: one after the other, they would wait for ever.
    let begin = (): void => {};
    const hold = new Promise<void>((resolve) => (begin = resolve));
    const script = { pieces: ['one ', 'two ', 'three'], hold };
    fake.next(...Array.from({ length: 100 }, () => script));
    const answers = Promise.all(Array.from({ length: 100 }, () => ask()));
    await expect.poll(() => fake.requests).toHaveLength(100);
    begin();
    expect(new Set((await answers).map(({ text }) => text))).toEqual(new Set(['one two three']));
  });
});

describe('a good stream', () => {
  test('each piece arrives as it is written, before the answer ends', async () => {
    fake.next({ pieces: ['First', ' then', ' last'], pace: 40 });
    const at: number[] = [];
    const answer = await ask(() => at.push(performance.now()));
    expect(answer.pieces).toEqual(['First', ' then', ' last']);
    expect((at[2] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(50);
    expect(answer.finish).toBe('stop');
  });

  test('pieces of one chunk are passed on in the same tick, one by one', async () => {
    const ticks: number[] = [];
    let tick = 0;
    fake.next({ pieces: ['a', 'b', 'c'] });
    const answer = await ask(() => {
      ticks.push(tick);
      setImmediate(() => (tick += 1));
    });
    expect(answer.pieces).toEqual(['a', 'b', 'c']);
    expect(new Set(ticks).size).toBe(1);
  });

  test('tokens are the server’s count, or else a quarter of the characters', async () => {
    expect((await answerTo({ totalTokens: 321 })).totalTokens).toBe(321);
    const characters = QUESTION.messages.reduce((sum, { content }) => sum + content.length, 0) + 'It works.'.length;
    expect((await answerTo({})).totalTokens).toBe(Math.ceil(characters / 4));
  });

  test('finish_reason length is kept; every other one becomes stop', async () => {
    expect((await answerTo({ finish: 'length' })).finish).toBe('length');
    expect((await answerTo({ finish: 'content_filter' })).finish).toBe('stop');
    expect((await answerTo({ finish: 'eos_token' })).finish).toBe('stop');
  });

  test('a finish_reason or [DONE] ends the answer', async () => {
    expect(await answerTo({ done: false })).toMatchObject({ text: 'It works.', finish: 'stop' });
    expect(await answerTo({ finish: null })).toMatchObject({ text: 'It works.', finish: 'stop' });
  });

  test('a connection that breaks after the finish_reason is no failure', async () => {
    const raw = streamOf({ done: false });
    expect(await answerTo({ raw: [...raw, ': bye\n'], cutAfter: raw.length })).toMatchObject({ text: 'It works.' });
  });

  test('an answer in one JSON object, in spite of stream: true, is read', async () => {
    const whole = {
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Whole — at once.' }, finish_reason: 'length' }],
      usage: { total_tokens: 12 },
    };
    const raw = [JSON.stringify(whole, null, 2)];
    const answer = await answerTo({ raw, headers: { 'content-type': 'application/json' } });
    expect(answer).toMatchObject({ pieces: ['Whole — at once.'], finish: 'length', totalTokens: 12 });
  });

  test('text parts of content are the answer; reasoning fields are not', async () => {
    const parts = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'Yes' },
      { type: 'text', text: '.' },
    ];
    const raw = [
      event({ choices: [{ index: 0, delta: { reasoning_content: 'The canary…', content: null } }] }),
      event({ choices: [{ index: 0, delta: { reasoning: 'is blue', content: '' } }] }),
      event({ choices: [{ index: 0, delta: { content: parts }, finish_reason: 'stop' }] }),
    ];
    expect((await answerTo({ raw })).text).toBe('Yes.');
  });
});

describe('variants of the event stream', () => {
  const TEXT = ['Wasserdicht: ', '防水 ', '🏳️‍🌈 ', 'ไม่ ', 'é'];

  test.each([
    ['carriage returns', (stream: string) => stream.replaceAll('\n', '\r\n')],
    ['no space after data:', (stream: string) => stream.replaceAll('data: ', 'data:')],
    [
      'comments and foreign fields',
      (stream: string) => `: hello\n\nretry: 5\n\n${stream.replaceAll('data:', 'id: 7\nevent: x\n: y\ndata:')}`,
    ],
    ['data over several lines', (stream: string) => stream.replaceAll('"choices":', '\ndata: "choices":\ndata:')],
    ['one line end after each event', (stream: string) => stream.replaceAll('\n\n', '\n')],
    ['no line end at the end', (stream: string) => stream.trimEnd()],
    ['a byte order mark', (stream: string) => `\uFEFF${stream}`],
    ['events that are no JSON', (stream: string) => `data: {"choices":[{\n\ndata: null\n\ndata: 7\n\n${stream}`],
    ['characters escaped in halves', (stream: string) => stream.replaceAll('🏳', '\\ud83c\\udff3')],
  ])('%s: the answer is the same', async (_, bend) => {
    const stream = bend(streamOf({ pieces: TEXT }).join(''));
    expect(await answerTo({ raw: [stream] })).toMatchObject({ text: TEXT.join(''), finish: 'stop' });
  });

  test('a stream written byte by byte reads the same', async () => {
    const bytes = Buffer.from(
      streamOf({ pieces: ['防', '🏳️‍🌈'] })
        .slice(1)
        .join('')
        .replaceAll('\n', '\r\n'),
    );
    const raw = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect((await answerTo({ raw, pace: 0 })).text).toBe('防🏳️‍🌈');
  });

  test('an event larger than a network chunk is read', async () => {
    const large = 'wörd '.repeat(60_000);
    expect((await answerTo({ pieces: [large, 'end'] })).text).toBe(`${large}end`);
  });

  test('an event over 1 MB is an error, and the connection is closed', async () => {
    const raw = ['data: {"choices":[{"delta":{"content":"', ...Array.from({ length: 40 }, () => 'x'.repeat(65_536))];
    const { refusal } = await answerTo({ raw, pace: 0 });
    expect(refusal?.code).toBe('model_failed');
    await expect.poll(() => fake.requests[0]?.left).toBe(true);
  });
});

describe('a stream that fails', () => {
  test('by being cut off is an error after the text so far', async () => {
    const cleanly = await answerTo({ finish: null, done: false });
    expect(cleanly).toMatchObject({ text: 'It works.', refusal: { code: 'model_failed', status: 502 } });
    const reset = await answerTo({ cutAfter: 3 });
    expect(reset).toMatchObject({ text: 'It works', refusal: { code: 'model_failed' } });
    expect(fake.requests).toHaveLength(2);
  });

  test('an error event ends it, and its message is not passed on', async () => {
    const error = { message: `cannot say: ${QUESTION.messages[1]?.content}`, type: 'server_error', code: null };
    const answer = await answerTo({ raw: [...streamOf({}).slice(0, 2), event({ error })] });
    expect(answer).toMatchObject({ text: 'It ', refusal: { code: 'model_failed' } });
    expect(String(answer.refusal?.cause)).toContain('server_error');
    expect(String(answer.refusal?.cause)).not.toContain('canary');
  });

  test('an empty answer, or one of white space, is an error', async () => {
    expect((await answerTo({ pieces: [] })).refusal?.code).toBe('model_failed');
    expect((await answerTo({ pieces: ['\n', ' '] })).refusal?.code).toBe('model_failed');
    expect((await answerTo({ raw: ['<html>', '</html>'] })).refusal?.code).toBe('model_failed');
  });

  test('silence before the headers and between chunks is a time-out', async () => {
    model = modelAt(fake.baseUrl, { timeouts: { firstByte: 200 } });
    expect((await answerTo({ hangAfter: 0 })).refusal).toMatchObject({ code: 'model_timeout', status: 504 });
    model = modelAt(fake.baseUrl, { timeouts: { betweenChunks: 1000 } });
    const midway = await answerTo({ hangAfter: 2 });
    expect(midway).toMatchObject({ text: 'It ', refusal: { code: 'model_timeout' } });
  });

  test('an unreachable server is an error', async () => {
    await fake.close();
    expect((await ask()).refusal?.code).toBe('model_failed');
  });
});

describe('an error reply', () => {
  test('its message goes to the log without the key, and not to the caller', async () => {
    const body = JSON.stringify({ error: { message: `no model fake-1 for ${KEY}` } });
    const { refusal } = await answerTo({ status: 404, raw: [body] });
    expect(refusal).toMatchObject({ code: 'model_failed', status: 502 });
    expect(refusal?.message).not.toContain('fake-1');
    expect(String(refusal?.cause)).toContain('404 no model fake-1 for [key]');
    expect(logged).not.toContain(KEY);
  });

  test('a message that quotes the question does not go to the log', async () => {
    const detail = `value_error near "the blue canary waterproof"`;
    const { refusal } = await answerTo({ status: 500, raw: [JSON.stringify({ detail })] });
    expect(String(refusal?.cause)).toMatch(/500 \(its words quote the request\)/);
  });

  test('a long body is cut off', async () => {
    const raw = Array.from({ length: 200 }, () => 'x'.repeat(4096));
    const { refusal } = await answerTo({ status: 500, raw, pace: 5 });
    expect(refusal?.code).toBe('model_failed');
    await expect.poll(() => fake.requests[0]?.left).toBe(true);
  });

  test('a redirect is not followed', async () => {
    const { refusal } = await answerTo({ status: 307, headers: { location: '/elsewhere' }, raw: [''] });
    expect(refusal?.code).toBe('model_failed');
    expect(fake.requests).toHaveLength(1);
  });

  test('an optional field that the server rejects is left out, then and later', async () => {
    fake.next({ status: 400, raw: ['{"error":"unrecognized request argument"}'] });
    expect((await ask()).text).toBe('It works.');
    fake.next({
      status: 400,
      raw: [JSON.stringify({ error: { message: "'temperature' must be 1 with this model" } })],
    });
    expect((await ask()).text).toBe('It works.');
    await ask();
    const sent = fake.requests.map(({ body }) => ['stream_options' in body, 'temperature' in body]);
    expect(sent).toEqual([
      [true, true],
      [false, true],
      [false, true],
      [false, false],
      [false, false],
    ]);
  });

  test('a request that is rejected without the fields too is an error, and the next one has them again', async () => {
    const tooLong = { status: 400, raw: ['{"error":{"message":"maximum context length exceeded"}}'] };
    fake.next(tooLong, tooLong);
    expect((await ask()).refusal?.code).toBe('model_failed');
    await ask();
    expect(fake.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false, true]);
  });
});

const busy = (seconds: string): Script => ({ status: 429, headers: { 'retry-after': seconds }, raw: ['{}'] });

describe('a repeated request', () => {
  test('429 with a short Retry-After is repeated once after that time', async () => {
    fake.next({ status: 429, headers: { 'retry-after': '1' }, raw: ['{}'] });
    const started = performance.now();
    expect((await ask()).text).toBe('It works.');
    expect(performance.now() - started).toBeGreaterThan(900);
  });

  test('429 twice, or with a long Retry-After, is an error with the time to wait', async () => {
    fake.next(busy('0'), busy('3'));
    expect((await ask()).refusal).toMatchObject({ code: 'unavailable', status: 503, retryAfter: 3 });
    fake.next(busy('90'));
    expect((await ask()).refusal).toMatchObject({ code: 'unavailable', retryAfter: 90 });
    expect(fake.requests).toHaveLength(3);
  });

  test('Retry-After may be a date', async () => {
    model = modelAt(fake.baseUrl, { clock: () => Date.parse('2026-11-20T12:00:00Z') });
    const headers = { 'retry-after': 'Fri, 20 Nov 2026 12:01:00 GMT' };
    expect((await answerTo({ status: 429, headers, raw: [''] })).refusal?.retryAfter).toBe(60);
  });

  test('a connection reset before the first byte is repeated once', async () => {
    fake.next({ cutAfter: 0 });
    expect((await ask()).text).toBe('It works.');
    fake.next({ cutAfter: 0 }, { cutAfter: 0 });
    expect((await ask()).refusal?.code).toBe('model_failed');
    expect(fake.requests).toHaveLength(4);
  });

  test('a server that restarted is reached again', async () => {
    await ask();
    const port = Number(new URL(fake.baseUrl).port);
    await fake.close();
    fake = await startFakeModel({ port });
    expect((await ask()).text).toBe('It works.');
  });
});

describe('stop', () => {
  test('ends the request; the answer is the text so far', async () => {
    fake.next({ pieces: ['one', ' two', ' three', ' four'], pace: 50 });
    const answer = await ask((piece, generation) => piece === ' two' && generation.stop());
    expect(answer).toMatchObject({ text: 'one two', finish: 'stop', refusal: undefined });
    await expect.poll(() => fake.requests[0]?.left).toBe(true);
  });

  test('before the first byte, and during a pause, ends at once', async () => {
    fake.next({ hangAfter: 0 }, { status: 429, headers: { 'retry-after': '2' }, raw: [''] });
    const unsent = model.generate(QUESTION, () => {});
    unsent.stop();
    expect(await unsent.done).toMatchObject({ finish: 'stop' });
    const waiting = model.generate(QUESTION, () => {});
    await expect.poll(() => fake.requests.length).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    waiting.stop();
    expect(await waiting.done).toMatchObject({ finish: 'stop' });
  });

  test('passes on nothing more, and the next question is answered', async () => {
    fake.next({ pieces: ['a', 'b', 'c', 'd'] });
    const answer = await ask((_, generation) => generation.stop());
    expect(answer.pieces).toEqual(['a']);
    expect((await ask()).text).toBe('It works.');
  });
});
