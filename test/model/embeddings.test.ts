import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Refusal } from '../../server/schema/errors.ts';
import { createEmbedder } from '../../server/model/embeddings.ts';
import { TextsRefused, type Embedder } from '../../server/model/model.ts';
import { fakeEmbedding, startFakeModel, type FakeModel } from '../fakes/model.ts';

const KEY = 'sk-canary-0123456789';
const TEXT = 'Bicycles may be hired at the blue canary.';

let fake: FakeModel;
let embedder: Embedder;

beforeEach(async () => {
  fake = await startFakeModel();
  embedder = embedderAt(fake.baseUrl);
});

afterEach(async () => {
  await embedder.close();
  await fake.close();
});

function embedderAt(baseUrl: string, more: Partial<Parameters<typeof createEmbedder>[0]> = {}): Embedder {
  const timeouts = { connect: 200, firstByte: 200, betweenChunks: 200 };
  return createEmbedder({ baseUrl, model: 'small', apiKey: KEY, timeouts, ...more });
}

/** The messages of the error and of its cause, as the log gets them. */
async function refusal(texts = [TEXT], patience?: number): Promise<{ code: string; words: string }> {
  const error = await embedder.embed(texts, patience).then(
    () => Promise.reject(new Error('it was answered')),
    (fault: Refusal) => fault,
  );
  const words = `${error.message} ${(error.cause as Error | undefined)?.message}`;
  expect(words).not.toContain(KEY);
  expect(words).not.toContain('canary');
  return { code: error.code, words };
}

const reply = (data: unknown) => ({ raw: [JSON.stringify({ data })] });

describe('embeddings', () => {
  it('are requested in the OpenAI format, with the key', async () => {
    await embedder.embed([TEXT]);
    const [{ path, headers, body }] = fake.embedRequests as [FakeModel['embedRequests'][number]];
    expect(path).toBe('/v1/embeddings');
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'content-type': 'application/json' });
    expect(body).toEqual({ model: 'small', input: [TEXT] });
  });

  it('are normalised, in the order of their texts whatever order they arrive in', async () => {
    fake.nextEmbedding(
      reply([
        { index: 1, embedding: [0, 5] },
        { index: 0, embedding: [3, 4] },
      ]),
    );
    const vectors = await embedder.embed(['a', 'b']);
    expect(vectors.map((vector) => Array.from(vector, (value) => Number(value.toFixed(4))))).toEqual([
      [0.6, 0.8],
      [0, 1],
    ]);
    const [own] = await embedder.embed([TEXT]);
    const expected = fakeEmbedding(TEXT, 'small');
    const length = Math.hypot(...expected);
    expect(own).toEqual(Float32Array.from(expected, (value) => Math.fround(value) / length));
  });

  it('of many and long texts are requested in batches of bounded size', async () => {
    const texts = Array.from({ length: 70 }, (_, n) => `${n} ${'long '.repeat(2000)}`);
    expect(await embedder.embed(texts)).toHaveLength(70);
    expect(fake.embedRequests.map(({ body }) => body.input.length)).toEqual([32, 32, 6]);
    for (const { body } of fake.embedRequests) for (const text of body.input) expect(text).toHaveLength(2000);
    expect(await embedder.embed([])).toEqual([]);
    expect(fake.embedRequests).toHaveLength(3);
  });

  it('of texts too long for the server are made of their beginnings, then and later', async () => {
    const long = 'word '.repeat(600);
    fake.nextEmbedding({ status: 413, raw: ['{"error":"too long"}'] }, { status: 400, raw: ['{}'] });
    await embedder.embed([long]);
    await embedder.embed([long]);
    expect(fake.embedRequests.map(({ body }) => body.input[0]!.length)).toEqual([2000, 1000, 500, 500]);
  });

  it('of texts that the server rejects at every length fail with TextsRefused', async () => {
    fake.embedScript = { status: 422, raw: [JSON.stringify({ error: `no: ${TEXT}` })] };
    const fault = await embedder.embed([TEXT]).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(TextsRefused);
    expect(String(fault)).not.toContain('canary');
    expect(fake.embedRequests).toHaveLength(4);
  });

  it('are requested once more after a reset connection, and after a short Retry-After', async () => {
    fake.nextEmbedding({ cutAfter: 0 });
    expect(await embedder.embed([TEXT])).toHaveLength(1);
    fake.nextEmbedding({ status: 429, headers: { 'retry-after': '0' }, raw: ['{}'] });
    expect(await embedder.embed([TEXT])).toHaveLength(1);
    expect(fake.embedRequests).toHaveLength(4);
  });

  it.each([
    ['a status', { status: 500, raw: [JSON.stringify({ error: { message: `no: ${TEXT} ${KEY}` } })] }, 'model_failed'],
    ['no JSON', { raw: ['<html>'] }, 'model_failed'],
    ['no list', reply('none'), 'model_failed'],
    ['too few', reply([]), 'model_failed'],
    ['nothing in it', reply([null]), 'model_failed'],
    ['no numbers', reply([{ index: 0, embedding: ['a'] }]), 'model_failed'],
    ['zeros', reply([{ index: 0, embedding: [0, 0] }]), 'model_failed'],
    ['an index of its own', reply([{ index: 7, embedding: [1] }]), 'model_failed'],
    ['an index below all', reply([{ index: -1, embedding: [1] }]), 'model_failed'],
    ['an index between two', reply([{ index: 0.5, embedding: [1] }]), 'model_failed'],
    ['too much', { raw: [Buffer.alloc(9_000_000, 32)] }, 'model_failed'],
    ['a long pause', { status: 429, headers: { 'retry-after': '60' }, raw: ['{}'] }, 'unavailable'],
    ['nothing in time', { hangAfter: 0 }, 'model_timeout'],
  ])('that come as %s are an error whose message has no key and no text', async (_, script, code) => {
    fake.embedScript = script;
    expect((await refusal()).code).toBe(code);
  });

  it('of different dimensions are an error', async () => {
    fake.embedScript = reply([{ embedding: [1, 2] }, { embedding: [1] }]);
    expect((await refusal(['a', 'b'])).code).toBe('model_failed');
  });

  it('are an error when the deadline of the caller has passed', async () => {
    // The time-outs are longer than a test may take.
    const day = 86_400_000;
    embedder = embedderAt(fake.baseUrl, { timeouts: { firstByte: day, betweenChunks: day } });
    fake.embedScript = { hangAfter: 0 };
    expect((await refusal([TEXT], 100)).code).toBe('model_timeout');
    fake.embedScript = undefined;
    expect(await embedder.embed([TEXT], 2000)).toHaveLength(1);
  });

  it('are an error where the server is unreachable', async () => {
    embedder = embedderAt('http://127.0.0.1:9/v1');
    expect((await refusal()).code).toBe('model_failed');
  });
});
