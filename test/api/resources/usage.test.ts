import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { newChatbot, newSession, OTHER_KEY, startApiFixture, type ApiFixture } from '../api-fixture.ts';

describe('the usage of a user', () => {
  let model: FakeModel;
  let w: ApiFixture;
  beforeAll(async () => {
    model = await startFakeModel({ script: { pieces: ['It works.'], totalTokens: 40 } });
  });
  afterAll(() => model.close());
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-31T23:30:00Z') });
    const prices = { MODEL_CREDITS: 'llm-small=1,llm-large=20,llm-4o-mini-4k=2', MODEL_PREFIX: 'acme-' };
    w = await startApiFixture({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake-1', ...prices });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await w.stop();
  });

  const chatbotWith = async (name: string): Promise<string> => {
    const chatbot = await newChatbot(w);
    const [agent] = (await w.call('GET', `/api/v1/chatbot/${chatbot}/agents`)).body;
    await w.call('POST', `/api/v1/agent/${agent.uuid}/update`, { model: name });
    return chatbot;
  };
  const ask = async (chatbot: string): Promise<string> => {
    const session = await newSession(w, chatbot);
    expect((await w.call('POST', `/api/v1/session/${session}/message/stream`, { query: 'Is it open?' })).status).toBe(
      200,
    );
    return session;
  };
  const usage = async (search = '', key?: string) =>
    (await w.call('GET', `/api/v1/usage${search}`, undefined, key)).body;
  const sums = (messages: number, credits: number, tokens: number) => ({ messages, credits, tokens });

  it('counts messages, credits and tokens by chatbot, day in UTC and model', async () => {
    const [large, small] = [await chatbotWith('acme-large'), await chatbotWith('llm-small')];
    const other = await chatbotWith('a-name-of-their-own');
    for (const chatbot of [large, large, small]) await ask(chatbot);
    vi.setSystemTime(Date.parse('2026-02-01T00:00:00Z'));
    for (const chatbot of [large, other]) await ask(chatbot);

    expect(await usage('?from=2026-01-01')).toEqual({
      from: '2026-01-01',
      to: '2026-02-01',
      ...sums(5, 63, 200),
      usage: [
        { chatbot: large, day: '2026-01-31', model: 'llm-large', ...sums(2, 40, 80) },
        { chatbot: small, day: '2026-01-31', model: 'llm-small', ...sums(1, 1, 40) },
        { chatbot: large, day: '2026-02-01', model: 'llm-large', ...sums(1, 20, 40) },
        { chatbot: other, day: '2026-02-01', model: 'llm-4o-mini-4k', ...sums(1, 2, 40) },
      ],
    });
    const byModel = await usage('?from=2026-01-01&to=2026-01-31&by=model');
    expect(byModel.usage).toEqual([
      { model: 'llm-large', ...sums(2, 40, 80) },
      { model: 'llm-small', ...sums(1, 1, 40) },
    ]);
    // This month alone, without other parameters.
    const { from, to, usage: byDay } = await usage('?by=day');
    expect([from, to, byDay]).toEqual(['2026-02-01', '2026-02-01', [{ day: '2026-02-01', ...sums(2, 22, 80) }]]);
  });

  it('keeps what was spent when messages, sessions and chatbots are deleted', async () => {
    const chatbot = await chatbotWith('llm-large');
    const sessions = [await ask(chatbot), await ask(chatbot)];
    const [message] = (await w.call('GET', `/api/v1/session/${sessions[0]}/messages`)).body;
    await w.call('POST', `/api/v1/message/${message.uuid}/delete`);
    await w.call('POST', `/api/v1/session/${sessions[1]}/delete`);
    const before = await usage();
    await w.call('DELETE', `/api/v1/chatbot/${chatbot}/delete`);
    expect(await usage()).toEqual(before);
    expect(before).toMatchObject(sums(2, 40, 80));
  });

  it('is nobody else’s', async () => {
    await ask(await chatbotWith('llm-large'));
    expect(await usage('', OTHER_KEY)).toMatchObject({ ...sums(0, 0, 0), usage: [] });
  });

  it('counts a failed answer as a message without credits, under no model', async () => {
    const chatbot = await chatbotWith('llm-large');
    model.next({ status: 500, raw: ['{}'] });
    await ask(chatbot);
    expect((await usage('?by=model')).usage).toEqual([{ model: '', ...sums(1, 0, 0) }]);
  });
});
