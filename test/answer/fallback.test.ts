import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defaultAgent } from '../../server/agents/agents.ts';
import { AgentRouter } from '../../server/agents/routing/router.ts';
import { PHRASES } from '../../server/answer/extract/phrases.ts';
import { createRespond } from '../../server/answer/pipeline.ts';
import { createFallback, type Fallback } from '../../server/answer/fallback.ts';
import { createCaller } from '../../server/web/call.ts';
import { createHealth } from '../../server/health/health.ts';
import { queryOf } from './search.ts';
import type { Knowledge } from '../../server/knowledge/knowledge.ts';
import { createCatalogue } from '../../server/model/catalogue.ts';
import { OutboundFailure } from '../../server/outbound/failures.ts';
import { createOpenAi } from '../../server/model/openai.ts';

import { startFakeModel, type FakeModel, type Script } from '../fakes/model.ts';
import { startChatServer, parseEvents, post, textOf } from '../proxy/fixture.ts';
import { site, start, until, type Running } from '../running.ts';

const ANSWER = 'You may return a lamp within 45 days.';
const CANARY = 'canary-of-the-model-server';
const refusing = (status: number): Script => ({ status, raw: [JSON.stringify({ error: { message: CANARY } })] });
const busy: Script = { ...refusing(429), headers: { 'retry-after': '60' } };

let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel({ script: { pieces: ['The model', ' speaks.'] } });
});
afterAll(() => model.close());

async function serve(env: NodeJS.ProcessEnv = {}): Promise<{ docent: Running; chatbot: string }> {
  const docent = await start({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake-1', ...env });
  const settings = { name: 'Shop', show_citations: true, visibility: 'public' };
  const chatbot = (await docent.api('POST', '/chatbot/create', settings)).body.uuid;
  const pair = { question: 'How long may I return a lamp?', answer: ANSWER };
  await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, pair);
  const sources = () => docent.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
  await until(sources, ([source]) => source.status === 'success');
  return { docent, chatbot };
}

const QUERY = 'For how many days may I return this lamp?';

async function askByKey({ docent, chatbot }: Awaited<ReturnType<typeof serve>>) {
  const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
  const reply = await docent.api('POST', `/session/${session}/message/stream`, { query: QUERY });
  const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
  return { reply, message, meta: JSON.parse(message.meta_json) };
}

const ready = async (docent: Running) => (await fetch(`${docent.base}/readyz`)).json();

describe('a model that fails before its first word', () => {
  let served: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    served = await serve();
  });
  beforeEach(async () => {
    await askByKey(served);
    expect(await ready(served.docent)).toEqual({ status: 'ok' });
  });
  afterAll(() => served.docent.stop());

  it.each([
    ['answers 500', [refusing(500)], 'status_500'],
    ['answers 401', [refusing(401)], 'status_401'],
    ['is busy', [busy], 'busy'],
    ['resets the connection', [{ cutAfter: 0 }, { cutAfter: 0 }], 'unreachable'],
    ['answers nothing', [{ pieces: [] }], 'bad_reply'],
    ['breaks off after white space', [{ pieces: ['\n', ' '], cutAfter: 3 }], 'unreachable'],
    ['breaks off within its first marker', [{ pieces: ['[1'], finish: null, done: false }], 'bad_reply'],
  ] as [string, Script[], string][])(
    '%s: the answer is quoted, and its record has the reason',
    async (_, scripts, reason) => {
      model.next(...scripts);
      const { reply, message, meta } = await askByKey(served);
      expect([reply.status, reply.body]).toEqual([200, `${ANSWER} [1]`]);
      expect(message).toMatchObject({ finish_reason: 'stop', response: `${ANSWER} [1]`, error_message: '' });
      expect(meta).toMatchObject({ fallback: reason, credits: 0 });
      const { status, reasons } = await ready(served.docent);
      expect([status, reasons]).toEqual(['degraded', [expect.stringContaining(`(${reason})`)]]);
      expect(JSON.stringify([message, reasons])).not.toContain(CANARY);
    },
  );

  it('is replaced by quotes for visitors too, without the reason', async () => {
    model.next(refusing(500));
    const reply = await post(`${served.docent.base}/chat/${served.chatbot}/ask`, { query: QUERY });
    const words = await reply.text();
    expect(textOf(parseEvents(words))).toBe(`${ANSWER} [1]`);
    expect(parseEvents(words).at(-1)?.event).toBe('done');
    expect(words).not.toMatch(/status_500|fallback/);
  });

  it('is ready again once it answers, and that answer has no fallback', async () => {
    model.next(refusing(500));
    await askByKey(served);
    const { reply, meta } = await askByKey(served);
    expect([reply.body, meta.fallback]).toEqual(['The model speaks.', undefined]);
    expect(await ready(served.docent)).toEqual({ status: 'ok' });
  });

  it('is an error that keeps the text, where it fails later', async () => {
    model.next({ pieces: ['Half', ' an answer'], cutAfter: 2 });
    // The reply breaks off: the text is fetched from the record.
    await expect(askByKey(served)).rejects.toThrow();
    const [session] = (await served.docent.api('GET', `/chatbot/${served.chatbot}/sessions`)).body.slice(-1);
    const [message] = (await served.docent.api('GET', `/session/${session.uuid}/messages`)).body;
    const { fallback } = JSON.parse(message.meta_json);
    expect([message.response, message.finish_reason, fallback]).toEqual(['Half', 'error', undefined]);
  });
});

