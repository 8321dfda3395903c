import postgres from 'postgres';
import { afterAll, expect, it } from 'vitest';
import { DatabaseWatch } from '../../../server/store/postgres/outage.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import { startCleaning } from '../../../server/store/postgres/shared/clean.ts';
import { until } from '../../running.ts';
import { aChatbot } from '../records.ts';
import { makeSchema } from './fixture.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

it.skipIf(!server)('a process that runs for long removes what none needs any more', async () => {
  const schema = await makeSchema(server!.url);
  const store = await openPostgresStore({ url: schema.url, clock: Date.now });
  const chatbot = aChatbot(store.owner.user.uuid);
  await store.createChatbot(chatbot, []);
  const sql = postgres(schema.url, { max: 2, onnotice: () => {} });
  const cleaning = await startCleaning(sql, new DatabaseWatch(undefined, undefined), 20);
  const add = async (name: string, days: number): Promise<void> => {
    const at = sql`now() - ${days}::integer * interval '1 day'`;
    await sql`insert into passage_changes (chatbot, source, version, at) values (${chatbot.uuid}, ${name}, 1, ${at})`;
    await sql`insert into settlements (id, at) values (${name}, ${at})`;
    const key = Buffer.from(name);
    await sql`insert into visits (key, times, is_counted, last_at) values (${key}, '{}', true, ${at})`;
  };
  const left = async (): Promise<string[]> =>
    (
      await sql`
        select source as name from passage_changes union all select id from settlements
        union all select convert_from(key, 'utf8') from visits`
    ).map((row) => row['name']);
  await add('new', 0);
  for (const name of ['old', 'later']) {
    await add(name, 10);
    await until(left, (names) => !names.includes(name));
  }
  expect(await left()).toEqual(['new', 'new', 'new']);
  await cleaning.close();
  await sql.end();
  await store.close();
  await schema.drop();
});
