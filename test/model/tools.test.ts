import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Refusal } from '../../server/schema/errors.ts';
import type { Generated, Model, ModelRequest, ModelTool } from '../../server/model/model.ts';
import { createOpenAi } from '../../server/model/openai.ts';
import { event, startFakeModel, streamOf, type FakeModel, type Script } from '../fakes/model.ts';

const ORDER: ModelTool = {
  name: 'order_status',
  description: 'The status of an order.',
  parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
};
const QUESTION: ModelRequest = {
  messages: [{ role: 'user', content: 'Where is my order 1234?' }],
  temperature: 0,
  tools: [ORDER],
};
const REJECTED = { status: 400, raw: ['{"error":{"message":"fake-1 does not support tools"}}'] };

let fake: FakeModel;
let model: Model;

beforeEach(async () => {
  fake = await startFakeModel();
  const log = pino({ level: 'silent' });
  const nameAtServer = (name: string): string | undefined => (name === 'llm-other' ? 'fake-2' : undefined);
  model = createOpenAi({ baseUrl: fake.baseUrl, model: 'fake-1', nameAtServer, apiKey: undefined, log });
});

afterEach(async () => {
  await model.close();
  await fake.close();
});

async function ask(script: Script, request = QUESTION): Promise<Generated & { text: string }> {
  fake.next(script);
  let text = '';
  const generated = await model.generate(request, (piece) => (text += piece)).done;
  return { ...generated, text };
}

const failure = (script: Script): Promise<Refusal> =>
  ask(script).then(
    () => expect.fail('it answered'),
    (refusal: Refusal) => refusal,
  );

/** Events of pieces of calls, one a delta. */
const deltas = (...calls: object[]): string[] => [
  ...calls.map((call) => event({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })),
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
];

describe('a request', () => {
  test('offers tools with their schemas, asks for JSON and bounds the answer', async () => {
    await ask({}, { ...QUESTION, json: true, maxTokens: 300 });
    expect(fake.requests[0]?.body).toEqual({
      model: 'fake-1',
      messages: QUESTION.messages,
      tools: [{ type: 'function', function: ORDER }],
      response_format: { type: 'json_object' },
      max_tokens: 300,
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('holds calls and their replies as the server wrote them', async () => {
    const call = { id: 'call_7', name: 'order_status', arguments: '{"number":"1234"}' };
    await ask(
      {},
      {
        ...QUESTION,
        messages: [
          ...QUESTION.messages,
          { role: 'assistant', content: '', toolCalls: [call] },
          { role: 'tool', content: '{"status":"sent"}', callId: 'call_7' },
        ],
      },
    );
    const { id, ...called } = call;
    expect(fake.requests[0]?.body.messages.slice(1)).toEqual([
      { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: called }] },
      { role: 'tool', tool_call_id: 'call_7', content: '{"status":"sent"}' },
    ]);
  });

  test('without tools names none, also where the list is empty', async () => {
    await ask({}, { ...QUESTION, tools: [] });
    expect(fake.requests[0]?.body).not.toHaveProperty('tools');
  });
});

describe('tool calls of a stream', () => {
  const calls = [
    { id: 'call_a', name: 'order_status', arguments: { number: '1234', note: 'für “Zoë” 🏳️‍🌈' } },
    { id: 'call_b', name: 'order_status', arguments: { number: '5678' } },
  ];
  const whole = calls.map((call) => ({ ...call, arguments: JSON.stringify(call.arguments) }));

  test('are assembled from pieces that take turns, with the text before them', async () => {
    const answer = await ask({ pieces: ['Let me ', 'look.'], toolCalls: calls, totalTokens: 90 });
    expect(answer).toMatchObject({ text: 'Let me look.', finish: 'tool_calls', toolCalls: whole });
    expect(answer).toMatchObject({ totalTokens: 90, promptTokens: 1, completionTokens: 89 });
  });

  test('are the same wherever the chunks are cut', async () => {
    const pieces = Array.from({ length: 10 }, (_, at) =>
      whole.map(({ arguments: text }, index) => ({ index, function: { arguments: text.slice(at * 6, at * 6 + 6) } })),
    );
    const heads = whole.map(({ id, name }, index) => ({ index, id, function: { name, arguments: '' } }));
    const bytes = Buffer.from(deltas(...heads, ...pieces.flat()).join(''));
    const answers = [1, 2, 3, 7, 64].map((size) => {
      const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => at * size);
      return ask({ raw: starts.map((start) => bytes.subarray(start, start + size)), pace: 0 });
    });
    for (const { toolCalls } of await Promise.all(answers)) expect(toolCalls).toEqual(whole);
  });

  test('are read from an answer in one JSON object', async () => {
    const [{ id, ...called }] = whole as [(typeof whole)[0]];
    const message = { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: called }] };
    const raw = [JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })];
    expect((await ask({ raw })).toolCalls).toEqual([whole[0]]);
  });

  test('are none in an answer of text', async () => {
    expect(await ask({})).toMatchObject({ text: 'It works.', finish: 'stop', toolCalls: [] });
  });

  test('are ignored where no tool was offered', async () => {
    const script = { pieces: ['Let me look.'], toolCalls: calls };
    expect(await ask(script, { ...QUESTION, tools: undefined })).toMatchObject({ finish: 'stop', toolCalls: [] });
  });

  test('end with length where the answer was cut off', async () => {
    const answer = await ask({ toolCalls: [{ ...calls[0]!, arguments: '{"number":"12' }], finish: 'length' });
    expect(answer).toMatchObject({ finish: 'length', toolCalls: [{ arguments: '{"number":"12' }] });
  });

  test('are none after a stop: they may be incomplete', async () => {
    fake.next({ pieces: ['Let me look.'], toolCalls: calls, pace: 20 });
    const generation = model.generate(QUESTION, () => generation.stop());
    expect(await generation.done).toMatchObject({ finish: 'stop', toolCalls: [] });
  });
});

