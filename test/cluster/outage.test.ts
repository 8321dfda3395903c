import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { until } from '../running.ts';
import { startOwnPostgres } from '../store/postgres/server.ts';
import { makeChatbot, startCluster, type Cluster } from './cluster.ts';
import { answerWhole, startTraffic, type Traffic } from './traffic.ts';

// It is restarted: not one that others use.
const postgres = await startOwnPostgres();
afterAll(() => postgres?.stop());

const CUT_MS = 5000;

describe.skipIf(!postgres)('three servers whose database goes away under load', { timeout: 180_000 }, () => {
  let cluster: Cluster;
  let model: FakeModel;
  let traffic: Traffic;
  beforeEach(async () => {
    model = await startFakeModel({ script: answerWhole, searches: { pieces: ['none'] } });
    cluster = await startCluster(postgres!.url, 3, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' });
    traffic = startTraffic(cluster, await makeChatbot(cluster), 12);
  });
  afterEach(async () => {
    await traffic.end();
    await cluster.stop();
    await model.close();
  });

  const isAnswered = (more: number): Promise<number> => {
    const before = traffic.acknowledged();
    return until(
      async () => traffic.acknowledged(),
      (count) => count >= before + more,
    );
  };
  const readiness = () =>
    Promise.all(
      cluster.servers.map(
        async ({ base }) => ((await (await fetch(`${base}/readyz`)).json()) as { status: string }).status,
      ),
    );
  const all = (status: string) => (seen: string[]) => seen.every((one) => one === status);

  async function expectNothingLost(): Promise<void> {
    await until(readiness, all('ok'));
    await isAnswered(20);
    await traffic.end();
    // What could not be stored at its end is given up once the database can be reached.
    expect(
      await until(
        () => traffic.faults(),
        (faults) => faults.length === 0,
      ),
    ).toEqual([]);
    expect(traffic.ledger.cut).toBeGreaterThan(0);
  }

  it.each(['fast', 'immediate'] as const)('go on after a %s restart of it, and have lost nothing', async (how) => {
    await isAnswered(20);
    await postgres!.restart(how);
    await expectNothingLost();
  });

  it('go on after the network to it was cut for 5 s, say so meanwhile, and have lost nothing', async () => {
    await isAnswered(20);
    cluster.network.cut();
    const mending = sleep(CUT_MS).then(() => cluster.network.mend());
    await until(readiness, all('failing'));
    await mending;
    await expectNothingLost();
  });
});
