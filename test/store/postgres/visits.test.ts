import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTakeVisit, type TakeVisit } from '../../../server/http/rate-limit.ts';
import { newUuid } from '../../../server/schema/ids.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { Store } from '../../../server/store/store.ts';
import { answerWith, ask, post, startChatServer, type ChatServer } from '../../proxy/fixture.ts';
import { makeSchema, type Schema } from './fixture.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(!server)('the rate limit over four processes', () => {
  let schema: Schema;
  let stores: Store[];
  let takes: TakeVisit[];
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    stores = await Promise.all(
      Array.from({ length: 4 }, () => openPostgresStore({ url: schema.url, clock: Date.now, max: 5 })),
    );
    takes = stores.map((store) => createTakeVisit({ store, clock: Date.now }, 'ask'));
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await schema.drop();
  });

  it('lets exactly as many of a thousand concurrent questions pass as it says', async () => {
    const taken = await Promise.all(Array.from({ length: 1000 }, (_, n) => takes[n % 4]!('c', 'a', [37, 360])));
    const refused = taken.filter(({ retryAfter }) => retryAfter > 0);
    expect(taken.length - refused.length).toBe(37);
    for (const { retryAfter, fields } of refused) {
      expect(retryAfter).toBeLessThanOrEqual(360);
      expect(fields['RateLimit']).toMatch(/^"default";r=0;t=\d+$/);
    }
    const left = taken
      .filter(({ retryAfter }) => retryAfter === 0)
      .map(({ fields }) => Number(/r=(\d+)/.exec(fields['RateLimit']!)![1]));
    expect(left.sort((one, other) => one - other)).toEqual(Array.from({ length: 37 }, (_, n) => n));
  });

  it('lets no more pass in any stretch of the window, and the next once it is over', async () => {
    const passed: number[] = [];
    const end = performance.now() + 4000;
    const ask = async (store: Store): Promise<void> => {
      while (performance.now() < end) {
        const { isCounted, times } = await store.visits!.take('key', 5, 1);
        if (isCounted) passed.push(times.at(-1)!);
      }
    };
    await Promise.all(stores.map(ask));
    passed.sort((one, other) => one - other);
    for (const [n, at] of passed.slice(5).entries()) expect(at - passed[n]!).toBeGreaterThanOrEqual(1000);
    expect(passed.length).toBeGreaterThan(5);
  });

  it('counts chatbots, visitors and kinds apart, and holds at once where the owner lowers it', async () => {
    const [one, other] = takes;
    const writes = createTakeVisit({ store: stores[2]!, clock: Date.now }, 'write');
    const retryAfter = async (take: TakeVisit, chatbot: string, address: string, count: number): Promise<number> =>
      (await take(chatbot, address, [count, 300])).retryAfter;
    expect(await retryAfter(one!, 'c', 'a', 3)).toBe(0);
    expect(await retryAfter(other!, 'c', 'a', 3)).toBe(0);
    expect(await retryAfter(one!, 'c', 'a', 2)).toBeGreaterThan(0);
    expect(await retryAfter(other!, 'c', 'a', 3)).toBe(0);
    expect(await retryAfter(one!, 'c', 'a', 3)).toBeGreaterThan(0);
    expect(await retryAfter(one!, 'd', 'a', 1)).toBe(0);
    expect(await retryAfter(one!, 'c', 'b', 1)).toBe(0);
    expect(await retryAfter(writes, 'c', 'a', 1)).toBe(0);
  });

  it('remembers the last hundred visits, and no address', async () => {
    for (let n = 0; n < 110; n++) await takes[n % 4]!('chatbot', '192.0.2.7', [100, 1]);
    const { times } = await stores[0]!.visits!.take('ask chatbot 192.0.2.7', 100, 0);
    expect(times).toHaveLength(100);
    const sql = postgres(schema.url, { max: 1 });
    expect(JSON.stringify(await sql`select v::text from visits v`)).not.toContain('192.0.2');
    await sql.end();
  });
});

describe.skipIf(!server)('the rate limit of questions to two servers', () => {
  let schema: Schema;
  let servers: ChatServer[];
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    const openStore = (options: object) => openPostgresStore({ url: schema.url, max: 4, clock: Date.now, ...options });
    servers = [await startChatServer({ openStore }), await startChatServer({ openStore })];
    for (const one of servers) one.respond = answerWith('At noon.');
  });
  afterEach(async () => {
    await Promise.all(servers.map((one) => one.stop()));
    await schema.drop();
  });

  it('counts no repeats and none that find no session, and stores nothing of those that it refuses', async () => {
    const [a, b] = servers as [ChatServer, ChatServer];
    const { uuid } = await a.chatbot({ rate_limit: [2, 300] });
    const statusOf = async (docent: ChatServer, question: object): Promise<number> => {
      const reply = await post(`${docent.base}/chat/${uuid}/ask`, question);
      await reply.text();
      return reply.status;
    };
    const one = { query: 'When does it leave?', id: newUuid() };
    for (const docent of [a, b, a]) await ask(docent, uuid, one);
    expect(await statusOf(b, { query: 'And back?', session: newUuid() })).toBe(404);
    await ask(b, uuid, { query: 'And on Sundays?', id: newUuid() });
    const third = { query: 'How much is it?', id: newUuid() };
    expect(await statusOf(a, third)).toBe(429);
    expect(await statusOf(b, third)).toBe(429);
    await ask(b, uuid, one);
    expect(await a.store.sessions(uuid)).toHaveLength(2);
    await a.store.updateChatbot(uuid, (chatbot) => ({ ...chatbot, meta: { ...chatbot.meta, rate_limit: [3, 300] } }));
    await ask(b, uuid, third);
    expect(await a.store.sessions(uuid)).toHaveLength(3);
    expect(await statusOf(a, { query: 'One more?', id: newUuid() })).toBe(429);
  });
});
