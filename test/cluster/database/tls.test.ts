import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import postgresClient from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseEvents, post } from '../../proxy/fixture.ts';
import { until } from '../../running.ts';
import { startOwnPostgres } from '../../store/postgres/server.ts';
import { makeChatbot, startCluster, type Cluster } from '../cluster.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const postgres = hasOpenssl ? await startOwnPostgres({ isTls: true }) : undefined;
afterAll(() => postgres?.stop());

/** Of several looks whether the database is back. */
const AWAY_MS = 4000;
/** Bytes of PostgreSQL's: its yes to TLS, a part of the handshake, the end of it and a part of what comes under TLS. */
const BROKEN_OFF_AFTER = [1, 700, 1800];

describe.skipIf(!postgres)('a server whose database wants TLS', { timeout: 120_000 }, () => {
  let cluster: Cluster;
  let chatbot: string;
  beforeEach(async () => {
    cluster = await startCluster(postgres!.url, 1);
    chatbot = await makeChatbot(cluster);
  });
  afterEach(() => cluster.stop());

  const readiness = async (): Promise<string> =>
    ((await (await fetch(`${cluster.servers[0]!.base}/readyz`)).json()) as { status: string }).status;
  const is = (status: string) => (seen: string) => seen === status;
  const ask = async (): Promise<string> => {
    const reply = await post(`${cluster.servers[0]!.base}/chat/${chatbot}/ask`, { query: 'Are you there?' });
    return reply.ok ? parseEvents(await reply.text()).at(-1)!.event : String(reply.status);
  };

  /** The process is the same as before, and says of no fault. */
  async function goesOn(): Promise<void> {
    await until(readiness, is('ok'));
    expect(await ask()).toBe('done');
    expect(await cluster.servers[0]!.end()).toBe(0);
    expect(cluster.servers[0]!.log.filter(({ level }) => level >= 50)).toEqual([]);
  }

  it('has all its connections under TLS', async () => {
    expect(await ask()).toBe('done');
    const sql = postgresClient(postgres!.url, { max: 1 });
    const rows = await sql`
      select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'docent'`;
    await sql.end();
    expect(rows).toEqual([{ ssl: true }]);
  });

  it('goes on after connections that were cut while questions came', async () => {
    for (let times = 0; times < 3; times++) {
      const asking = Array.from({ length: 20 }, ask);
      cluster.network.cut();
      await Promise.allSettled(asking);
      await until(readiness, is('failing'));
      await sleep(AWAY_MS);
      cluster.network.mend();
      await until(readiness, is('ok'));
    }
    await goesOn();
  });

  it.each(BROKEN_OFF_AFTER)('goes on after connections that break off after %i bytes', async (bytes) => {
    cluster.network.breakOffAfter(bytes);
    const asking = Array.from({ length: 20 }, ask);
    await until(readiness, is('failing'));
    await Promise.allSettled(asking);
    await sleep(AWAY_MS);
    cluster.network.mend();
    await goesOn();
  });

  it('goes on after a database that replied no more', async () => {
    cluster.network.loseReplies();
    const asking = Array.from({ length: 20 }, ask);
    await until(readiness, is('failing'));
    await Promise.allSettled(asking);
    await sleep(AWAY_MS);
    cluster.network.mend();
    await goesOn();
  });
});
