import { describe, expect, it } from 'vitest';
import { add, aTown, begin, cited, ended, learn, moved, page, pages, sourceEnded, sources, success } from '../town.ts';

/** One source for each page, whatever it is called by. */

const town = aTown();

const canonical = (name: string, of: string, ...links: string[]): string =>
  `<head><link rel="Canonical" href="${of}">${page(name, ...links)}`;
const again = async (uuid: string) => {
  await town.docent.api('POST', '/data-sources/url/re-scrape', { uuids: [uuid] });
  return sourceEnded(town.docent, uuid);
};
const post = (path: string) =>
  town.docent.api('POST', `/chatbot/${town.bot}/data-source/url`, { url: town.base + path });

describe('found by a crawl, a page of two addresses', () => {
  it('is one source, under the address that it names', async () => {
    town.shown = {
      '/': page('square', '/mill?from=square', '/mill?from=bridge', '/mill'),
      '/mill?from=square': canonical('mill', '/mill', '/wheel'),
      '/mill?from=bridge': canonical('mill', `${town.base}/mill#top`),
      '/mill': canonical('mill', '/mill'),
      '/wheel': page('wheel'),
    };
    expect(await learn(town)).toMatchObject({ status: 'done', found: 3, done: 3, failed: 0 });
    expect(await pages(town)).toEqual(success('/', '/mill', '/wheel'));
    expect(await cited(town, 'What tells all about the mill?')).toEqual(['/mill']);
  });

  it('becomes the source of an address that nothing else leads to', async () => {
    town.shown = { '/': page('square', '/old', '/mill?from=square'), '/old': moved('/new'), '/new': page('house') };
    town.shown['/mill?from=square'] = canonical('mill', '/mill');
    expect(await learn(town)).toMatchObject({ status: 'done', found: 3, done: 3, failed: 0 });
    expect(await pages(town)).toEqual(success('/', '/new', '/mill'));
    for (const path of ['/old', '/new', '/mill', '/mill?from=square']) expect((await post(path)).status).toBe(409);
  });

  it('is one source, too, where both give the same', async () => {
    const square = page('square', '/index.html', '/mill', '/mill/', '/mill?from=square', '/copy');
    town.shown = { '/': square, '/index.html': square, '/mill': page('mill'), '/mill/': page('mill') };
    Object.assign(town.shown, { '/mill?from=square': page('mill'), '/copy': page('mill') });
    const { uuid } = await learn(town);
    expect(await pages(town)).toEqual(success('/', '/mill', '/copy'));
    town.shown['/mill/'] = page('new mill');
    expect(await learn(town)).toMatchObject({ uuid, found: 4, done: 4, failed: 0 });
    expect(await pages(town)).toEqual(success('/', '/mill', '/copy', '/mill/'));
  });

  it('is one source, too, where one address redirects to the other', async () => {
    town.shown = { '/': page('square', '/new', '/old', '/older'), '/new': page('house') };
    Object.assign(town.shown, { '/old': moved('/new'), '/older': moved('/old', 302) });
    expect(await learn(town)).toMatchObject({ status: 'done', found: 2, done: 2, failed: 0 });
    expect(await pages(town)).toEqual(success('/', '/new'));
  });

  it('is not believed about another site, or that it is the first page', async () => {
    town.shown = { '/': page('square', '/a', '/b', '/c', '/d') };
    town.shown['/a'] = canonical('abbey', `${town.elsewhere}/a`);
    town.shown['/b'] = canonical('barn', '/');
    town.shown['/c'] = canonical('castle', 'javascript:alert(1)');
    town.shown['/d'] = `<link rel="canonical" href="/x"><link rel="canonical" href="/y">${page('dome')}`;
    expect(await learn(town)).toMatchObject({ status: 'done', found: 5, done: 5 });
    expect(await pages(town)).toEqual(success('/', '/a', '/b', '/c', '/d'));
  });

  it('leaves the site by no redirect', async () => {
    town.shown = {
      '/docs/': page('square', 'a', 'b'),
      '/docs/a': moved(`${town.elsewhere}/`),
      '/docs/b': moved('/login'),
    };
    expect(await learn(town, {}, '/docs/')).toMatchObject({ status: 'done', found: 1, done: 1, failed: 0 });
    expect(town.asked).not.toContain('/login');
  });

  it('has its first page where that leads', async () => {
    town.shown = { '/docs': moved('/docs/'), '/docs/': page('docs', 'a', '/shop'), '/docs/a': page('a') };
    const { uuid } = await begin(town, {}, '/docs');
    expect(await ended(town, uuid)).toMatchObject({ url: `${town.base}/docs`, status: 'done', found: 2, done: 2 });
    expect(await pages(town)).toEqual(success('/docs/', '/docs/a'));
    expect(await learn(town, {}, '/docs')).toMatchObject({ uuid, status: 'done', found: 2, done: 2 });
  });

  it('takes no second place beside the one its owner added', async () => {
    town.shown = { '/': page('square', '/old', '/new'), '/old': moved('/new'), '/new': page('house', '/more') };
    town.shown['/more'] = page('more');
    const own = await add(town, '/old');
    expect(own).toMatchObject({ status: 'success', file_name: `${town.base}/old` });
    expect(await learn(town)).toMatchObject({ status: 'done', done: 3, failed: 0 });
    expect(await pages(town)).toEqual(success('/', '/old', '/more'));
    expect((await sources(town))[0]!.uuid).toBe(own.uuid);
  });
});

