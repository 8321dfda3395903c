import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Bus } from '../../../server/store/bus.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { Store } from '../../../server/store/store.ts';
import { startTcpProxy } from '../../fakes/tcp-proxy.ts';
import { until } from '../../running.ts';
import type { StoreFixture } from '../contract.ts';
import { lowdbFolder } from '../lowdb-fixture.ts';
import { makeSchema, postgresSchema, type Schema } from './fixture.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

/** Collects what a bus says of the passages. */
function hear(bus: Bus): { heard: string[]; all(...ids: string[]): Promise<unknown> } {
  const heard: string[] = [];
  bus.subscribe('passages', (id) => heard.push(id));
  return {
    heard,
    all: (...ids) =>
      until(
        async () => heard,
        (some) => ids.every((id) => some.includes(id)),
      ),
  };
}

for (const [engine, create] of [
  ['lowdb', lowdbFolder()],
  ['postgres', server && postgresSchema(server.url)],
] as const)
  describe.skipIf(!create)(`${engine}: the bus`, () => {
    let fixture: StoreFixture;
    let store: Store;
    beforeEach(async () => {
      fixture = await create!();
      store = await fixture.open();
    });
    afterEach(async () => {
      await store.close();
      await fixture.clear();
    });

    it('tells every listener of this process at once', async () => {
      const [one, other] = [hear(store.bus), hear(store.bus)];
      store.bus.publish('passages', 'a');
      await Promise.resolve();
      expect([one.heard, other.heard]).toEqual([['a'], ['a']]);
    });

    it('tells a listener that has left nothing more', async () => {
      const heard: string[] = [];
      const leave = store.bus.subscribe('passages', (id) => heard.push(id));
      const stays = hear(store.bus);
      store.bus.publish('passages', 'a');
      await stays.all('a');
      store.bus.publish('passages', 'b');
      leave();
      await stays.all('b');
      expect(heard).toEqual(['a']);
    });
  });

describe.skipIf(!server)('the bus of several processes', () => {
  let schema: Schema;
  let sql: postgres.Sql;
  let stores: Store[];
  const open = async (url = schema.url): Promise<Store> => {
    const store = await openPostgresStore({ url, clock: Date.now });
    stores.push(store);
    return store;
  };
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    sql = postgres(schema.url, { max: 1, onnotice: () => {} });
    stores = [];
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await sql.end();
    await schema.drop();
  });
  const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `id${i}`);
  const batches = async (): Promise<number> => (await sql`select 1 from notices`).length;

  it('carries what each publishes to the others, in as few batches as it may', async () => {
    const [a, b, c] = [await open(), await open(), await open()];
    const [onB, onC] = [hear(b.bus), hear(c.bus)];
    for (const id of ids(1000)) a.bus.publish('passages', id);
    b.bus.publish('passages', 'of b');
    await onB.all(...ids(1000), 'of b');
    await onC.all(...ids(1000), 'of b');
    expect(await batches()).toBe(2);
  });

  it('sends at most twenty batches a second', async () => {
    const [a, b] = [await open(), await open()];
    const onB = hear(b.bus);
    const begin = performance.now();
    for (const id of ids(40)) {
      a.bus.publish('passages', id);
      await new Promise((done) => setTimeout(done, 10));
    }
    await onB.all(...ids(40));
    expect(await batches()).toBeLessThanOrEqual((performance.now() - begin) / 50 + 1);
  });

  it('sends what was published before the store is closed', async () => {
    const [a, b] = [await open(), await open()];
    const onB = hear(b.bus);
    a.bus.publish('passages', 'the last');
    await a.close();
    await onB.all('the last');
  });

  it('is told sooner than it would look by itself', async () => {
    const [a, b] = [await open(), await open()];
    const onB = hear(b.bus);
    const delays: number[] = [];
    for (const id of ids(5)) {
      const begin = performance.now();
      a.bus.publish('passages', id);
      await onB.all(id);
      delays.push(performance.now() - begin);
    }
    expect(Math.min(...delays)).toBeLessThan(1000);
  });

  it('finds what no notification told of', async () => {
    const onB = hear((await open()).bus);
    for (const id of ids(3)) {
      await sql`insert into notices (process, notices) values ('another', ${JSON.stringify([['passages', id]])})`;
      await onB.all(id);
    }
  });

  it('hears what was published while the network was cut, and is heard with what it published meanwhile', async () => {
    const network = await startTcpProxy(Number(new URL(server!.url).port));
    const url = new URL(schema.url);
    url.port = String(network.port);
    const [a, b] = [await open(), await open(url.href)];
    const [onA, onB] = [hear(a.bus), hear(b.bus)];
    a.bus.publish('passages', 'before');
    await onB.all('before');
    network.cut();
    a.bus.publish('passages', 'from a');
    b.bus.publish('passages', 'from b');
    await until(batches, (count) => count === 2);
    expect([onA.heard, onB.heard]).toEqual([
      ['before', 'from a'],
      ['before', 'from b'],
    ]);
    network.mend();
    await onB.all('from a');
    await onA.all('from b');
    await b.close();
    await network.close();
  });
});
