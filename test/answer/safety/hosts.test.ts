import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SourceHosts } from '../../../server/answer/safety/hosts.ts';
import type { StoredSource } from '../../../server/store/store.ts';

it('reads the hosts of many sources over many turns of the event loop', async () => {
  const sources = Array.from({ length: 20_000 }, (_, n) => ({
    file_name: `https://s${n}.example/page`,
    meta_json: JSON.stringify({ reference_source_link: `https://r${n}.example/` }),
  }));
  const all = 2 * sources.length;
  const hosts = new SourceHosts({ sources: async () => sources as StoredSource[] }).of('shop');
  const partly = new Set<number>();
  while (hosts.size < all) {
    if (hosts.size > 0) partly.add(hosts.size);
    await setImmediate();
  }
  expect(partly.size).toBeGreaterThan(2);
  expect(['s7.example', 'r19999.example', 's20000.example'].map((host) => hosts.has(host))).toEqual([
    true,
    true,
    false,
  ]);
});
