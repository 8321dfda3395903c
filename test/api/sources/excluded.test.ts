import { expect, it } from 'vitest';
import { crawl, page, pages, siteOf, sources, success, useSiteFixture } from '../site-fixture.ts';
import { until } from '../../running.ts';

const w = useSiteFixture();

const sourceOf = async (path: string) => (await sources(w)).find(({ file_name }) => file_name === w.base + path)!;
const exclude = async (path: string) => w.docent.api('POST', `/data-source/${(await sourceOf(path)).uuid}/exclude`);
const include = (site: string, path: string) =>
  w.docent.api('POST', `/chatbot/${w.bot}/data-source/site/${site}/include`, { page: w.base + path });

it('is deleted and left out by later crawls, with new patterns too, until it is included again', async () => {
  w.shown = { '/': page('square', '/lamp', '/chair'), '/lamp': page('lamp', '/lamp/old'), '/chair': page('chair') };
  w.shown['/lamp/old'] = page('old lamp');
  const { uuid } = await crawl(w);
  const { status, body } = await exclude('/lamp');
  expect([status, body['excluded_pages']]).toEqual([200, [`${w.base}/lamp`]]);
  expect(await pages(w)).toEqual(success('/', '/chair', '/lamp/old'));
  w.asked.length = 0;
  await crawl(w);
  await crawl(w, { max_pages: 20, exclude: ['/basket'] });
  expect(await pages(w)).toEqual(success('/', '/chair', '/lamp/old'));
  expect(w.asked).not.toContain('/lamp');

  const included = await include(uuid, '/lamp');
  expect([included.status, included.body['excluded_pages']]).toEqual([200, []]);
  await until(
    () => pages(w),
    (all) => all['/lamp'] === 'success',
  );
  await crawl(w);
  expect(await pages(w)).toEqual(success('/', '/chair', '/lamp/old', '/lamp'));
  expect((await siteOf(w, uuid))['excluded_pages']).toEqual([]);
});

it('is left out by the address that redirects to it, too', async () => {
  w.shown = {
    '/': page('square', '/old'),
    '/old': { status: 301, headers: { Location: '/new' } },
    '/new': page('new'),
  };
  await crawl(w);
  expect(await pages(w)).toEqual(success('/', '/new'));
  await exclude('/new');
  await crawl(w);
  expect(await pages(w)).toEqual(success('/'));
});

it('changes nothing where the page is not excluded, and refuses a source that is no page of a site', async () => {
  w.shown = { '/': page('square'), '/lamp': page('lamp') };
  const { uuid } = await crawl(w);
  expect((await include(uuid, '/lamp')).status).toBe(200);
  expect(await pages(w)).toEqual(success('/'));
  await w.docent.api('POST', `/chatbot/${w.bot}/data-source/url`, { url: `${w.base}/lamp` });
  const { status, body } = await exclude('/lamp');
  expect([status, body['field']]).toEqual([422, 'uuid']);
  expect(Object.keys(await pages(w))).toEqual(['/', '/lamp']);
});
