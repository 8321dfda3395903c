import { expect, it } from 'vitest';
import {
  add,
  citedPages,
  crawl,
  crawlEnded,
  holdRequests,
  page,
  pageChain,
  pages,
  siteOf,
  startCrawl,
  success,
  useSiteFixture,
} from '../site-fixture.ts';
import { until } from '../../running.ts';

/** A site is deleted as a whole: with its crawl and its pages. */

const fixture = useSiteFixture();

const base = () => `/chatbot/${fixture.bot}/data-source`;
const remove = (uuid: string) => fixture.docent.api('POST', `${base()}/site/${uuid}/delete`);
const listed = async () => (await fixture.docent.api('GET', `${base()}/sites`)).body;
const quiet = () => new Promise((done) => setTimeout(done, 150));

it('goes with its pages, which are quoted no more, and with those of no other', async () => {
  fixture.shown = { ...pageChain(3), '/own': page('pond') };
  await add(fixture, '/own');
  await add(fixture, '/2');
  const site = await crawl(fixture);
  // The second page was added by itself before the crawl came across it.
  expect(site).toMatchObject({ status: 'done', found: 3, pages: 2 });
  expect(await citedPages(fixture, 'What tells all about the house 3?')).toContain('/3');

  expect(await remove(site.uuid)).toMatchObject({ status: 200, body: { success: true } });
  expect(await listed()).toEqual([]);
  expect(await pages(fixture)).toEqual(success('/own', '/2'));
  expect(await citedPages(fixture, 'What tells all about the house 3?')).not.toContain('/3');
  expect(await citedPages(fixture, 'What tells all about the pond?')).toEqual(['/own']);
  expect((await remove(site.uuid)).status).toBe(404);

  const log: { operation: string }[] = (await fixture.docent.api('GET', `/chatbot/${fixture.bot}/audit`)).body;
  const [entry, ...others] = log.filter(({ operation }) => operation === 'deleteSite');
  expect(others).toEqual([]);
  expect(entry).toMatchObject({ record: site.uuid, detail: 'pages: 2' });
});

it('goes while it is crawled, and none of its pages comes back', async () => {
  const names = Array.from({ length: 60 }, (_, i) => `/${i}`);
  fixture.shown = Object.fromEntries(names.map((name) => [name, page(`house ${name}`)]));
  fixture.shown['/'] = page('square', ...names);
  fixture.slow = 5;
  const { uuid } = await startCrawl(fixture);
  await until(
    () => siteOf(fixture, uuid),
    ({ done }) => done >= 5,
  );
  expect((await remove(uuid)).status).toBe(200);
  expect([await listed(), await pages(fixture)]).toEqual([[], {}]);
  const asked = fixture.asked.length;
  await quiet();
  expect(fixture.asked.length).toBeLessThanOrEqual(asked + 2);
  expect(await pages(fixture)).toEqual({});
  expect((await fixture.docent.api('GET', `${base()}/site/${uuid}`)).status).toBe(404);
});

it('goes while its first page is awaited, and is another site when it is crawled again', async () => {
  const release = holdRequests(fixture);
  fixture.shown = pageChain(2);
  const { uuid } = await startCrawl(fixture);
  expect((await remove(uuid)).status).toBe(200);
  release();
  await quiet();
  expect(await pages(fixture)).toEqual({});
  const again = await startCrawl(fixture);
  expect(again.uuid).not.toBe(uuid);
  expect(await crawlEnded(fixture, again.uuid)).toMatchObject({ status: 'done', pages: 2 });
});

it('goes once, of two that delete it and one that crawls it at the same moment', async () => {
  fixture.shown = pageChain(3);
  const { uuid } = await crawl(fixture);
  const [one, other] = await Promise.all([remove(uuid), remove(uuid), startCrawl(fixture)]);
  expect([one.status, other.status].toSorted()).toEqual([200, 404]);
  const [left] = await listed();
  if (left) expect((await crawlEnded(fixture, left.uuid)).uuid).not.toBe(uuid);
  expect(await pages(fixture)).toEqual(left ? success('/', '/2', '/3') : {});
});
