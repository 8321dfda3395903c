import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultAgent } from '../../server/agents/agents.ts';
import { AgentRouter } from '../../server/agents/routing/router.ts';
import { createRespond } from '../../server/answer/pipeline.ts';
import { createFallback } from '../../server/answer/fallback.ts';
import { Refusal } from '../../server/schema/errors.ts';
import { createHealth, type Health } from '../../server/health/health.ts';
import { queryOf } from './search.ts';
import type { Knowledge } from '../../server/knowledge/knowledge.ts';
import { createCatalogue } from '../../server/model/catalogue.ts';
import { modelOverloaded } from '../../server/model/errors.ts';
import type { Model } from '../../server/model/model.ts';
import { createOpenAi } from '../../server/model/openai.ts';
import { createCaller } from '../../server/web/call.ts';
import { startFakeModel, type FakeModel, type Script } from '../fakes/model.ts';
import { startChatServer, parseEvents, post, uuidOf, type ChatServer } from '../proxy/fixture.ts';

const FAILING: Script = { status: 500, raw: ['no'] };
const NOTHING: Script = { pieces: [] };

let fake: FakeModel;
let model: Model;
let house: ChatServer;
let health: Health;
let chatbot: string;

async function serve(withFallback = true): Promise<void> {
  const log = pino({ level: 'silent' });
  model = createOpenAi({ baseUrl: fake.baseUrl, model: 'fake-1', apiKey: undefined, log });
  const clock = (): number => house.clock.now;
  const fallback = createFallback({ health, clock, log, quotes: withFallback });
  const knowledge = {
    search: async (_: string, text: string) => ({ query: queryOf(text), found: [] }),
  } as unknown as Knowledge;
  house.respond = createRespond({
    store: house.store,
    router: new AgentRouter(house.store, knowledge),
    knowledge,
    model,
    fallbackFor: () => fallback,
    catalogue: createCatalogue(),
    caller: createCaller({ allow: [] }),
    clock,
  });
}

/** Resolves with the reason why it was quoted; undefined where the model wrote it. */
async function ask(): Promise<string | undefined> {
  const reply = await post(`${house.base}/chat/${chatbot}/ask`, { query: 'How long may I return a lamp?' });
  const message = await house.store.message(uuidOf(parseEvents(await reply.text()), 'message'));
  return JSON.parse(message?.meta_json ?? '{}').fallback;
}

async function askInTurn(count: number): Promise<(string | undefined)[]> {
  const reasons: (string | undefined)[] = [];
  for (let i = 0; i < count; i += 1) reasons.push(await ask());
  return reasons;
}

beforeEach(async () => {
  fake = await startFakeModel({ script: { pieces: ['The model', ' speaks.'] } });
  house = await startChatServer();
  health = createHealth();
  const made = await house.chatbot();
  chatbot = made.uuid;
  await house.store.createAgent(defaultAgent(chatbot, Date.now));
  await serve();
});
afterEach(async () => {
  await model.close();
  await house.stop();
  await fake.close();
});

describe('a model that fails three times in a row', () => {
  it('is not asked for 30 seconds: answers are quoted at once with the same reason', async () => {
    fake.next(FAILING, FAILING, FAILING);
    expect(await askInTurn(6)).toEqual(Array.from({ length: 6 }, () => 'status_500'));
    expect(fake.requests).toHaveLength(3);
    expect(health.state().reasons).toEqual([expect.stringContaining('status_500')]);
    house.clock.now += 29_999;
    expect(await ask()).toBe('status_500');
    expect(fake.requests).toHaveLength(3);
  });

  it('gets one question after the pause, while all others are quoted', async () => {
    fake.next(FAILING, FAILING, FAILING);
    await askInTurn(3);
    house.clock.now += 30_000;
    let release = (): void => {};
    fake.next({ ...FAILING, hold: new Promise((done) => (release = done)) });
    const trial = ask();
    await expect.poll(() => fake.requests.length).toBe(4);
    expect(await askInTurn(2)).toEqual(['status_500', 'status_500']);
    release();
    expect(await trial).toBe('status_500');
    await askInTurn(2);
    expect(fake.requests).toHaveLength(4);
  });

  it('gets all questions again once it has answered', async () => {
    fake.next(FAILING, FAILING, FAILING);
    await askInTurn(3);
    house.clock.now += 30_000;
    expect(await askInTurn(3)).toEqual([undefined, undefined, undefined]);
    expect(fake.requests).toHaveLength(6);
    expect(health.state().reasons).toEqual([]);
  });

  it('is asked again when the clock was set back', async () => {
    fake.next(FAILING, FAILING, FAILING);
    await askInTurn(3);
    house.clock.now -= 3_600_000;
    expect(await ask()).toBeUndefined();
  });
});

describe('the question after a pause', () => {
  beforeEach(async () => {
    fake.next(FAILING, FAILING, FAILING);
    await askInTurn(3);
    house.clock.now += 30_000;
  });

  it('is not one of an owner without credits', async () => {
    const { respond } = house;
    const poor = { reserve: async () => false, isSpent: async () => true };
    house.respond = (question, run) => respond({ ...question, spending: poor }, run);
    expect(await askInTurn(2)).toEqual(['quota', 'quota']);
    house.respond = respond;
    expect(await ask()).toBeUndefined();
    expect(fake.requests).toHaveLength(4);
  });

  it('is followed by the next where it had no turn in the queue', async () => {
    const asked = model.generate.bind(model);
    model.generate = () => ({ done: Promise.reject(modelOverloaded()), stop: () => {} });
    expect(await ask()).toBe('overloaded');
    model.generate = asked;
    expect(await ask()).toBeUndefined();
  });
});

describe('a model that is not paused', () => {
  it('answers between its failures', async () => {
    fake.next(FAILING, FAILING, {}, FAILING, FAILING, {});
    await askInTurn(6);
    expect(fake.requests).toHaveLength(6);
  });

  it('fails with a status that the question may have caused', async () => {
    const tooLong: Script = { status: 413, raw: ['too long'] };
    fake.next(NOTHING, tooLong, NOTHING, tooLong, NOTHING, tooLong);
    expect(await askInTurn(6)).toEqual([
      'bad_reply',
      'status_413',
      'bad_reply',
      'status_413',
      'bad_reply',
      'status_413',
    ]);
    expect(fake.requests).toHaveLength(6);
  });

  it('fails while FALLBACK=0', async () => {
    await model.close();
    await serve(false);
    fake.next(FAILING, FAILING, FAILING, FAILING, FAILING);
    await askInTurn(5);
    expect(fake.requests).toHaveLength(5);
  });
});

it('failures of questions that were asked before the last answer do not pause the model', () => {
  const fallback = createFallback({ health, clock: Date.now, log: pino({ level: 'silent' }) });
  const refusal = new Refusal('model_timeout', 'the model did not answer in time');
  const early = [fallback.begin(), fallback.begin(), fallback.begin()];
  fallback.succeeded();
  for (const begun of early) fallback.failed(refusal, begun);
  expect(fallback.paused()).toBe(undefined);
  for (const begun of [fallback.begin(), fallback.begin(), fallback.begin()]) fallback.failed(refusal, begun);
  expect(fallback.paused()).toBe('model_timeout');
});
