import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHealth } from '../../../../server/health/health.ts';
import { openPostgresStore } from '../../../../server/store/postgres/postgres.ts';
import type { Store } from '../../../../server/store/store.ts';
import { until } from '../../../running.ts';
import { aChatbot, aSource } from '../../records.ts';
import { makeSchema, type Schema } from '../fixture.ts';
import { startPostgres } from '../server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

const ADDRESS = 'https://shop.example/returns';

describe.skipIf(!server)('postgres: a record that cannot be read', () => {
  let schema: Schema;
  let sql: postgres.Sql;
  let store: Store;
  let chatbot: string;

  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    sql = postgres(schema.url, { max: 1, onnotice: () => {} });
    store = await openPostgresStore({ url: schema.url, clock: Date.now });
    const made = aChatbot(store.owner.user.uuid);
    chatbot = made.uuid;
    await store.createChatbot(made, []);
  });
  afterEach(async () => {
    await store.close();
    await sql.end();
    await schema.drop();
  });

  it.each(['{"uuid":', '{"uuid":5}'])('refuses its address to another source: %s', async (record) => {
    const [damaged, other] = [aSource(chatbot, { identity: ADDRESS }), aSource(chatbot)];
    for (const one of [damaged, other]) await store.createSource(one);
    await sql`update sources set record = ${record} where uuid = ${damaged.uuid}`;
    const refusal = { code: 'conflict', message: expect.stringContaining(damaged.uuid) };

    await expect(store.createSource(aSource(chatbot, { identity: ADDRESS }))).rejects.toMatchObject(refusal);
    const change = (one: typeof other) => ({ ...one, alias: ADDRESS });
    await expect(store.claimIdentity(other.uuid, ADDRESS, change)).rejects.toMatchObject(refusal);
    expect(await store.sources(chatbot)).toEqual([other]);

    await store.deleteSource(damaged.uuid);
    expect(await store.claimIdentity(other.uuid, ADDRESS, change)).toEqual({ existing: undefined });
  });

  it('is named no longer where another process has deleted its chatbot', async () => {
    const source = aSource(chatbot);
    await store.createSource(source);
    await sql`update sources set record = '[]' where uuid = ${source.uuid}`;
    const health = createHealth();
    const other = await openPostgresStore({ url: schema.url, clock: Date.now, health });
    expect(await other.source(source.uuid)).toBeUndefined();
    expect(health.state()).toEqual({ status: 'degraded', reasons: [expect.stringContaining(source.uuid)] });

    await store.deleteChatbot(chatbot);
    await until(
      async () => health.state().status,
      (status) => status === 'ok',
    );
    await other.close();
  });
});
