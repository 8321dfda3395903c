import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { textOf, watch } from '../../proxy/fixture.ts';
import { until } from '../../running.ts';
import { startOwnPostgres } from '../../store/postgres/server.ts';
import { makeChatbot, startCluster, type Cluster } from '../cluster.ts';

/** Longer than the pause between two looks for crawls and sources of processes that are gone. */
const AWAY_MS = 5000;
const PIECES = ['The ferry ', 'leaves ', 'at noon.'];

const postgres = await startOwnPostgres();
afterAll(() => postgres?.stop());

describe.skipIf(!postgres)('the log of a server whose database is away', { timeout: 60_000 }, () => {
  let cluster: Cluster;
  let model: FakeModel;
  let chatbot: string;
  beforeEach(async () => {
    model = await startFakeModel({ script: { pieces: PIECES }, searches: { pieces: ['none'] } });
    cluster = await startCluster(postgres!.url, 1, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' });
    chatbot = await makeChatbot(cluster);
  });
  afterEach(async () => {
    await cluster.stop();
    await model.close();
  });

  const readiness = async (): Promise<string> =>
    ((await (await fetch(`${cluster.servers[0]!.base}/readyz`)).json()) as { status: string }).status;
  const is = (status: string) => (seen: string) => seen === status;
  const said = (level: number): string[] =>
    cluster.servers[0]!.log.filter((line) => line.level >= level).map(({ msg }) => msg);
  const AWAY = expect.stringMatching(/^the database does not answer \(\w+\)$/);

  it.each(['cut', 'loseReplies'] as const)('has a line when it goes away and one when it is back (%s)', async (how) => {
    cluster.network[how]();
    await until(readiness, is('failing'));
    await sleep(AWAY_MS);
    expect(said(40)).toEqual([AWAY]);
    cluster.network.mend();
    await until(readiness, is('ok'));
    await sleep(AWAY_MS);
    expect(said(40)).toEqual([AWAY, 'the database answers again']);
  });

  it('has no other line where the server is stopped meanwhile', async () => {
    cluster.network.cut();
    await until(readiness, is('failing'));
    await sleep(AWAY_MS);
    expect(await cluster.servers[0]!.end()).toBe(0);
    expect(said(40)).toEqual([AWAY]);
  });

  it('has no error where the server is stopped with an answer that cannot be stored', async () => {
    let goOn!: () => void;
    const hold = new Promise<void>((resolve) => (goOn = resolve));
    model.next({ pieces: PIECES, beforeHold: 2, hold });
    const body = JSON.stringify({ query: 'When does the ferry leave?' });
    const headers = { 'content-type': 'application/json' };
    const ask = `${cluster.servers[0]!.base}/chat/${chatbot}/ask`;
    const asked = await watch(ask, { method: 'POST', headers, body });
    await asked.until((events) => textOf(events) !== '');
    cluster.network.cut();
    await until(readiness, is('failing'));
    goOn();
    expect(await cluster.servers[0]!.end()).toBe(0);
    expect(said(50)).toEqual([]);
    expect(said(40)).toContainEqual(AWAY);
  });
});
