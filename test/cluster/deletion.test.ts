import postgresClient from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../running.ts';
import { parseEvents, post } from '../proxy/fixture.ts';
import { startPostgres } from '../store/postgres/server.ts';
import { makeChatbot, startCluster, type Cluster } from './cluster.ts';

const postgres = await startPostgres();
afterAll(() => postgres?.stop());

const TIMES = 50;
const question = 'When does the last ferry leave?';

describe.skipIf(!postgres)('what was deleted on one server', { timeout: 180_000 }, () => {
  let cluster: Cluster;
  let chatbot: string;
  beforeEach(async () => {
    cluster = await startCluster(postgres!.url, 2);
    chatbot = await makeChatbot(cluster);
  });
  afterEach(() => cluster.stop());

  async function ask(n: number): Promise<string> {
    const { base } = cluster.servers[1]!;
    const reply = await post(`${base}/chat/${chatbot}/ask`, { query: question }, { 'X-Forwarded-For': `10.3.0.${n}` });
    const last = parseEvents(await reply.text()).at(-1)!;
    if (last.event !== 'done') throw new Error(JSON.stringify(last));
    return JSON.stringify(last.data);
  }

  async function expectNeverQuoted(): Promise<void> {
    const [a] = cluster.servers;
    for (let n = 0; n < TIMES; n++) {
      const answer = `The last ferry leaves at ${n} minutes to nine.`;
      const { uuid } = await cluster.api<{ uuid: string }>(a!, 'POST', `/chatbot/${chatbot}/data-source/qa`, {
        question,
        answer,
      });
      // Else the other server would have nothing to forget.
      await until(
        () => ask(n),
        (text) => text.includes(answer),
      );
      await cluster.api(a!, 'POST', `/data-source/${uuid}/delete`);
      expect(await ask(n)).not.toContain('minutes to nine');
    }
  }

  it('is never quoted by another', expectNeverQuoted);

  it('is never quoted by another that hears of nothing', async () => {
    const sql = postgresClient(cluster.database, { max: 1, onnotice: () => {} });
    await sql`create function lose() returns trigger language plpgsql as 'begin return null; end'`;
    await sql`create trigger lose before insert on notices for each row execute function lose()`;
    await sql.end();
    await expectNeverQuoted();
  });
});
