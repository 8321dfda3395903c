import { describe, expect, it } from 'vitest';
import {
  add,
  useSiteFixture,
  startCrawl,
  citedPages,
  crawlEnded,
  crawl,
  moved,
  page,
  pages,
  sourceEnded,
  sources,
  success,
} from '../site-fixture.ts';

/** One source for each page, whatever it is called by. */

const fixture = useSiteFixture();

const canonical = (name: string, of: string, ...links: string[]): string =>
  `<head><link rel="Canonical" href="${of}">${page(name, ...links)}`;
const again = async (uuid: string) => {
  await fixture.docent.api('POST', '/data-sources/url/re-scrape', { uuids: [uuid] });
  return sourceEnded(fixture.docent, uuid);
};
const post = (path: string) =>
  fixture.docent.api('POST', `/chatbot/${fixture.bot}/data-source/url`, { url: fixture.base + path });

describe('found by a crawl, a page of two addresses', () => {
  it('is one source, under the address that it names', async () => {
    fixture.shown = {
      '/': page('square', '/mill?from=square', '/mill?from=bridge', '/mill'),
      '/mill?from=square': canonical('mill', '/mill', '/wheel'),
      '/mill?from=bridge': canonical('mill', `${fixture.base}/mill#top`),
      '/mill': canonical('mill', '/mill'),
      '/wheel': page('wheel'),
    };
    expect(await crawl(fixture)).toMatchObject({ status: 'done', found: 3, done: 3, failed: 0 });
    expect(await pages(fixture)).toEqual(success('/', '/mill', '/wheel'));
    expect(await citedPages(fixture, 'What tells all about the mill?')).toEqual(['/mill']);
  });

  it('becomes the source of an address that nothing else leads to', async () => {
    fixture.shown = { '/': page('square', '/old', '/mill?from=square'), '/old': moved('/new'), '/new': page('house') };
    fixture.shown['/mill?from=square'] = canonical('mill', '/mill');
    expect(await crawl(fixture)).toMatchObject({ status: 'done', found: 3, done: 3, failed: 0 });
    expect(await pages(fixture)).toEqual(success('/', '/new', '/mill'));
    for (const path of ['/old', '/new', '/mill', '/mill?from=square']) expect((await post(path)).status).toBe(409);
  });

  it('is one source, too, where both give the same', async () => {
    const square = page('square', '/index.html', '/mill', '/mill/', '/mill?from=square', '/copy');
    fixture.shown = { '/': square, '/index.html': square, '/mill': page('mill'), '/mill/': page('mill') };
    Object.assign(fixture.shown, { '/mill?from=square': page('mill'), '/copy': page('mill') });
    const { uuid } = await crawl(fixture);
    // They are fetched at once: the first to be stored is the source.
    const mills = ['/mill', '/mill/', '/mill?from=square'];
    const stored = await pages(fixture);
    const [first = ''] = mills.filter((path) => path in stored);
    expect(stored).toEqual(success('/', first, '/copy'));
    fixture.shown['/mill/'] = page('new mill');
    expect(await crawl(fixture)).toMatchObject({ uuid, found: 4, done: 4, failed: 0 });
    const now = await pages(fixture);
    const [other = ''] = mills.filter((path) => path in now && path !== '/mill/');
    expect(now).toEqual(success('/', other, '/copy', '/mill/'));
  });

  it('is one source, too, where one address redirects to the other', async () => {
    fixture.shown = { '/': page('square', '/new', '/old', '/older'), '/new': page('house') };
    Object.assign(fixture.shown, { '/old': moved('/new'), '/older': moved('/old', 302) });
    expect(await crawl(fixture)).toMatchObject({ status: 'done', found: 2, done: 2, failed: 0 });
    expect(await pages(fixture)).toEqual(success('/', '/new'));
  });

  it('is not believed about another site, or that it is the first page', async () => {
    fixture.shown = { '/': page('square', '/a', '/b', '/c', '/d') };
    fixture.shown['/a'] = canonical('abbey', `${fixture.elsewhere}/a`);
    fixture.shown['/b'] = canonical('barn', '/');
    fixture.shown['/c'] = canonical('castle', 'javascript:alert(1)');
    fixture.shown['/d'] = `<link rel="canonical" href="/x"><link rel="canonical" href="/y">${page('dome')}`;
    expect(await crawl(fixture)).toMatchObject({ status: 'done', found: 5, done: 5 });
    expect(await pages(fixture)).toEqual(success('/', '/a', '/b', '/c', '/d'));
  });

  it('leaves the site by no redirect', async () => {
    fixture.shown = {
      '/docs/': page('square', 'a', 'b'),
      '/docs/a': moved(`${fixture.elsewhere}/`),
      '/docs/b': moved('/login'),
    };
    expect(await crawl(fixture, {}, '/docs/')).toMatchObject({ status: 'done', found: 1, done: 1, failed: 0 });
    expect(fixture.asked).not.toContain('/login');
  });

  it('has its first page where that leads', async () => {
    fixture.shown = { '/docs': moved('/docs/'), '/docs/': page('docs', 'a', '/shop'), '/docs/a': page('a') };
    const { uuid } = await startCrawl(fixture, {}, '/docs');
    expect(await crawlEnded(fixture, uuid)).toMatchObject({
      url: `${fixture.base}/docs`,
      status: 'done',
      found: 2,
      done: 2,
    });
    expect(await pages(fixture)).toEqual(success('/docs/', '/docs/a'));
    expect(await crawl(fixture, {}, '/docs')).toMatchObject({ uuid, status: 'done', found: 2, done: 2 });
  });

  it('takes no second place beside the one its owner added', async () => {
    fixture.shown = { '/': page('square', '/old', '/new'), '/old': moved('/new'), '/new': page('house', '/more') };
    fixture.shown['/more'] = page('more');
    const own = await add(fixture, '/old');
    expect(own).toMatchObject({ status: 'success', file_name: `${fixture.base}/old` });
    expect(await crawl(fixture)).toMatchObject({ status: 'done', done: 3, failed: 0 });
    expect(await pages(fixture)).toEqual(success('/', '/old', '/more'));
    expect((await sources(fixture))[0]!.uuid).toBe(own.uuid);
  });
});

