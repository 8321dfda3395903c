import postgres from 'postgres';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { Credits } from '../../../server/store/credits.ts';
import type { Store } from '../../../server/store/store.ts';
import { startTcpProxy } from '../../fakes/tcp-proxy.ts';
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

describe.skipIf(!server)('where processes or the network fail', () => {
  let schema: Schema;
  let sql: postgres.Sql;
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    sql = postgres(schema.url, { max: 1, onnotice: () => {} });
  });
  afterEach(async () => {
    await sql.end();
    await schema.drop();
  });
  const owner = 'a'.repeat(32);
  const MARCH = '2026-03';
  const spent = async (): Promise<number> => (await sql`select spent from credits`)[0]?.['spent'];

  it('counts an answer once whose settlement had no reply', async () => {
    const network = await startTcpProxy(Number(new URL(server!.url).port));
    const url = new URL(schema.url);
    url.port = String(network.port);
    const store = await openPostgresStore({ url: url.href, clock: Date.now, max: 1 });
    // The first prepares the statement.
    for (const isLost of [false, true]) {
      const account = await store.credits!.reserve(owner, MARCH, 3, 10);
      if (isLost) network.loseReplies();
      account!.settle(3, 2);
      await until(spent, (sum) => sum === (isLost ? 4 : 2));
    }
    network.cut();
    network.mend();
    // Longer than until it is sent again.
    await wait(2000);
    expect(await spent()).toBe(4);
    expect(await sql`select 1 from reserved_credits where credits <> 0`).toHaveLength(0);
    await store.close();
    await network.close();
  });

  it('gives back no more than is reserved, after other processes have taken it for dead', async () => {
    const store = await openPostgresStore({ url: schema.url, clock: Date.now });
    const before = await store.credits!.reserve(owner, MARCH, 4, 10);
    const [own] = await sql`delete from processes returning uuid`;
    await sql`insert into processes (uuid) values (${own!['uuid']})`;
    const after = await store.credits!.reserve(owner, MARCH, 1, 10);
    before!.settle(4, 1);
    await until(spent, (sum) => sum === 1);
    expect((await sql`select credits from reserved_credits`)[0]!['credits']).toBe(0);
    after!.settle(1, 1);
    await until(spent, (sum) => sum === 2);
    expect((await sql`select credits from reserved_credits`)[0]!['credits']).toBe(0);
    await store.close();
  });

  it('says what it could not count, which the next process that starts alone takes from the usage', async () => {
    const said: string[] = [];
    const log = { warn: (_: object, sentence: string) => void said.push(sentence) };
    const says = (words: string) =>
      until(
        async () => said,
        (all) => all.some((one) => one.includes(words)),
      );
    const store = await openPostgresStore({ url: schema.url, clock: Date.now, log });
    const usage = { owner, chatbot: 'c', day: '2026-03-02', model: '', messages: 1, credits: 7, tokens: 1 };
    const account = await store.credits!.reserve(owner, MARCH, 8, 10);
    await store.addUsage(usage);
    await sql.unsafe(`
      create function refuse() returns trigger language plpgsql as $$
        begin raise 'could not extend file' using errcode = 'disk_full'; end $$;
      create trigger full_disk before insert on settlements for each row execute function refuse()`);
    account!.settle(8, 7);
    await says('the disk of the database is full');
    await store.close();
    await says('credits');
    await sql`drop trigger full_disk on settlements`;
    const other = await openPostgresStore({ url: schema.url, clock: Date.now });
    expect(await other.credits!.reserve(owner, MARCH, 4, 10)).toBeUndefined();
    expect(await other.credits!.reserve(owner, MARCH, 3, 10)).toBeDefined();
    const third = await openPostgresStore({ url: schema.url, clock: Date.now });
    expect(await third.credits!.reserve(owner, MARCH, 1, 10)).toBeUndefined();
    for (const one of [other, third]) await one.close();
  });
});
