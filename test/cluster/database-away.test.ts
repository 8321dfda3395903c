import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startFakeModel } from '../fakes/model.ts';
import { until } from '../running.ts';
import { startOwnPostgres } from '../store/postgres/server.ts';
import { makeChatbot, startCluster, type Cluster } from './cluster.ts';
import { answerTo, answerWhole } from './traffic.ts';
import { askWidget, BROWSER_GLOBALS, openWidget } from './widget-visitor.ts';

const AWAY_MS = 8000;

const postgres = await startOwnPostgres();
afterAll(() => postgres?.stop());
// Not sooner: timers of the widget's outlive its answers.
afterAll(() => void vi.unstubAllGlobals());

describe.skipIf(!postgres)('a server whose database is away', { timeout: 60_000 }, () => {
  let cluster: Cluster;
  let chatbot: string;
  beforeEach(async () => {
    cluster = await startCluster(postgres!.url, 1);
    chatbot = await makeChatbot(cluster);
  });
  afterEach(() => cluster.stop());

  /** One question after another: were each to wait for the database, the test would not end. */
  async function askInTurn(count: number): Promise<string[]> {
    const seen: string[] = [];
    for (let n = 0; n < count; n++) {
      const body = JSON.stringify({ query: 'Are you there?', id: `question-${n}` });
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${cluster.servers[0]!.base}/chat/${chatbot}/ask`, { method: 'POST', headers, body });
      await reply.text();
      seen.push(`${reply.status} ${reply.headers.get('retry-after') ? 'retry' : ''}`);
    }
    return seen;
  }
  const readiness = async (): Promise<string> =>
    ((await (await fetch(`${cluster.servers[0]!.base}/readyz`)).json()) as { status: string }).status;
  const is = (status: string) => (seen: string) => seen === status;
  const refused = (count: number): string[] => Array<string>(count).fill('503 retry');

  it.each(['cut', 'loseReplies'] as const)('refuses what is asked without waiting (%s), and goes on', async (how) => {
    cluster.network[how]();
    expect(await askInTurn(1)).toEqual(refused(1));
    await until(readiness, is('failing'));
    expect(await askInTurn(200)).toEqual(refused(200));
    cluster.network.mend();
    await until(readiness, is('ok'));
    expect(await askInTurn(5)).toEqual(Array<string>(5).fill('200 '));
  });

  it('lets a visitor who asks meanwhile see that the widget tries again, and get one answer', async () => {
    for (const [name, value] of Object.entries(BROWSER_GLOBALS)) vi.stubGlobal(name, value);
    const model = await startFakeModel({ script: answerWhole, searches: { pieces: ['none'] } });
    await cluster.stop();
    cluster = await startCluster(postgres!.url, 1, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' });
    chatbot = await makeChatbot(cluster);
    const { base } = cluster.servers[0]!;
    const [chat, query] = [openWidget(base, chatbot), 'How about what is asked meanwhile then'];
    // What every page has asked for by the time of a question.
    await until(chat.prepare, (isReady) => isReady === true);
    cluster.network.cut();
    await until(readiness, is('failing'));
    const answer = askWidget(chat, query);
    await sleep(AWAY_MS);
    expect(chat.turns.peek()[0]!.status.peek()).toEqual({ is: 'reconnecting' });
    cluster.network.mend();
    const { status, text } = await answer;
    expect([status.peek().is, text.peek()]).toEqual(['done', answerTo(query)]);
    expect(model.requests).toHaveLength(1);
    await model.close();
  });
});
