import { setImmediate } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { expect, it } from 'vitest';
import { createMarkerFilter } from '../../server/answer/citations/stream-filter.ts';
import { foundPassage } from './search.ts';
import type { Found } from '../../server/knowledge/search/found.ts';

/** The cache of passages that the citation check has read. */

const TEXT = 'You may send a lamp back within 45 days of delivery, and we refund the full price.';

const passages = (count: number): Found[] =>
  Array.from({ length: count }, (_, n) =>
    foundPassage(
      { uuid: '1'.repeat(32), title: 'Returns', file_name: 'https://shop.test/', type: 'link' },
      `${TEXT} This is page ${n}.`,
    ),
  );

function cite(found: Found): void {
  const markers = createMarkerFilter([found], 'What about lamps?', { appended: 0, textFrom: () => '' });
  expect(markers.pass('You can return it within 45 days [1]. ') + markers.rest()).toContain('[1]');
}

/** Sets that something still refers to: a reading of a passage holds several. */
async function sets(): Promise<number> {
  await setImmediate();
  return queryObjects(Set, { format: 'count' });
}

it('a read passage is cached for the next answer, and freed with the index that holds it', async () => {
  let indexed = passages(100);
  cite({ ...indexed[0]!, entry: {} });
  const before = await sets();
  indexed.forEach(cite);
  const cited = await sets();
  expect(cited - before).toBeGreaterThanOrEqual(300);
  for (const one of indexed) cite({ ...one });
  expect((await sets()) - cited).toBeLessThan(10);
  indexed = [];
  expect((await sets()) - before).toBeLessThan(10);
});

it('the cache holds 500 passages at most', async () => {
  const indexed = passages(600);
  const before = await sets();
  indexed.slice(0, 500).forEach(cite);
  const full = await sets();
  indexed.slice(500).forEach(cite);
  expect((await sets()) - full).toBeLessThan((full - before) / 50);
  expect(indexed).toHaveLength(600);
});
