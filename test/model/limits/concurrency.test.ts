import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { boundedModel } from '../../../server/model/bounded.ts';
import type { Generated, Generation, Model, ModelRequest } from '../../../server/model/model.ts';
import { createOpenAi } from '../../../server/model/openai.ts';
import type { OutboundFailure } from '../../../server/outbound/failures.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { parseEvents, post, uuidOf } from '../../proxy/fixture.ts';
import { start, until, type Running } from '../../running.ts';

interface Held {
  name: string;
  end(): void;
}

/** A model whose calls end when the test says so. */
function heldModel() {
  const begun: Held[] = [];
  const model: Model = {
    generate(request) {
      let end!: (generated: Generated) => void;
      const done = new Promise<Generated>((resolve) => (end = resolve));
      const finish = (): void =>
        end({ finish: 'stop', totalTokens: 1, promptTokens: 1, completionTokens: 0, toolCalls: [] });
      begun.push({ name: request.messages[0]!.content, end: finish });
      return { done, stop: finish };
    },
    close: () => Promise.resolve(),
  };
  return { model, begun };
}

const call = (owner: string, name: string, isBackground?: true): ModelRequest => ({
  owner,
  messages: [{ role: 'user', content: name }],
  temperature: 0,
  isBackground,
});

describe('calls beyond the bound', () => {
  let begun: Held[];
  let model: Model;
  let refused: string[];
  beforeEach(() => {
    vi.useFakeTimers();
    const held = heldModel();
    begun = held.begun;
    model = boundedModel(held.model, 1);
    refused = [];
  });
  afterEach(() => void vi.useRealTimers());

  function ask(owner: string, name: string, isBackground?: true): Generation {
    const generation = model.generate(call(owner, name, isBackground), () => {});
    generation.done.catch(({ reason }: OutboundFailure) => void refused.push(`${name} ${reason}`));
    return generation;
  }

  /** Ends the call under way again and again, and returns the names in the order of their turns. */
  async function runAll(): Promise<string[]> {
    for (let at = 0; at < begun.length; at += 1) {
      begun[at]!.end();
      await vi.advanceTimersByTimeAsync(0);
    }
    return begun.map(({ name }) => name);
  }

  test('start chatbot by chatbot, each in its own order', async () => {
    for (const name of ['a1', 'a2', 'a3']) ask('a', name);
    ask('b', 'b1');
    ask('c', 'c1');
    expect(await runAll()).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
    expect(refused).toEqual([]);
  });

  test('give up their place where nobody waits for them, to a call that somebody waits for', async () => {
    ask('a', 'beside', true);
    ask('b', 'waits', true);
    ask('a', 'a1');
    ask('a', 'a2');
    await vi.advanceTimersByTimeAsync(0);
    expect(begun.map(({ name }) => name)).toEqual(['beside', 'a1']);
    expect(refused).toEqual(['beside overloaded']);
    expect(await runAll()).toEqual(['beside', 'a1', 'a2', 'waits']);
  });

  test('that nobody waits for start last', async () => {
    ask('a', 'a1');
    ask('a', 'behind', true);
    ask('b', 'b1');
    ask('a', 'a2');
    expect(await runAll()).toEqual(['a1', 'b1', 'a2', 'behind']);
  });

  test('are refused where four times as many wait, the newest of the chatbot that has most of them', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) ask('a', name);
    ask('b', 'b1');
    ask('c', 'c1', true);
    expect(await runAll()).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
    expect(refused).toEqual(['a6 overloaded', 'a5 overloaded', 'c1 overloaded']);
  });

  test('that nobody waits for make room for those that a visitor waits for', async () => {
    ask('a', 'a1');
    for (const name of ['x1', 'x2', 'x3', 'x4']) ask('a', name, true);
    ask('a', 'a2');
    expect(await runAll()).toEqual(['a1', 'a2', 'x1', 'x2', 'x3']);
    expect(refused).toEqual(['x4 overloaded']);
  });

  test('that go on with an answer start first, however many wait and however long', async () => {
    ask('a', 'a1');
    for (const name of ['b1', 'b2', 'b3', 'b4']) ask('b', name);
    const goesOn = { ...call('a', 'a1 goes on'), isContinued: true as const };
    model.generate(goesOn, () => {}).done.catch(() => refused.push('a1 goes on'));
    await vi.advanceTimersByTimeAsync(20_000);
    ask('b', 'b5');
    expect(refused).toEqual(['b1', 'b2', 'b3', 'b4'].map((name) => `${name} overloaded`));
    expect(await runAll()).toEqual(['a1', 'a1 goes on', 'b5']);
  });

  test('are refused after ten seconds', async () => {
    ask('a', 'a1');
    ask('b', 'b1');
    await vi.advanceTimersByTimeAsync(9_999);
    expect(refused).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(refused).toEqual(['b1 overloaded']);
    expect(await runAll()).toEqual(['a1']);
  });

  test('that are stopped while they wait end at once, and have no turn', async () => {
    ask('a', 'a1');
    const waiting = ask('a', 'a2');
    ask('b', 'b1');
    waiting.stop();
    waiting.stop();
    expect(await waiting.done).toMatchObject({ finish: 'stop', totalTokens: 0 });
    expect(await runAll()).toEqual(['a1', 'b1']);
  });
});

