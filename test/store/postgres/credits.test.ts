import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { Credits } from '../../../server/store/credits.ts';
import type { Store } from '../../../server/store/store.ts';
import { until } from '../../running.ts';
import { aChatbot, aSession } from '../records.ts';
import { makeSchema, type Schema } from './fixture.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(!server)('over four processes', () => {
  let schema: Schema;
  let stores: Store[];
  let credits: Credits[];
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    stores = await Promise.all(
      Array.from({ length: 4 }, () => openPostgresStore({ url: schema.url, clock: Date.now, max: 5 })),
    );
    credits = stores.map((store) => store.credits!);
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await schema.drop();
  });
  const owner = 'a'.repeat(32);
  const MARCH = '2026-03';
  const spend = (cost: number, day: string): Promise<void> =>
    stores[0]!.addUsage({ owner, chatbot: 'c', day, model: '', messages: 1, credits: cost, tokens: 1 });

  it('the last credit goes to one of those that ask for it at the same moment', async () => {
    await spend(3, '2026-03-02');
    const asked = await Promise.all(
      Array.from({ length: 200 }, (_, n) => credits[n % 4]!.reserve(owner, MARCH, 2, 10)),
    );
    const accounts = asked.filter((account) => account !== undefined);
    expect(accounts).toHaveLength(3);
    for (const account of accounts) account.settle(2, 1);
    const again = await Promise.all(Array.from({ length: 40 }, (_, n) => credits[n % 4]!.reserve(owner, MARCH, 1, 10)));
    // Of those that ask before the settlements of another process, some are refused: never more pass.
    expect(again.filter(Boolean).length).toBeLessThanOrEqual(4);
    const late = async () => (await credits[0]!.reserve(owner, MARCH, 1, 10)) !== undefined;
    let passed = again.filter(Boolean).length;
    await until(
      async () => (passed += Number(await late())),
      (count) => count >= 4,
    );
    expect(await late()).toBe(false);
    expect(await credits[0]!.reserve(owner, '2026-04', 10, 10)).toBeDefined();
  });

  it('gives back what a process had reserved when it ends', async () => {
    const [one, other] = credits;
    expect(await one!.reserve(owner, MARCH, 10, 10)).toBeDefined();
    expect(await other!.reserve(owner, MARCH, 1, 10)).toBeUndefined();
    await stores[0]!.close();
    expect(await other!.reserve(owner, MARCH, 10, 10)).toBeDefined();
  });

  it('counts calls beside answers that cost nothing', async () => {
    const taken = await Promise.all(Array.from({ length: 40 }, (_, n) => credits[n % 4]!.takeBeside(owner, MARCH, 5)));
    const accounts = taken.filter((account) => account !== undefined);
    expect(accounts).toHaveLength(5);
    accounts[0]!.giveBackBeside();
    await until(async () => credits[2]!.takeBeside(owner, MARCH, 5), Boolean);
    expect(await credits[1]!.takeBeside(owner, MARCH, 5)).toBeUndefined();
  });

  it('a session is taken by one of those that see it free', async () => {
    const record = aChatbot(stores[0]!.owner.user.uuid);
    await stores[0]!.createChatbot(record, []);
    const session = aSession(record.uuid);
    await stores[0]!.createSession(session);
    const takes = Array.from({ length: 100 }, async (_, n) => {
      let isFirst = false;
      await stores[n % 4]!.updateSession(session.uuid, (one) => {
        isFirst = one.live === undefined;
        return { ...one, live: { state: 'requested' } };
      });
      return isFirst;
    });
    expect((await Promise.all(takes)).filter(Boolean)).toHaveLength(1);
  });

  it('what answers cost adds up', async () => {
    const costs = Array.from({ length: 100 }, (_, n) =>
      stores[n % 4]!.addUsage({
        owner,
        chatbot: 'c',
        day: '2026-03-01',
        model: 'm',
        messages: 1,
        credits: 2,
        tokens: 3,
      }),
    );
    await Promise.all(costs);
    expect(await stores[0]!.usage(owner, '2026-03-01', '2026-03-31')).toMatchObject([
      { messages: 100, credits: 200, tokens: 300 },
    ]);
  });
});
