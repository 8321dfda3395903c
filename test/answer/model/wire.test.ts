import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { event, startFakeModel, streamOf, type FakeModel, type Script } from '../../fakes/model.ts';
import { start, until, type Running } from '../../running.ts';

/** What a visitor gets for whatever a model server sends, over HTTP. */

const QUOTED = 'You may return a lamp within 45 days.';
const QUERY = 'For how many days may I return this lamp?';
const SPOKEN = 'Ja — 45 Tage, 防水 🏳️‍🌈.';

let fake: FakeModel;
let running: Running;
let chatbot: string;

beforeAll(async () => {
  fake = await startFakeModel({ script: { pieces: ['The model speaks.'] } });
  running = await start({ LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'fake-1', FIRST_TOKEN_TIMEOUT: '3' });
  chatbot = (await running.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
  const pair = { question: 'How long may I return a lamp?', answer: QUOTED };
  await running.api('POST', `/chatbot/${chatbot}/data-source/qa`, pair);
  const sources = () => running.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
  await until(sources, ([source]) => source.status === 'success');
});
afterAll(async () => {
  await running.stop();
  await fake.close();
});

async function ask() {
  const session = (await running.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
  const reply = await running.api('POST', `/session/${session}/message/non-stream`, { query: QUERY });
  const [message] = (await running.api('GET', `/session/${session}/messages`)).body;
  const { fallback, actual_token_distribution, functions_called } = JSON.parse(message.meta_json);
  const { total_tokens: tokens } = actual_token_distribution;
  return {
    status: reply.status,
    response: message.response,
    finish: message.finish_reason,
    fallback,
    tokens,
    functions_called,
  };
}

beforeEach(async () => {
  // A complete answer: no failure of the test before counts towards a pause.
  expect((await ask()).response).toBe('The model speaks.');
});

const stream = streamOf({ pieces: [SPOKEN.slice(0, 9), SPOKEN.slice(9)] }).join('');
const cutEvery = (size: number): Script => {
  const piece = (content: string): string => event({ choices: [{ delta: { content } }] });
  const bytes = Buffer.from(`${piece(SPOKEN.slice(0, 9))}${piece(SPOKEN.slice(9))}data: [DONE]\n\n`);
  const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => at * size);
  return { raw: starts.map((from) => bytes.subarray(from, from + size)), pace: 0 };
};
const again = (status: number): Script => ({ status, headers: { 'retry-after': '0' }, raw: ['{}'] });
const usage = { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 };
const called = { toolCalls: [{ name: 'delete_all', arguments: {} }] };
const error = { message: 'canary', type: 'server_error' };

describe('an answer of the model', () => {
  it.each<[string, Script[], number | undefined]>([
    ['in chunks of one byte', [cutEvery(1)], undefined],
    ['in chunks of seven bytes', [cutEvery(7)], undefined],
    [
      'with its usage at the end',
      [{ raw: [stream.replace('data: [DONE]', `${event({ choices: [], usage })}$&`)] }],
      100,
    ],
    ['with its usage in the last piece', [{ pieces: [SPOKEN], totalTokens: 77 }], 77],
    ['after a 429 that names a short time', [again(429), { pieces: [SPOKEN] }], undefined],
    ['after a 503 that names a short time', [again(503), { pieces: [SPOKEN] }], undefined],
    ['after a reset connection', [{ cutAfter: 0 }, { pieces: [SPOKEN] }], undefined],
    ['with a call of a tool that it was not offered', [{ ...called, pieces: [SPOKEN] }], undefined],
    ['between garbage', [{ raw: ['data: {"choices":7}\n\ndata: [1]\n\nnoise\n\n', stream] }], undefined],
  ])('%s is whole', async (_, scripts, tokens) => {
    fake.next(...scripts);
    const answer = await ask();
    expect(answer).toMatchObject({ status: 200, response: SPOKEN, finish: 'stop', functions_called: [] });
    expect(answer.fallback).toBeUndefined();
    if (tokens !== undefined) expect(answer.tokens).toBe(tokens);
  });
});

describe('quotes stand in for a model that', () => {
  const comments = Array.from({ length: 500 }, () => ': still here\n\n');
  const reasons = Array.from({ length: 500 }, () => event({ choices: [{ delta: { reasoning_content: 'hm ' } }] }));

  it.each<[string, Script, string]>([
    ['sends an error before its first word', { raw: [event({ error })] }, 'bad_reply'],
    ['sends an error in mid-stream', { raw: [...streamOf({}).slice(0, 2), event({ error })] }, 'bad_reply'],
    ['sends nothing', { hangAfter: 0 }, 'timeout'],
    ['sends its head and nothing more', { hangAfter: 1 }, 'timeout'],
    ['sends comments alone', { raw: comments, pace: 10 }, 'timeout'],
    ['sends reasoning alone', { raw: reasons, pace: 10 }, 'timeout'],
    ['asks to come back much later', { status: 429, headers: { 'retry-after': '60' }, raw: ['{}'] }, 'busy'],
    ['is not ready, and does not say when it is', { status: 503, raw: ['{}'] }, 'status_503'],
    ['calls a tool that it was not offered', called, 'bad_reply'],
    ['sends a page', { raw: ['<!doctype html><title>Sign in</title>'] }, 'bad_reply'],
    ['sends bytes', { raw: [Buffer.from([0xff, 0xfe, 0, 1, 2, 10, 10])] }, 'bad_reply'],
  ])('%s', async (_, script, reason) => {
    fake.next(script);
    expect(await ask()).toMatchObject({ status: 200, response: QUOTED, finish: 'stop', fallback: reason });
  });
});
