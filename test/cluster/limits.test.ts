import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VisitorMessage } from '../../server/types.ts';
import { newUuid } from '../../server/schema/ids.ts';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { startPostgres } from '../store/postgres/server.ts';
import { parseEvents, post } from '../proxy/fixture.ts';
import { makeChatbot, startCluster, type Cluster } from './cluster.ts';

const postgres = await startPostgres();
afterAll(() => postgres?.stop());

describe.skipIf(!postgres)('with four servers', { timeout: 180_000 }, () => {
  let cluster: Cluster;
  let model: FakeModel;
  beforeEach(async () => {
    model = await startFakeModel({ script: { pieces: ['By ', 'ferry.'], pace: 5, totalTokens: 10 } });
  });
  afterEach(async () => {
    await cluster.stop();
    await model.close();
  });

  async function start(env: NodeJS.ProcessEnv = {}): Promise<void> {
    cluster = await startCluster(postgres!.url, 4, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake', ...env });
  }

  /**
   * Asks server number `n`, again while it has too much to do, and where the connection was lost: neither counts. An endless repetition
   * ends with the test's time.
   */
  async function ask(chatbot: string, n: number, address: string): Promise<{ status: number; text: string }> {
    const body = { query: 'How does one get there?', id: newUuid() };
    const url = `${cluster.servers[n % 4]!.base}/chat/${chatbot}/ask`;
    for (;;) {
      try {
        const reply = await post(url, body, { 'X-Forwarded-For': address });
        const text = await reply.text();
        if (reply.status !== 503) return { status: reply.status, text };
      } catch {}
      await sleep(100 + Math.random() * 300);
    }
  }

  it('of 1,000 questions at once as many pass as the limit of each visitor allows, not one more or less', async () => {
    await start();
    const chatbotOf = (count: number) => makeChatbot(cluster, { rate_limit: [count, 360], rate_limit_message: 'Wait' });
    const [two, five] = [await chatbotOf(2), await chatbotOf(5)];
    const visitors = Array.from({ length: 80 }, (_, n) => ({ chatbot: two, n, questions: 12, limit: 2 }));
    // Of one visitor a server makes three answers at once: this one gets to that limit too.
    visitors.push({ chatbot: five, n: 80, questions: 40, limit: 5 });
    const asked = visitors.flatMap(({ chatbot, n: visitor, questions }) =>
      Array.from({ length: questions }, async (_, n) => ({ visitor, ...(await ask(chatbot, n, `10.0.0.${visitor}`)) })),
    );
    expect(asked).toHaveLength(1000);
    const replies = await Promise.all(asked);
    const passed = replies.filter(({ status }) => status === 200);
    const counts = visitors.map(({ n }) => passed.filter(({ visitor }) => visitor === n).length);
    expect(counts).toEqual(visitors.map(({ limit }) => limit));
    for (const { text } of passed) expect(parseEvents(text).at(-1)).toMatchObject({ event: 'done' });
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(1000 - passed.length);
    for (const { status, text } of refused) {
      expect(status).toBe(429);
      const { retry_after, ...body } = JSON.parse(text) as { retry_after: number };
      expect(body).toEqual({ error: 'Wait', code: 'rate_limited' });
      expect(Number.isInteger(retry_after) && retry_after >= 1 && retry_after <= 360).toBe(true);
    }
    expect(model.requests).toHaveLength(passed.length);
  });
  it('of 100 questions at once as many are answered by the model as the credits pay for, not one more', async () => {
    const [PRICE, MONTHLY, ASKED] = [3, 100, 100];
    await start({ MODEL_CREDITS: `llm-4o-mini-4k=${PRICE}`, MONTHLY_CREDITS: String(MONTHLY) });
    const chatbot = await makeChatbot(cluster);
    const paid = Math.floor(MONTHLY / PRICE);
    const replies = await Promise.all(Array.from({ length: ASKED }, (_, n) => ask(chatbot, n, `10.0.1.${n}`)));
    const ends = replies.map(({ text }) => parseEvents(text).at(-1)!.data as VisitorMessage);
    expect(ends.filter(({ finish_reason }) => finish_reason === 'stop')).toHaveLength(paid);
    expect(ends.filter(({ finish_reason }) => finish_reason === 'quota')).toHaveLength(ASKED - paid);
    expect(model.requests).toHaveLength(paid);
    for (const server of cluster.servers) {
      const { credits } = await cluster.api<{ credits: number }>(server, 'GET', '/usage');
      expect(credits).toBe(paid * PRICE);
    }
  });
});