describe('added by its owner, a page of two addresses', () => {
  it('is kept under the one it was added by, and known by the other, too', async () => {
    fixture.shown = { '/mill?from=square': canonical('mill', '/mill'), '/mill': canonical('mill', '/mill') };
    const first = await add(fixture, '/mill?from=square');
    expect(first).toMatchObject({ status: 'success', file_name: `${fixture.base}/mill?from=square` });
    const second = await post('/mill');
    expect([second.status, second.body.uuid]).toEqual([409, first.uuid]);
  });

  it('is learned once: the second says that it is the same page', async () => {
    fixture.shown = { '/new': page('house'), '/old': moved('/new') };
    await add(fixture, '/new');
    expect((await add(fixture, '/old')).status).toBe('error:same page');
    expect(await citedPages(fixture, 'What tells all about the house?')).toEqual(['/new']);
  });

  it('is learned under its own where the other leads nowhere', async () => {
    fixture.shown = { '/mill?a': canonical('mill', '/mill') };
    expect((await add(fixture, '/mill')).status).toBe('error:not found');
    expect((await add(fixture, '/mill?a')).status).toBe('success');
  });
});

describe('a page that is fetched again', () => {
  it('is what it is called now where it has moved', async () => {
    fixture.shown = { '/old': page('old mill') };
    const { uuid } = await add(fixture, '/old');
    Object.assign(fixture.shown, { '/old': moved('/new'), '/new': page('new mill') });
    expect(await again(uuid)).toMatchObject({ status: 'success', title: 'new mill', file_name: `${fixture.base}/old` });
    expect((await post('/new')).body.uuid).toBe(uuid);
    fixture.shown['/old'] = page('old mill');
    expect(await again(uuid)).toMatchObject({ status: 'success', title: 'old mill' });
    expect((await post('/new')).status).toBe(200);
  });

  it('says nothing any more where it has moved to another source', async () => {
    fixture.shown = { '/old': page('old mill'), '/new': page('new mill') };
    const [old] = [await add(fixture, '/old'), await add(fixture, '/new')];
    expect((await citedPages(fixture, 'What tells all about the old mill?'))[0]).toBe('/old');
    fixture.shown['/old'] = moved('/new');
    expect((await again(old.uuid)).status).toBe('error:same page');
    expect(await citedPages(fixture, 'What tells all about the old mill?')).not.toContain('/old');
  });

  it('is right in each case where its site is learned again', async () => {
    fixture.shown = { '/': page('square', '/a', '/b', '/c', '/d'), '/a': page('abbey'), '/b': page('barn') };
    Object.assign(fixture.shown, { '/c': page('castle'), '/d': page('dome') });
    const { uuid } = await crawl(fixture);
    Object.assign(fixture.shown, {
      '/a': page('acre'),
      '/c': moved('/castle'),
      '/castle': page('castle'),
      '/d': moved('/b'),
    });
    delete fixture.shown['/b'];
    fixture.shown['/e'] = page('east');
    fixture.shown['/'] = page('square', '/a', '/b', '/e');
    expect(await crawl(fixture)).toMatchObject({ uuid, status: 'done', found: 6, done: 4, failed: 2 });
    const failed = { '/b': 'error:not found', '/d': 'error:not found' };
    expect(await pages(fixture)).toEqual({ ...success('/', '/a', '/castle', '/e'), ...failed });
    expect(await citedPages(fixture, 'What tells all about the barn?')).not.toContain('/b');
    expect((await citedPages(fixture, 'What tells all about the acre?'))[0]).toBe('/a');
    expect((await citedPages(fixture, 'What tells all about the castle?'))[0]).toBe('/castle');
  });
});
