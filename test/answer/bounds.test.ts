import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOpenAi } from '../../server/model/openai.ts';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import {
  answerWith,
  manualAnswer,
  startChatServer,
  post,
  watchAsk,
  type ChatServer,
  type SeenEvent,
} from '../proxy/fixture.ts';
import { API_KEY, start, until, type Running } from '../running.ts';

const begun = (events: SeenEvent[]): boolean => events.some(({ event }) => event === 'message');

describe('answers under way', () => {
  let house: ChatServer;
  let chatbot: string;
  beforeEach(async () => {
    house = await startChatServer();
    chatbot = (await house.chatbot({ rate_limit: [4, 360] })).uuid;
  });
  afterEach(() => house.stop());

  const ask = (of = chatbot): Promise<Response> => post(`${house.base}/chat/${of}/ask`, { query: 'And?' });

  it('are limited to three for one visitor at one chatbot, counted until they end even without a reader', async () => {
    const answers = [manualAnswer(), manualAnswer(), manualAnswer()];
    for (const answer of answers) {
      house.respond = answer.respond;
      const stream = await watchAsk(house, chatbot, { query: 'How long?' });
      await stream.until(begun);
      stream.leave();
    }
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject({ code: 'unavailable' });
    house.respond = answerWith('Yes.');
    expect((await ask((await house.chatbot()).uuid)).status).toBe(200);
    await answers[0]!.end();
    // The refused question did not count against the rate limit, which this one fills.
    await vi.waitFor(async () => {
      const reply = await ask();
      await reply.text();
      expect(reply.status).toBe(200);
    });
    await vi.waitFor(async () => expect((await ask()).status).toBe(429));
    for (const answer of answers.slice(1)) await answer.end();
  });

  it('store nothing of a refused question: its id can be sent again', async () => {
    const answers = [manualAnswer(), manualAnswer(), manualAnswer()];
    for (const answer of answers) {
      house.respond = answer.respond;
      await (await watchAsk(house, chatbot, { query: 'How long?' })).until(begun);
    }
    const body = { query: 'Again?', id: 'again' };
    expect((await post(`${house.base}/chat/${chatbot}/ask`, body)).status).toBe(503);
    for (const answer of answers) await answer.end();
    house.respond = answerWith('Yes.');
    await vi.waitFor(async () => expect((await post(`${house.base}/chat/${chatbot}/ask`, body)).status).toBe(200));
  });
});

describe('with a model that never ends', () => {
  let model: FakeModel;
  let docent: Running;
  let chatbot: string;
  beforeAll(async () => {
    model = await startFakeModel({ script: { pieces: Array.from({ length: 10_000 }, () => 'drip '), pace: 20 } });
  });
  afterAll(() => model.close());
  afterEach(() => docent.stop());

  async function serve(env: NodeJS.ProcessEnv): Promise<void> {
    docent = await start({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake', TRUST_PROXY_HOPS: '1', ...env });
    chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Drip', visibility: 'public' })).body.uuid;
  }

  const headers = { Authorization: `Bearer ${API_KEY}` };
  const newSession = async (): Promise<string> =>
    (await docent.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
  const messages = async (session: string) => (await docent.api('GET', `/session/${session}/messages`)).body;

  it('an answer ends after ANSWER_TIMEOUT seconds with an error, and keeps its text', async () => {
    await serve({ ANSWER_TIMEOUT: '1' });
    const session = await newSession();
    const reply = await post(`${docent.base}/api/v1/session/${session}/message/stream`, { query: 'How?' }, headers);
    expect(reply.status).toBe(200);
    await expect(reply.text()).rejects.toThrow();
    const [message] = await messages(session);
    expect(message.finish_reason).toBe('error');
    expect(message.response).toMatch(/^drip drip/);
    expect(message.error_message).toContain('in time');
    await until(async () => model.requests.at(-1)!.left, Boolean);
  });

  it('refuses answers beyond MAX_ANSWERS from visitors and key holders', async () => {
    await serve({ MAX_ANSWERS: '2' });
    const chatUrl = `${docent.base}/chat/${chatbot}`;
    const leaving = new AbortController();
    const visitor = (i: number): RequestInit => ({
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `203.0.113.${i}` },
      body: JSON.stringify({ query: 'How?' }),
      signal: leaving.signal,
    });
    const first = await fetch(`${chatUrl}/ask`, visitor(1));
    const session = await newSession();
    const path = `${docent.base}/api/v1/session/${session}/message/stream`;
    const second = await fetch(path, { ...visitor(2), headers: { ...headers, 'Content-Type': 'application/json' } });
    expect([first.status, second.status]).toEqual([200, 200]);
    const refused = [await fetch(`${chatUrl}/ask`, visitor(3)), await post(path, { query: 'And?' }, headers)];
    for (const reply of refused) {
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await reply.json()).toMatchObject({ code: 'unavailable' });
    }
    expect(await messages(session)).toHaveLength(1);
    leaving.abort();
  });

  it('shutdown does not wait for answers without readers', async () => {
    await serve({});
    const leaving = new AbortController();
    const body = JSON.stringify({ query: 'How?' });
    const init = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body };
    const [left, read] = [await newSession(), await newSession()];
    await fetch(`${docent.base}/api/v1/session/${left}/message/stream`, { ...init, signal: leaving.signal });
    const reply = await fetch(`${docent.base}/api/v1/session/${read}/message/stream`, init);
    leaving.abort();
    const drained = docent.booted.drain(3000).then(() => 'drained');
    const reader = reply.body!.getReader();
    const both = () => model.requests.slice(-2).map((request) => request.left);
    await until(
      async () => both(),
      ([one]) => one === true,
    );
    // The one that is read goes on until the patience is over.
    expect(both()).toEqual([true, false]);
    const drain = async (): Promise<void> => {
      while (!(await reader.read()).done);
    };
    await expect(drain()).rejects.toThrow();
    expect(await drained).toBe('drained');
  });
});

describe('a model that stops sending text', () => {
  it('times out when the next chunk takes too long', async () => {
    const model = await startFakeModel({ script: { pieces: ['One', ' two'], hangAfter: 2 } });
    const log = pino({ level: 'silent' });
    const timeouts = { betweenChunks: 300 };
    const port = createOpenAi({ baseUrl: model.baseUrl, model: 'fake', apiKey: undefined, log, timeouts });
    const generation = port.generate({ messages: [], temperature: 0 }, () => {});
    await expect(generation.done).rejects.toMatchObject({ code: 'model_timeout', reason: 'timeout' });
    await port.close();
    await model.close();
  });

  it('times out at the deadline of the answer while it still sends reasoning', async () => {
    const thought = `data: ${JSON.stringify({ choices: [{ delta: { reasoning_content: 'hm ' } }] })}\n\n`;
    const model = await startFakeModel({ script: { raw: Array.from({ length: 1000 }, () => thought), pace: 10 } });
    const log = pino({ level: 'silent' });
    const port = createOpenAi({
      baseUrl: model.baseUrl,
      model: 'fake',
      apiKey: undefined,
      log,
      limits: { whole: 300 },
    });
    const generation = port.generate({ messages: [], temperature: 0 }, () => {});
    await expect(generation.done).rejects.toMatchObject({ code: 'model_timeout', reason: 'timeout' });
    await until(async () => model.requests[0]!.left, Boolean);
    await port.close();
    await model.close();
  });
});