describe('added by its owner, a page of two addresses', () => {
  it('is kept under the one it was added by, and known by the other, too', async () => {
    town.shown = { '/mill?from=square': canonical('mill', '/mill'), '/mill': canonical('mill', '/mill') };
    const first = await add(town, '/mill?from=square');
    expect(first).toMatchObject({ status: 'success', file_name: `${town.base}/mill?from=square` });
    const second = await post('/mill');
    expect([second.status, second.body.uuid]).toEqual([409, first.uuid]);
  });

  it('is learned once: the second says that it is the same page', async () => {
    town.shown = { '/new': page('house'), '/old': moved('/new') };
    await add(town, '/new');
    expect((await add(town, '/old')).status).toBe('error:same page');
    expect(await cited(town, 'What tells all about the house?')).toEqual(['/new']);
  });

  it('is learned under its own where the other leads nowhere', async () => {
    town.shown = { '/mill?a': canonical('mill', '/mill') };
    expect((await add(town, '/mill')).status).toBe('error:not found');
    expect((await add(town, '/mill?a')).status).toBe('success');
  });
});

describe('a page that is fetched again', () => {
  it('is what it is called now where it has moved', async () => {
    town.shown = { '/old': page('old mill') };
    const { uuid } = await add(town, '/old');
    Object.assign(town.shown, { '/old': moved('/new'), '/new': page('new mill') });
    expect(await again(uuid)).toMatchObject({ status: 'success', title: 'new mill', file_name: `${town.base}/old` });
    expect((await post('/new')).body.uuid).toBe(uuid);
    town.shown['/old'] = page('old mill');
    expect(await again(uuid)).toMatchObject({ status: 'success', title: 'old mill' });
    expect((await post('/new')).status).toBe(200);
  });

  it('says nothing any more where it has moved to another source', async () => {
    town.shown = { '/old': page('old mill'), '/new': page('new mill') };
    const [old] = [await add(town, '/old'), await add(town, '/new')];
    expect((await cited(town, 'What tells all about the old mill?'))[0]).toBe('/old');
    town.shown['/old'] = moved('/new');
    expect((await again(old.uuid)).status).toBe('error:same page');
    expect(await cited(town, 'What tells all about the old mill?')).not.toContain('/old');
  });

  it('is right in each case where its site is learned again', async () => {
    town.shown = { '/': page('square', '/a', '/b', '/c', '/d'), '/a': page('abbey'), '/b': page('barn') };
    Object.assign(town.shown, { '/c': page('castle'), '/d': page('dome') });
    const { uuid } = await learn(town);
    Object.assign(town.shown, {
      '/a': page('acre'),
      '/c': moved('/castle'),
      '/castle': page('castle'),
      '/d': moved('/b'),
    });
    delete town.shown['/b'];
    town.shown['/e'] = page('east');
    town.shown['/'] = page('square', '/a', '/b', '/e');
    expect(await learn(town)).toMatchObject({ uuid, status: 'done', found: 6, done: 4, failed: 2 });
    const failed = { '/b': 'error:not found', '/d': 'error:not found' };
    expect(await pages(town)).toEqual({ ...success('/', '/a', '/castle', '/e'), ...failed });
    expect(await cited(town, 'What tells all about the barn?')).not.toContain('/b');
    expect((await cited(town, 'What tells all about the acre?'))[0]).toBe('/a');
    expect((await cited(town, 'What tells all about the castle?'))[0]).toBe('/castle');
  });
});
