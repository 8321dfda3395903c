import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashKey } from '../../../../server/http/auth.ts';
import { newUuid, timestamp } from '../../../../server/schema/ids.ts';
import { importToPostgres, openPostgresReader } from '../../../../server/store/postgres/moving/archive.ts';
import { openPostgresStore } from '../../../../server/store/postgres/postgres.ts';
import type { OwnerAccount, Store } from '../../../../server/store/store.ts';
import { start, until, type Running } from '../../../running.ts';
import { aChatbot, aMessage, aSession } from '../../records.ts';
import { makeSchema, type Schema } from '../fixture.ts';
import { startPostgres } from '../server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(!server)('processes that start', () => {
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

  const count = async (table: string): Promise<number> => (await sql`select 1 from ${sql(table)}`).length;

  it('at once over an empty database make one owner, one first key and one demo', async () => {
    const dirs = await Promise.all([1, 2, 3, 4].map(() => mkdtemp(join(tmpdir(), 'docent-'))));
    const servers: Running[] = await Promise.all(
      dirs.map((DATA_DIR) => start({ DATABASE_URL: schema.url, DATA_DIR, API_KEY: '', DEMO: '1' })),
    );
    const keys = await Promise.all(servers.map(({ booted }) => booted.firstKey()));
    const [key, ...others] = keys.filter((one) => one !== undefined);
    expect(others).toEqual([]);
    const demos = await Promise.all(servers.map(({ booted }) => booted.demo!.prepare()));
    expect(new Set(demos.map(({ chatbot }) => chatbot)).size).toBe(1);
    expect([await count('users'), await count('keys'), await count('chatbots')]).toEqual([1, 1, 1]);
    for (const { base } of servers) {
      const { status } = await fetch(`${base}/api/v1/chatbots`, { headers: { Authorization: `Bearer ${key}` } });
      expect(status).toBe(200);
    }
    await Promise.all(servers.map((one) => one.stop()));
    await Promise.all(dirs.map((dir) => rm(dir, { recursive: true })));
  });

  it('and are taken for dead while they are busy, take the next question all the same', async () => {
    const store = await openPostgresStore({ url: schema.url, clock: Date.now });
    const chatbot = aChatbot(store.owner.user.uuid);
    await store.createChatbot(chatbot, []);
    await sql`delete from processes`;
    const session = aSession(chatbot.uuid);
    const message = { ...aMessage(session.uuid), finish_reason: '' as const };
    const begun = await store.answers!.begin({ chatbot: chatbot.uuid, message, newSession: session });
    expect(begun).toEqual({ isStored: true });
    expect(await count('processes')).toBe(1);
    await store.close();
  });

  it('at once, as many as there may be, each go on with the others', async () => {
    const stores = await Promise.all(
      Array.from({ length: 8 }, () => openPostgresStore({ url: schema.url, clock: Date.now, max: 2 })),
    );
    expect(new Set(stores.map(({ owner }) => owner.user.uuid)).size).toBe(1);
    expect(await count('processes')).toBe(8);
    const chatbot = aChatbot(stores[0]!.owner.user.uuid);
    await stores[0]!.createChatbot(chatbot, []);
    for (const store of stores) expect(await store.chatbot(chatbot.uuid)).toEqual(chatbot);
    await Promise.all(stores.map((store) => store.close()));
    expect(await count('processes')).toBe(0);
  });

  it('refuse a key as soon as it was removed in another', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => start({ DATABASE_URL: schema.url, API_KEY: '' })));
    const key = (await one!.booted.firstKey())!;
    const statuses = () =>
      Promise.all(
        [one!, other!].map(async ({ base }) => {
          const headers = { Authorization: `Bearer ${key}` };
          return (await fetch(`${base}/api/v1/chatbots`, { headers })).status;
        }),
      );
    expect(await statuses()).toEqual([200, 200]);
    const store = await openPostgresStore({ url: schema.url, clock: Date.now });
    await store.removeKey(hashKey(key));
    expect(await statuses()).toEqual([401, 401]);
    await store.close();
    await Promise.all([one!.stop(), other!.stop()]);
  });

  it('have as many connections as DATABASE_POOL says, and one that listens', async () => {
    const docent = await start({ DATABASE_URL: schema.url, DATABASE_POOL: '3' });
    const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Ferries' })).body;
    await Promise.all(Array.from({ length: 40 }, () => docent.api('GET', `/chatbot/${uuid}`)));
    const connections = await sql`select 1 from pg_stat_activity where application_name = 'docent'`;
    await docent.stop();
    expect(connections.length).toBeLessThanOrEqual(4);
    const refused = start({ DATABASE_URL: schema.url, DATABASE_POOL: '1' });
    await expect(refused).rejects.toThrow('DATABASE_POOL must be a whole number from 2 to 1000');
  });

  /** An import that goes on until it is told to end. */
  function beginImport() {
    const user = { uuid: newUuid(), email: 'imported@example.com', created_at: timestamp(Date.now) };
    const owner: OwnerAccount = { user, secret: 'a'.repeat(64) };
    let end = (): void => {};
    const told = new Promise<void>((resolve) => (end = resolve));
    let begun = (): void => {};
    const filling = new Promise<void>((resolve) => (begun = resolve));
    const fill = async (target: Store): Promise<void> => {
      begun();
      await told;
      await target.createChatbot(aChatbot(user.uuid), []);
    };
    const done = importToPostgres({ url: schema.url, clock: Date.now, owner, replaces: true, fill });
    done.catch(() => {});
    return { owner, end, done, filling };
  }

  it('wait for an import under way, and then have its owner', async () => {
    await (await openPostgresStore({ url: schema.url, clock: Date.now })).close();
    const { owner, end, done, filling } = beginImport();
    await filling;
    let isOpen = false;
    const opening = openPostgresStore({ url: schema.url, clock: Date.now });
    void opening.then(() => (isOpen = true));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(isOpen).toBe(false);
    end();
    await done;
    const store = await opening;
    expect(store.owner).toEqual(owner);
    await store.close();
  });

  it('to export wait for an import under way, and then miss nothing', async () => {
    await (await openPostgresStore({ url: schema.url, clock: Date.now })).close();
    const reader = await openPostgresReader({ url: schema.url, clock: Date.now });
    const { owner, end, done, filling } = beginImport();
    await filling;
    const exporting = reader.snapshot(async (all) => [all.owner, (await all.allChatbots()).length]);
    exporting.catch(() => {});
    await until(
      () => sql`select 1 from pg_locks where not granted`,
      ({ length }) => length > 0,
    );
    end();
    await done;
    expect(await exporting).toEqual([owner, 1]);
    await reader.close();
  });

  it('are refused where the import takes longer', async () => {
    const { end, done, filling } = beginImport();
    await filling;
    const opening = openPostgresStore({ url: schema.url, clock: Date.now, patience: 300 });
    await expect(opening).rejects.toThrow('an import into the database is under way: start again when it has ended');
    end();
    await done;
  });

  it('remove the rest of a chatbot whose deletion was cut off, however long that takes', async () => {
    const store = await openPostgresStore({ url: schema.url, clock: Date.now });
    const chatbot = aChatbot(store.owner.user.uuid);
    await store.createChatbot(chatbot, []);
    await store.close();
    await sql`update chatbots set is_deleted = true`;
    // Another process is at it.
    const other = postgres(schema.url, { max: 1 });
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    let locked = (): void => {};
    const isLocked = new Promise<void>((resolve) => (locked = resolve));
    const deleting = other.begin(async (tx) => {
      await tx`select 1 from chatbots for update`;
      locked();
      await ended;
    });
    await isLocked;
    const beside = await openPostgresStore({ url: schema.url, clock: Date.now });
    expect(await count('chatbots')).toBe(1);
    end();
    await deleting;
    await other.end();
    await beside.close();
    await (await openPostgresStore({ url: schema.url, clock: Date.now })).close();
    expect(await count('chatbots')).toBe(0);
  });
});
