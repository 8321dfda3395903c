import { setImmediate } from 'node:timers';
import { expect, it } from 'vitest';
import { SourceHosts } from '../../../server/answer/safety/hosts.ts';
import type { StoredSource } from '../../../server/store/store.ts';
import { until } from '../../running.ts';

it('reads the hosts of many sources over many turns of the event loop', async () => {
  const sources = Array.from({ length: 20_000 }, (_, n) => ({
    file_name: `https://s${n}.example/page`,
    meta_json: JSON.stringify({ reference_source_link: `https://r${n}.example/` }),
  }));
  let turns = 0;
  let isRead = false;
  const count = (): void => {
    turns += 1;
    if (!isRead) setImmediate(count);
  };
  setImmediate(count);
  const hosts = new SourceHosts({ sources: async () => sources as StoredSource[] }).of('shop');
  await until(
    async () => hosts.size,
    (size) => size === 2 * sources.length,
  );
  isRead = true;
  expect(turns).toBeGreaterThan(4);
  expect([hosts.has('s7.example'), hosts.has('r19999.example'), hosts.has('s20000.example')]).toEqual([
    true,
    true,
    false,
  ]);
});
