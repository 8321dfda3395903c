import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSchedules } from '../../../server/knowledge/crawl/schedule.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { Store } from '../../../server/store/store.ts';
import { until } from '../../running.ts';
import { aChatbot, aSource } from '../records.ts';
import { makeSchema, type Schema } from './fixture.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

const HOUR = 3_600_000;
const log = { info() {}, warn() {}, error() {} };

describe.skipIf(!server)('the schedules of three processes', () => {
  let schema: Schema;
  let stores: Store[];
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    stores = await Promise.all(
      Array.from({ length: 3 }, () => openPostgresStore({ url: schema.url, clock: Date.now, max: 3 })),
    );
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await schema.drop();
  });

  it('begin once each time, in one of them', async () => {
    const [store] = stores as [Store, ...Store[]];
    const [record, other] = [aChatbot(store.owner.user.uuid), aChatbot(store.owner.user.uuid)];
    for (const one of [record, other]) await store.createChatbot(one, []);
    const source = aSource(record.uuid, { status: 'success' });
    await store.createSource(source);

    let ahead = 0;
    const begun: string[] = [];
    const processes = stores.map((own) =>
      createSchedules({
        store: own,
        knowledge: { reingest: async (uuid) => (begun.push(uuid), true) },
        sites: { again: async () => true },
        clock: () => Date.now() + ahead,
        log,
      }),
    );
    for (const one of processes) await one.set(record.uuid, 2);
    for (let round = 1; round <= 3; round++) {
      ahead += 2 * HOUR + 60_000;
      // Each looks at once for what is due.
      await Promise.all(processes.map((one) => one.set(other.uuid, 0)));
      await until(
        async () => begun.length,
        (count) => count >= round,
      );
    }
    await Promise.all(processes.map((one) => one.close()));
    expect(begun).toEqual([source.uuid, source.uuid, source.uuid]);
  });
});