describe('a server with MODEL_CONCURRENCY', () => {
  let fake: FakeModel;
  let docent: Running;
  let chatbot: string;
  beforeEach(async () => {
    fake = await startFakeModel({ script: { pieces: ['The model', ' speaks.'] } });
    docent = await start({ LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'fake-1', MODEL_CONCURRENCY: '2' });
    chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
  });
  afterEach(async () => {
    await docent.stop();
    await fake.close();
  });

  async function ask(): Promise<{ response: string; fallback?: string }> {
    const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
    const reply = await docent.api('POST', `/session/${session}/message/stream`, { query: 'Is it open on Sunday?' });
    expect(reply.status).toBe(200);
    const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
    return { response: message.response, fallback: JSON.parse(message.meta_json).fallback };
  }

  test('has never more calls under way, answers those beyond its queue with quotes, and is ready all the time', async () => {
    let open = (): void => {};
    const hold = new Promise<void>((resolve) => (open = resolve));
    fake.next({ hold }, { hold });
    let ended = 0;
    const asked = Promise.all(Array.from({ length: 30 }, () => ask().finally(() => (ended += 1))));
    // Two are under way, and eight wait.
    await until(
      async () => ended,
      (count) => count === 20,
    );
    expect(fake.requests).toHaveLength(2);
    expect(await (await fetch(`${docent.base}/readyz`)).json()).toEqual({ status: 'ok' });
    open();
    const answers = await asked;
    expect(answers.filter(({ fallback }) => fallback === 'overloaded')).toHaveLength(20);
    expect(answers.filter(({ fallback }) => fallback === undefined)).toHaveLength(10);
    expect(fake.requests).toHaveLength(10);
  });

  test('takes no credits for a question that is stopped while it waits', async () => {
    await docent.api('POST', `/chatbot/${chatbot}/update`, { visibility: 'public' });
    let open = (): void => {};
    const hold = new Promise<void>((resolve) => (open = resolve));
    fake.next({ hold }, { hold });
    const asked = [ask(), ask()];
    await expect.poll(() => fake.requests.length).toBe(2);
    const url = `${docent.base}/chat/${chatbot}`;
    const reply = await post(`${url}/ask`, { query: 'Is it open on Monday?' });
    const events = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    const begun = (await events.read()).value!;
    const [session, message] = [uuidOf(parseEvents(begun), 'session'), uuidOf(parseEvents(begun), 'message')];
    expect((await post(`${url}/session/${session}/message/${message}/stop`)).status).toBe(200);
    while (!(await events.read()).done);
    open();
    await Promise.all(asked);
    const [stopped] = (await docent.api('GET', `/session/${session}/messages`)).body;
    expect([stopped.finish_reason, JSON.parse(stopped.meta_json).credits]).toEqual(['stopped', 0]);
    expect(fake.requests).toHaveLength(2);
  });
});

test('a call that fails gives its turn to the next', async () => {
  const fake = await startFakeModel();
  const log = pino({ level: 'silent' });
  const bare = createOpenAi({ baseUrl: fake.baseUrl, model: 'fake-1', apiKey: undefined, log });
  const model = boundedModel(bare, 1);
  fake.next({ status: 500, raw: ['no'] });
  const failing = model.generate(call('a', 'first'), () => {});
  const next = model.generate(call('a', 'second'), () => {});
  await expect(failing.done).rejects.toMatchObject({ reason: 'status_500' });
  expect(await next.done).toMatchObject({ finish: 'stop' });
  await model.close();
  await fake.close();
});
