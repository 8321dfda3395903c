import net from 'node:net';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Refusal } from '../../../server/schema/errors.ts';
import type { Model, ModelRequest } from '../../../server/model/model.ts';
import { createOpenAi } from '../../../server/model/openai.ts';
import { event, startFakeModel, streamOf, type FakeModel, type Script } from '../../fakes/model.ts';

/** The clock of the server alone is false: sockets, and the pauses of the fake model, are not. */
const QUESTION: ModelRequest = { messages: [{ role: 'user', content: 'Is it waterproof?' }], temperature: 0 };
const SECOND = 1000;

let fake: FakeModel;
let model: Model;

// Once: undici keeps a timer of its own for all of its connections.
beforeAll(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterAll(() => vi.useRealTimers());

beforeEach(async () => {
  fake = await startFakeModel();
  model = createOpenAi({ baseUrl: fake.baseUrl, model: 'fake-1', apiKey: undefined, log: pino({ level: 'silent' }) });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await model.close();
  await fake.close();
});

interface Asked {
  text(): string;
  /** Undefined while it goes on. */
  ended(): string | undefined;
}

function ask(request = QUESTION): Asked {
  let text = '';
  let ended: string | undefined;
  model
    .generate(request, (piece) => (text += piece))
    .done.then(
      ({ finish }) => (ended = finish),
      (refusal: Refusal) => (ended = `${refusal.code}: ${(refusal.cause as Error).message}`),
    );
  return { text: () => text, ended: () => ended };
}

/** Lets sockets and promises do what they have to do; no false time passes. */
async function settle(isSettled: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!isSettled() && Date.now() < end) await new Promise(setImmediate);
  expect(isSettled()).toBe(true);
}

/** Real milliseconds of a step of false time, in which a server that keeps sending has to be heard. */
const STEP_MS = 4;

/** Lets the false time pass in steps, as undici counts in half seconds. */
async function pass(seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 2; step += 1) {
    await vi.advanceTimersByTimeAsync(SECOND / 2);
    const end = Date.now() + STEP_MS;
    do await new Promise(setImmediate);
    while (Date.now() < end);
  }
}

/** Asks, lets the first `writes` of the reply arrive, and the time pass until just before the limit and beyond it. */
async function hang(script: Script, text: string, seconds: number): Promise<string | undefined> {
  fake.next(script);
  const asked = ask();
  await settle(() => fake.requests.length > 0 && asked.text() === text);
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  await pass(seconds - 2);
  expect(asked.ended()).toBeUndefined();
  await pass(4);
  await settle(() => asked.ended() !== undefined);
  return asked.ended();
}

describe('a limit of time', () => {
  test('connecting has five seconds', async () => {
    const socket = new net.Socket();
    const connecting = vi.spyOn(net, 'connect').mockReturnValue(socket);
    const asked = ask();
    await settle(() => connecting.mock.calls.length > 0);
    await pass(4);
    expect(asked.ended()).toBeUndefined();
    await pass(3);
    await settle(() => asked.ended() !== undefined);
    expect(asked.ended()).toMatch(/^model_timeout: .*CONNECT_TIMEOUT/);
  });

  test('the head of the reply has twenty seconds', async () => {
    expect(await hang({ hangAfter: 0 }, '', 20)).toMatch(/^model_timeout: .*HEADERS_TIMEOUT/);
  });

  test('silence after a word has thirty seconds', async () => {
    expect(await hang({ hangAfter: 2 }, 'It ', 30)).toMatch(/^model_timeout: .*(BODY_TIMEOUT|did not go on)/);
  });
});

/** A reply that never ends and holds one of these every few milliseconds of real time. */
const endless = (pieces: string[], filler: string): Script => ({
  raw: [...streamOf({ pieces, finish: null, done: false }), ...Array.from({ length: 20_000 }, () => filler)],
  pace: 1,
});

const delta = (message: object): string => event({ choices: [{ index: 0, delta: message }] });

describe('a server that keeps sending', () => {
  test.each([
    ['comments', endless([], ': still here\n\n')],
    ['reasoning in a field of its own', endless([], delta({ reasoning_content: 'hm ', content: null }))],
    ['reasoning in the text', endless(['<think>'], delta({ content: 'hm ' }))],
  ])('%s alone has sixty seconds', async (_, script) => {
    expect(await hang(script, '', 60)).toMatch(/^model_timeout: .*no word of it came in 60000 ms/);
    await settle(() => fake.requests[0]!.left);
  });

  test('comments alone after a word has thirty seconds more', async () => {
    const ended = await hang(endless(['It '], ': still here\n\n'), 'It ', 60);
    expect(ended).toMatch(/^model_timeout: .*did not go on for 30000 ms/);
  });

  test('words has the time for a whole answer', async () => {
    fake.next(endless(['It '], delta({ content: 'is ' })));
    const asked = ask();
    for (let ten = 0; ten < 11; ten += 1) {
      const before = asked.text().length;
      await settle(() => asked.text().length > before);
      await pass(10);
    }
    await pass(8);
    expect(asked.ended()).toBeUndefined();
    await pass(4);
    await settle(() => asked.ended() !== undefined);
    expect(asked.ended()).toMatch(/^model_timeout: .*not whole after ANSWER_TIMEOUT/);
  });
});
