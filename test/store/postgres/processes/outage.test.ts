import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { newUuid } from '../../../../server/schema/ids.ts';
import { DatabaseWatch } from '../../../../server/store/postgres/outage.ts';
import { openPostgresStore } from '../../../../server/store/postgres/postgres.ts';
import { startTcpProxy } from '../../../fakes/tcp-proxy.ts';
import { until } from '../../../running.ts';
import { makeSchema } from '../fixture.ts';
import { startPostgres } from '../server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

const fault = (code: string): Error => Object.assign(new Error(code), { code });

it('finds a database that is back while an earlier look still waits for one that was silent', async () => {
  const seen: string[] = [];
  let state: 'refusing' | 'silent' | 'back' = 'refusing';
  const longest = { ms: 0 };
  const network = {
    async probe(patience: number) {
      if (state === 'refusing') throw fault('ECONNREFUSED');
      if (state === 'back') return;
      longest.ms = Math.max(longest.ms, patience);
      await wait(patience);
      seen.push(`silent for ${patience}`);
      throw fault('ETIMEDOUT');
    },
    refuse: () => {},
    accept: () => void seen.push('accepts'),
  };
  const watch = new DatabaseWatch(undefined, undefined, network);
  const returned = new Promise<void>((done) => watch.onReturn(done));
  await expect(watch.run(() => Promise.reject(fault('ECONNREFUSED')))).rejects.toThrow('does not answer');
  state = 'silent';
  // A busy database may take so long.
  while (longest.ms < 2900) await wait(5);
  state = 'back';
  seen.length = 0;
  await returned;
  expect(seen).not.toContain(`silent for ${longest.ms}`);
  expect(seen.at(-1)).toBe('accepts');
  await watch.close();
}, 30_000);

it.skipIf(!server)('has the use of all its connections once the database is back', async () => {
  const schema = await makeSchema(server!.url);
  const network = await startTcpProxy(Number(new URL(schema.url).port || 5432));
  const url = new URL(schema.url);
  [url.hostname, url.port] = ['127.0.0.1', String(network.port)];
  const store = await openPostgresStore({ url: url.href, clock: Date.now, max: 4 });
  const askAll = async (): Promise<Set<unknown>> => {
    const all = await Promise.allSettled(Array.from({ length: 40 }, () => store.session(newUuid())));
    return new Set(all.map((one) => (one.status === 'fulfilled' ? 'answered' : one.reason.code)));
  };
  expect(await askAll()).toEqual(new Set(['answered']));
  network.cut();
  // The first find it away; some of the next wait for connections that are refused.
  for (let n = 1; n <= 20; n++) expect(await askAll()).toEqual(new Set(['unavailable']));
  network.mend();
  await until(
    () =>
      store.session(newUuid()).then(
        () => true,
        () => false,
      ),
    Boolean,
  );
  expect(await askAll()).toEqual(new Set(['answered']));
  await store.close();
  await network.close();
  await schema.drop();
});