describe('a model that fails in the middle of an answer', () => {
  const half: Script = { pieces: ['Half', ' an answer'], cutAfter: 2 };
  let served: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    served = await serve();
  });
  afterAll(() => served.docent.stop());

  async function askWhole() {
    const { docent, chatbot } = served;
    const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
    const reply = await docent.api('POST', `/session/${session}/message/non-stream`, { query: QUERY });
    const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
    return { reply, message, meta: JSON.parse(message.meta_json) };
  }

  it('degrades /readyz until an answer is complete', async () => {
    model.next(half);
    await expect(askByKey(served)).rejects.toThrow();
    const { status, reasons } = await ready(served.docent);
    expect([status, reasons]).toEqual(['degraded', [expect.stringContaining('(unreachable)')]]);
    await askByKey(served);
    expect(await ready(served.docent)).toEqual({ status: 'ok' });
  });

  it('is replaced by quotes where the caller waits for the whole answer', async () => {
    model.next(half);
    const { reply, message, meta } = await askWhole();
    expect([reply.status, reply.body]).toEqual([200, { response: `${ANSWER} [1]` }]);
    expect(message).toMatchObject({ finish_reason: 'stop', response: `${ANSWER} [1]`, error_message: '' });
    expect(Object.keys(JSON.parse(message.cite_data_json))).toEqual(['1']);
    expect(meta).toMatchObject({ fallback: 'unreachable', outcome: 'answered' });
  });

  it('is paused after three failures', async () => {
    await askByKey(served);
    model.next(half, half, half);
    for (let i = 0; i < 3; i += 1) await askWhole();
    const asked = model.requests.length;
    const { meta } = await askByKey(served);
    expect([meta.fallback, model.requests.length]).toEqual(['unreachable', asked]);
  });
});