describe('tool calls that a server writes in its own way', () => {
  const named = { name: 'order_status', arguments: '{}' };
  const complete = { ...named, id: 'one' };

  test.each<[string, object[], object[]]>([
    [
      'all of one index, each with an id',
      [
        { index: 0, id: 'one', function: named },
        { index: 0, id: 'two', function: named },
      ],
      [complete, { ...named, id: 'two' }],
    ],
    [
      'no index',
      [{ id: 'one', function: { name: 'order_status', arguments: '{' } }, { function: { arguments: '}' } }],
      [complete],
    ],
    [
      'name and id with every piece',
      [
        { index: 0, id: 'one', function: { name: 'order_status', arguments: '{' } },
        { index: 0, id: 'one', function: { name: 'order_status', arguments: '}' } },
      ],
      [complete],
    ],
    ['an object as arguments', [{ index: 0, id: 'one', function: { ...named, arguments: {} } }], [complete]],
    ['no id', [{ index: 0, function: named }], [{ ...named, id: 'call_0' }]],
    [
      'the same id twice',
      [
        { index: 0, id: 'one', function: named },
        { index: 1, id: 'one', function: named },
      ],
      [complete, { ...named, id: 'call_1' }],
    ],
    ['an id that is a number', [{ index: 0, id: 17, function: named }], [{ ...named, id: 'call_0' }]],
    [
      'a name that no server accepts back',
      [{ index: 0, id: 'one', function: { name: 'rm -rf /\n\u0000', arguments: '' } }],
      [{ id: 'one', name: 'rm_-rf____', arguments: '' }],
    ],
    ['an index that is no count', [{ index: -1e300, id: 'one', function: named }], [complete]],
  ])('%s', async (_, pieces, expected) => {
    expect((await ask({ raw: deltas(...pieces) })).toolCalls).toEqual(expected);
  });

  test('what is no call is ignored, and an answer of nothing else is a failure', async () => {
    const garbage = [null, 7, 'call', [], {}, { function: null }, { function: { name: {}, arguments: 5 } }];
    const events = garbage.map((tool_calls) => event({ choices: [{ delta: { tool_calls } }] }));
    const pieces = deltas(...(garbage.filter((one) => one !== null) as object[]));
    expect((await failure({ raw: [...events, ...pieces] })).code).toBe('model_failed');
    expect(await ask({ raw: [...events, ...streamOf({})] })).toMatchObject({ text: 'It works.', toolCalls: [] });
  });

  test('calls or arguments without end are a failure, and the connection is closed', async () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ index, id: `id ${index}`, function: named }));
    expect((await failure({ raw: deltas(...many) })).code).toBe('model_failed');
    const long = { index: 0, id: 'one', function: { name: 'order_status', arguments: 'x'.repeat(50_000) } };
    expect((await failure({ raw: deltas(long, long, long, long, long), pace: 0 })).code).toBe('model_failed');
    await expect.poll(() => fake.requests.at(-1)?.left).toBe(true);
  });
});

describe('a server that rejects', () => {
  test('tools is asked without them, this time only', async () => {
    expect((await ask(REJECTED)).text).toBe('It works.');
    await ask({});
    expect(fake.requests.map(({ body }) => 'tools' in body)).toEqual([true, false, true]);
  });

  test('tool choice in other words, too', async () => {
    const message = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
    expect((await ask({ status: 400, raw: [JSON.stringify({ message })] })).text).toBe('It works.');
    expect(fake.requests.map(({ body }) => 'tools' in body)).toEqual([true, false]);
  });

  test('max_tokens gets max_completion_tokens, then and later', async () => {
    const message = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.";
    const request = { ...QUESTION, maxTokens: 50 };
    await ask({ status: 400, raw: [JSON.stringify({ error: { message } })] }, request);
    await ask({}, request);
    expect(fake.requests.map(({ body }) => [body.max_tokens, body.max_completion_tokens])).toEqual([
      [50, undefined],
      [undefined, 50],
      [undefined, 50],
    ]);
  });

  test('response_format is asked without it, then and later', async () => {
    const request = { ...QUESTION, json: true as const };
    await ask({ status: 422, raw: ['{"detail":[{"loc":["body","response_format"],"msg":"extra fields"}]}'] }, request);
    await ask({}, request);
    expect(fake.requests.map(({ body }) => 'response_format' in body)).toEqual([true, false, false]);
  });

  test('a field with one model gets it for another', async () => {
    const request = { ...QUESTION, json: true as const };
    await ask({ status: 422, raw: ['{"detail":[{"loc":["body","response_format"],"msg":"extra fields"}]}'] }, request);
    await ask({}, { ...request, model: 'llm-other' });
    await ask({}, request);
    const sent = fake.requests.map(({ body }) => [body.model, 'response_format' in body]);
    expect(sent).toEqual([
      ['fake-1', true],
      ['fake-1', false],
      ['fake-2', true],
      ['fake-1', false],
    ]);
  });
});
