import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { Budget } from '../../../server/answer/budget.ts';
import { Run } from '../../../server/answer/run.ts';
import { NO_META, type AnswerResult, type Question } from '../../../server/answer/runs.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { parseEvents, post, textOf } from '../../proxy/fixture.ts';
import { start, until, type Running } from '../../running.ts';
import { aMessage } from '../../store/records.ts';

const ANSWER = 'You may return a lamp within 45 days.';
const QUERY = 'For how many days may I return this lamp?';

describe('a user whose credits of the month are spent', () => {
  let model: FakeModel;
  let dataDir: string;
  let docent: Running;
  let chatbot: string;
  const open = async (env: NodeJS.ProcessEnv = {}) => {
    const own = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake-1', DATA_DIR: dataDir, MAX_ANSWERS: '5000' };
    docent = await start({ ...own, MODEL_CREDITS: 'llm-4o-mini-4k=3', ...env });
  };
  beforeEach(async () => {
    model = await startFakeModel({ script: { pieces: ['The model', ' speaks.'], totalTokens: 50 } });
    dataDir = await mkdtemp(join(tmpdir(), 'docent-quota-'));
    await open({ MONTHLY_CREDITS: '8' });
    const settings = { name: 'Shop', show_citations: true, visibility: 'public' };
    chatbot = (await docent.api('POST', '/chatbot/create', settings)).body.uuid;
    const pair = { question: 'How long may I return a lamp?', answer: ANSWER };
    await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, pair);
    const sources = () => docent.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
    await until(sources, ([source]) => source.status === 'success');
  });
  afterEach(async () => {
    await docent.stop();
    await model.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const ask = async (query = QUERY) => {
    const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
    const reply = await docent.api('POST', `/session/${session}/message/stream`, { query });
    const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
    return { session, reply, message, meta: JSON.parse(message.meta_json) };
  };
  const credits = async () => (await docent.api('GET', '/usage?by=chatbot')).body.usage;

  it('gets quotes instead of the model, and visitors see an answer like any other', async () => {
    const [first, second] = [await ask(), await ask()];
    expect([first.meta.credits, first.meta.model, second.message.finish_reason]).toEqual([3, 'llm-4o-mini-4k', 'stop']);
    const { reply, message, meta } = await ask();
    expect([reply.status, reply.body]).toEqual([200, `${ANSWER} [1]`]);
    expect([message.finish_reason, meta.fallback, meta.credits, meta.outcome]).toEqual([
      'quota',
      'quota',
      0,
      'answered',
    ]);
    expect(model.requests).toHaveLength(2);
    const visitor = parseEvents(await (await post(`${docent.base}/chat/${chatbot}/ask`, { query: QUERY })).text());
    expect(textOf(visitor)).toBe(`${ANSWER} [1]`);
    expect(visitor.at(-1)).toMatchObject({ event: 'done', data: { finish_reason: 'quota', outcome: 'answered' } });
    expect(await credits()).toEqual([{ chatbot, messages: 4, credits: 6, tokens: 100 }]);
    expect(await (await fetch(`${docent.base}/readyz`)).json()).toEqual({ status: 'ok' });
  });

  it('has spent them after a restart, too, and after deleting what was answered', async () => {
    const { session } = await ask();
    await ask();
    await docent.api('POST', `/session/${session}/delete`);
    await docent.stop();
    await open({ MONTHLY_CREDITS: '8' });
    expect((await ask()).message.finish_reason).toBe('quota');
    await docent.stop();
    await open({ MONTHLY_CREDITS: '9' });
    expect((await ask()).message.finish_reason).toBe('stop');
    await docent.api('DELETE', `/chatbot/${chatbot}/delete`);
    expect(await credits()).toEqual([{ chatbot, messages: 4, credits: 9, tokens: 150 }]);
  });

  it('asks no model beside answers that cost nothing for more messages than there are credits', async () => {
    const tags = [{ name: 'order', color: '#112233', criteria: 'orders' }];
    for (const name of ['One', 'Two']) {
      const { body } = await docent.api('POST', `/chatbot/${chatbot}/agent/create`, { name, type: 'background', tags });
      await docent.api('POST', `/agent/${body.uuid}/update`, { enabled: true });
    }
    for (let count = 0; count < 12; count += 1) {
      const { message } = await ask('hi');
      const record = () => docent.api('GET', `/message/${message.uuid}`).then(({ body }) => body);
      await until(record, ({ background_pending_tasks: pending }) => pending === 0);
    }
    expect(model.requests).toHaveLength(2 * 8);
    expect((await ask()).meta.credits).toBe(3);
  });

  it('has the credits back of a call that failed', async () => {
    const failure = { status: 500, raw: ['{}'] };
    model.next(failure, failure);
    for (const reason of ['status_500', 'status_500']) expect((await ask()).meta.fallback).toBe(reason);
    expect((await ask()).message.finish_reason).toBe('stop');
    expect((await ask()).message.finish_reason).toBe('stop');
    expect((await ask()).message.finish_reason).toBe('quota');
  });

  it(
    'of 1,000 questions at the last credits one gets the model, and all get an answer',
    { timeout: 120_000 },
    async () => {
      await ask();
      let finish = () => {};
      model.next({ pieces: ['The model', ' speaks.'], hold: new Promise<void>((done) => (finish = done)) });
      const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
      let left = 999;
      const replies = await Promise.all(
        Array.from({ length: 1000 }, async () => {
          const reply = await docent.api('POST', `/session/${session}/message/stream`, { query: QUERY });
          // The model's answer ends last: until then its credits are only reserved.
          left -= 1;
          if (left === 0) finish();
          return [reply.status, reply.body].join(' ');
        }),
      );
      expect(model.requests).toHaveLength(2);
      const quoted = replies.filter((reply) => reply === `200 ${ANSWER} [1]`);
      expect([quoted.length, replies.filter((reply) => reply === '200 The model speaks.').length]).toEqual([999, 1]);
      const messages = (await docent.api('GET', `/session/${session}/messages`)).body as { finish_reason: string }[];
      expect(messages.filter(({ finish_reason }) => finish_reason === 'quota')).toHaveLength(999);
      expect(await credits()).toEqual([{ chatbot, messages: 1001, credits: 6, tokens: expect.any(Number) }]);
    },
  );
});

describe('the budget of a month', () => {
  const owner = 'a'.repeat(32);
  let dir: string;
  let lines: string[];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-quota-'));
    lines = [];
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  /** Asks for so many credits at this time, which the answer then costs. */
  const asking = async (store: Awaited<ReturnType<typeof openLowdbStore>>) => {
    const budget = new Budget({ store, log, monthly: 10 });
    const spend = budget.limit(async ({ spending, query }) => {
      const isReserved = await spending!.reserve(Number(query));
      const meta = { ...NO_META, credits: isReserved ? Number(query) : 0 };
      return { finish_reason: isReserved ? 'stop' : 'quota', citations: {}, meta } satisfies AnswerResult;
    });
    return async (credits: number, created_at: string): Promise<string> => {
      const question = { chatbot: { owner }, query: String(credits) } as unknown as Question;
      return (await spend(question, new Run(aMessage('b'.repeat(32), { created_at })))).finish_reason;
    };
  };
  const MARCH = '2026-03-31T23:59:59Z';
  const APRIL = '2026-04-01T00:00:00Z';

  it('begins anew with each month in UTC, and counts what is left to the last credit', async () => {
    const store = await openLowdbStore({ dir, clock: Date.now });
    const ask = await asking(store);
    const outcomes = [];
    for (const [credits, at] of [
      [7, MARCH],
      [4, MARCH],
      [3, MARCH],
      [1, MARCH],
      [10, APRIL],
      [1, APRIL],
      [0, APRIL],
    ] as const)
      outcomes.push(await ask(credits, at));
    expect(outcomes).toEqual(['stop', 'quota', 'stop', 'quota', 'stop', 'quota', 'stop']);
    await store.close();
  });

  it('is said to be spent once a month in the log, over restarts too', async () => {
    for (const _ of [1, 2]) {
      const store = await openLowdbStore({ dir, clock: Date.now });
      const ask = await asking(store);
      await Promise.all(Array.from({ length: 20 }, () => ask(11, MARCH)));
      await until(
        async () => store.fact(`quota:${owner}`),
        (month) => month === '2026-03',
      );
      await store.close();
    }
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        user: owner,
        month: '2026-03',
        credits: 10,
        msg: expect.stringContaining('MONTHLY_CREDITS'),
      }),
    ]);
  });

  it('has more reserved by the same question for what is more, and nothing after its end', async () => {
    const store = await openLowdbStore({ dir, clock: Date.now });
    const budget = new Budget({ store, log, monthly: 10 });
    const reserved: boolean[] = [];
    let late: Question['spending'];
    const spend = budget.limit(async ({ spending }) => {
      late = spending;
      for (const credits of [1, 6, 2, 11, 10]) reserved.push(await spending!.reserve(credits));
      return { finish_reason: 'stop', citations: {}, meta: { ...NO_META, credits: 6 } };
    });
    const question = { chatbot: { owner } } as unknown as Question;
    await spend(question, new Run(aMessage('b'.repeat(32), { created_at: MARCH })));
    expect(reserved).toEqual([true, true, true, false, true]);
    expect(await late!.reserve(1)).toBe(false);
    const [message, respond] = [new Run(aMessage('b'.repeat(32), { created_at: MARCH })), budget];
    let left: boolean[] = [];
    await respond.limit(async ({ spending }) => {
      left = [await spending!.reserve(5), await spending!.reserve(4)];
      return { finish_reason: 'stop', citations: {}, meta: NO_META };
    })(question, message);
    expect(left).toEqual([false, true]);
    await store.close();
  });
});
