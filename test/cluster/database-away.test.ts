import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../running.ts';
import { startOwnPostgres } from '../store/postgres/server.ts';
import { makeChatbot, startCluster, type Cluster } from './cluster.ts';

const postgres = await startOwnPostgres();
afterAll(() => postgres?.stop());

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
});