describe('a model that cannot be reached', () => {
  it('is replaced by quotes where the connection is refused', async () => {
    const served = await serve({ LLM_BASE_URL: 'http://127.0.0.1:9/v1' });
    const { reply, meta } = await askByKey(served);
    expect([reply.body, meta.fallback]).toEqual([`${ANSWER} [1]`, 'unreachable']);
    await served.docent.stop();
  });

  it('is replaced by quotes where it accepts the request and sends no reply', async () => {
    const house = await startChatServer();
    const chatbot = await house.chatbot();
    await house.store.createAgent({ ...defaultAgent(chatbot.uuid, Date.now) });
    const log = pino({ level: 'silent' });
    const timeouts = { connect: 200, firstByte: 200, betweenChunks: 200 };
    const silent = createOpenAi({ baseUrl: model.baseUrl, model: 'fake-1', apiKey: undefined, log, timeouts });
    const fallback = createFallback({ health: createHealth(), clock: Date.now, log });
    const knowledge = {
      search: async (_: string, text: string) => ({ query: queryOf(text), found: [] }),
    } as unknown as Knowledge;
    const catalogue = createCatalogue();
    house.respond = createRespond({
      store: house.store,
      router: new AgentRouter(house.store, knowledge),
      knowledge,
      model: silent,
      fallbackFor: () => fallback,
      catalogue,
      caller: createCaller({ allow: [] }),
      clock: Date.now,
    });
    model.next({ hangAfter: 0 });
    const reply = await post(`${house.base}/chat/${chatbot.uuid}/ask`, { query: QUERY });
    const last = parseEvents(await reply.text()).at(-1);
    expect(last).toMatchObject({ event: 'done', data: { response: expect.stringContaining('don’t know') } });
    const message = await house.store.message((last as { data: { uuid: string } }).data.uuid);
    expect(JSON.parse(message?.meta_json ?? '')).toMatchObject({ fallback: 'timeout' });
    await silent.close();
    await house.stop();
  });
});

it('one of two models that the server does not know is paused alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docent-models-'));
  const MODELS_FILE = join(folder, 'models.json');
  await writeFile(MODELS_FILE, JSON.stringify({ known: { name: 'fake-1' }, unknown: { name: 'fake-2' } }));
  const served = await serve({ MODELS_FILE });
  const [agent] = (await served.docent.api('GET', `/chatbot/${served.chatbot}/agents`)).body;
  const askBy = async (name: string): Promise<string | undefined> => {
    await served.docent.api('POST', `/agent/${agent.uuid}/update`, { model: name });
    return (await askByKey(served)).meta.fallback;
  };
  model.next(...Array.from({ length: 3 }, () => refusing(404)));
  const reasons = [await askBy('unknown'), await askBy('unknown'), await askBy('unknown')];
  expect(reasons).toEqual(['status_404', 'status_404', 'status_404']);
  expect(await askBy('known')).toBe(undefined);
  const asked = model.requests.length;
  expect(await askBy('unknown')).toBe('status_404');
  expect(model.requests).toHaveLength(asked);
  expect(await ready(served.docent)).toMatchObject({
    reasons: [expect.stringContaining('the model fake-2 does not answer (status_404)')],
  });
  await served.docent.stop();
  await rm(folder, { recursive: true });
});

describe('with FALLBACK=0', () => {
  it('an answer that fails, or is not known, ends with the nearest pages, then and later', async () => {
    const page = (title: string, text: string): string =>
      `<title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`;
    const shop = await site({
      '/returns': page('Returns', 'You may return any lamp of ours within 45 days.'),
      '/repairs': page('Repairs', 'We repair a lamp that you bought in our shop.'),
      '/jobs': page('Jobs', 'At present nothing is vacant.'),
    });
    const { docent, chatbot } = await serve({ FALLBACK: '0', FETCH_ALLOW: shop.host });
    for (const path of ['/returns', '/repairs', '/jobs'])
      await docent.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: `http://${shop.host}${path}` });
    const sources = () => docent.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
    await until(
      sources,
      (all: { status: string }[]) =>
        all.length === 4 && all.every((source: { status: string }) => source.status === 'success'),
    );
    const asked = async (query = QUERY) =>
      parseEvents(await (await post(`${docent.base}/chat/${chatbot}/ask`, { query })).text());
    model.next(refusing(500));
    const events = await asked();
    const cards = [
      { title: 'Returns', url: `http://${shop.host}/returns` },
      { title: 'Repairs', url: `http://${shop.host}/repairs` },
    ];
    const parts = [{ type: 'link_cards', cards }];
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'model_failed', parts } });
    const { uuid } = events.find(({ event }) => event === 'session')!.data as { uuid: string };
    const messages = await (await fetch(`${docent.base}/chat/${chatbot}/session/${uuid}/messages`)).json();
    expect(messages).toMatchObject([{ finish_reason: 'error', parts }]);
    model.next({ pieces: [PHRASES.en.unknown] }, { pieces: ['Of that nothing is written.'] });
    expect((await asked()).at(-1)).toMatchObject({ event: 'done', data: { outcome: 'unknown', parts } });
    const other = (await asked('Which lamp does the founder’s grandmother dust?')).at(-1)!.data;
    expect(other).toMatchObject({ outcome: 'unknown', parts: [{ type: 'link_cards' }] });
    await docent.api('POST', `/chatbot/${chatbot}/update`, { show_citations: false });
    model.next(refusing(500));
    expect((await asked()).at(-1)!.data).not.toHaveProperty('parts');
    await docent.stop();
    await shop.close();
  });

  it('a model that fails is an error for key holders and visitors', async () => {
    const served = await serve({ FALLBACK: '0' });
    model.next(refusing(500), refusing(500));
    const { reply, message } = await askByKey(served);
    expect([reply.status, reply.body.code, message.finish_reason]).toEqual([502, 'model_failed', 'error']);
    const visitor = await post(`${served.docent.base}/chat/${served.chatbot}/ask`, { query: QUERY });
    expect(parseEvents(await visitor.text()).at(-1)).toMatchObject({ event: 'error', data: { code: 'model_failed' } });
    await served.docent.stop();
  });

  it.each([
    ['answers 500', [refusing(500)], 'status_500'],
    ['answers 401', [refusing(401)], 'status_401'],
    ['is busy', [busy], 'busy'],
    ['sends no JSON', [{ raw: ['data: {nope\n\n', 'data: [DONE]\n\n'] }], 'bad_reply'],
    ['hangs in the middle', [{ pieces: ['Half'], hangAfter: 2 }], 'timeout'],
  ] as [string, Script[], string][])(
    'a model that %s degrades /readyz until it answers',
    async (_, scripts, reason) => {
      const served = await serve({ FALLBACK: '0', ANSWER_TIMEOUT: '5' });
      model.next(...scripts);
      await askByKey(served).catch(() => {});
      const reasons = [`the model does not answer (${reason}); visitors get errors`];
      expect(await ready(served.docent)).toEqual({ status: 'degraded', reasons });
      await askByKey(served);
      expect(await ready(served.docent)).toEqual({ status: 'ok' });
      await served.docent.stop();
    },
  );
});

describe('the log', () => {
  let lines: { reason?: string; failures?: number; msg: string }[];
  let now: number;
  let fallback: Fallback;
  beforeEach(() => {
    lines = [];
    now = 0;
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    fallback = createFallback({ health: createHealth(), clock: () => now, log });
  });
  const fail = (reason: string): string =>
    fallback.failed(new OutboundFailure(reason, 'model_failed', 'no'), fallback.begin());
  const told = () => lines.map(({ reason, failures, msg }) => (reason ? [reason, failures] : msg));

  it('names a failing model once a minute, with how many answers failed', () => {
    for (; now < 120_000; now += 1000) fail('timeout');
    fallback.succeeded();
    fallback.succeeded();
    expect(told()).toEqual([['timeout', 1], ['timeout', 60], 'the model answers again']);
  });

  it('names a new reason at once', () => {
    for (; now < 10_000; now += 1000) fail(now % 2000 === 0 ? 'status_500' : 'status_401');
    expect(told()).toEqual([
      ['status_500', 1],
      ['status_401', 1],
    ]);
  });

  it('ends with the current state, and is limited when the state changes often', () => {
    for (; now < 10_000; now += 1000) {
      fail('timeout');
      expect(lines.at(-1)?.reason).toBe('timeout');
      fallback.succeeded();
    }
    expect(lines).toHaveLength(3);
    now += 60_000;
    fallback.succeeded();
    expect(lines.at(-1)?.msg).toBe('the model answers again');
  });
});
