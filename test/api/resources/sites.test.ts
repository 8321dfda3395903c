import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  useSiteFixture,
  startCrawl,
  crawlEnded,
  crawl,
  moved,
  page,
  pages,
  sources,
  pageChain,
  success,
  type Page,
} from '../site-fixture.ts';

const fixture = useSiteFixture();

const xml = (kind: 'url' | 'sitemap', ...paths: string[]): { headers: Record<string, string>; body: string } => ({
  headers: { 'Content-Type': 'application/xml' },
  body: `<?xml version="1.0"?><${kind}set xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    ${paths.map((path) => `<${kind}><loc> ${path.replace(/^\//, `${fixture.base}/`)} </loc></${kind}>`).join('')}
    </${kind}set>`,
});
const byUrl = (links: { url: string; found_on: string }[]) =>
  links.toSorted((one, other) => (one.url < other.url ? -1 : 1));
const text = (body: string): Page => ({ headers: { 'Content-Type': 'text/plain' }, body });

describe('a site without a sitemap', () => {
  it('is learned by its links, a source a page', async () => {
    fixture.shown = {
      '/': page(
        'square',
        'mill',
        '/bridge?side=north#rail',
        'mill#wheel',
        `${fixture.base.replace('http:', 'HTTP:')}/mill`,
      ),
      '/mill': page('mill', 'deep/cellar', '/'),
      '/bridge?side=north': page('bridge'),
      '/deep/cellar': page('cellar', '../mill'),
    };
    const made = await startCrawl(fixture);
    const bounds = ['folder', 'max_pages', 'include', 'exclude', 'excluded_pages'];
    const counts = ['found', 'done', 'failed', 'limit_reached', 'pages', 'current', 'dead_links', 'dead_links_total'];
    expect(Object.keys(made)).toEqual(['uuid', 'url', 'status', ...bounds, ...counts, 'created_at', 'modified_at']);
    const settings = { max_pages: 200, include: [], exclude: [] };
    expect(made).toMatchObject({ url: `${fixture.base}/`, folder: '/', status: 'running', ...settings });
    const site = await crawlEnded(fixture, made.uuid);
    expect(site).toMatchObject({ status: 'done', found: 4, done: 4, failed: 0, limit_reached: 0, current: '' });
    expect(await pages(fixture)).toEqual(success('/', '/mill', '/bridge?side=north', '/deep/cellar'));
    const once = ['/', '/bridge?side=north', '/deep/cellar', '/mill', '/robots.txt', '/sitemap.xml'];
    expect(fixture.asked.toSorted()).toEqual(once);
    expect((await fixture.docent.api('GET', `/chatbot/${fixture.bot}/data-source/sites`)).body).toEqual([site]);
  });

  it('is asked for two pages at once at most', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `/${i}`);
    fixture.shown = Object.fromEntries(names.map((name) => [name, page(name)]));
    fixture.shown['/'] = page('square', ...names);
    fixture.slow = 10;
    expect(await crawl(fixture)).toMatchObject({ found: 31, done: 31 });
    expect(fixture.most).toBe(2);
  });

  it('takes addresses by its base', async () => {
    fixture.shown = {
      '/docs/': `<base href="/docs/v2/"><main><p>Our documents are here.</p><a href="mill">mill</a></main>`,
      '/docs/v2/mill': page('mill'),
    };
    expect(await crawl(fixture, {}, '/docs/')).toMatchObject({ found: 2, done: 2 });
    expect(await pages(fixture)).toEqual(success('/docs/', '/docs/v2/mill'));
  });

  it('is left where the folder, the host or the readable ends', async () => {
    const away = [
      '/',
      '/other/',
      `${fixture.elsewhere}/docs/`,
      'mailto:a@b.test',
      'javascript:void(0)',
      'tel:1',
      '//[',
    ];
    const files = ['map.png', 'style.css?v=2', 'all.zip', 'feed.xml', 'font.woff2', 'talk.MP4', 'slides.pptx'];
    fixture.shown = {
      '/docs/': page('square', 'inner/mill', 'list.csv', ...away, ...files),
      '/docs/inner/mill': page('mill', '../../docs', '/docsy'),
      '/docs/list.csv': { headers: { 'Content-Type': 'text/csv' }, body: 'name,age\nAnn,40\nBob,50' },
    };
    const { uuid, folder } = await startCrawl(fixture, {}, '/docs/');
    expect(folder).toBe('/docs/');
    expect(await crawlEnded(fixture, uuid)).toMatchObject({ folder: '/docs/', found: 3, done: 3 });
    expect(await pages(fixture)).toEqual(success('/docs/', '/docs/inner/mill', '/docs/list.csv'));
    expect(fixture.asked).toHaveLength(5);
  });

  it.each([
    ['/docs', '/docs/', '/docs/'],
    ['/docs/start.html', '/docs/de/start.html', '/docs/'],
    ['/start', '/docs/', '/'],
  ])('says which folder it is, where %s leads to %s', async (path, first, folder) => {
    fixture.shown = {
      [path]: moved(first),
      [first]: page('square', '/docs/mill', '/mill'),
      '/docs/mill': page('mill'),
    };
    fixture.shown['/mill'] = page('mill of the town');
    expect(await crawl(fixture, {}, path)).toMatchObject({ status: 'done', folder, found: folder === '/' ? 3 : 2 });
  });

  it('is followed nowhere that it asks not to be', async () => {
    const robots = (words: string, ...links: string[]) =>
      `<meta name="robots" content="${words}">${page(words, ...links)}`;
    fixture.shown = {
      '/robots.txt': text('User-agent: *\nDisallow: /private'),
      '/': `${page('square', 'closed', 'hidden', 'tagged', 'private/diary')}<a rel="Nofollow ugc" href="spam">spam</a>`,
      '/closed': robots('nofollow', 'a'),
      '/hidden': robots('noindex', 'b'),
      '/tagged': { headers: { 'X-Robots-Tag': 'nofollow' }, body: page('tag', 'c') },
      '/a': page('a'),
      '/b': page('b'),
      '/c': page('c'),
      '/spam': page('spam'),
    };
    expect(await crawl(fixture)).toMatchObject({ status: 'done', found: 4, done: 4, failed: 0 });
    expect(await pages(fixture)).toEqual(success('/', '/closed', '/tagged', '/b'));
    expect(fixture.asked).not.toEqual(expect.arrayContaining(['/private/diary']));
  });

  it('has its dead links reported apart, and nothing said of what is no page', async () => {
    fixture.shown = {
      '/': page('square', 'gone', 'broken', 'picture', 'loop', 'mill'),
      '/broken': { status: 500 },
      '/picture': { headers: { 'Content-Type': 'image/png' }, body: 'x' },
      '/loop': moved('/loop2'),
      '/loop2': moved('/loop'),
      '/mill': page('mill'),
    };
    const dead = { dead_links: [{ url: `${fixture.base}/gone`, found_on: `${fixture.base}/` }], dead_links_total: 1 };
    expect(await crawl(fixture)).toMatchObject({ status: 'done', found: 4, done: 2, failed: 2, ...dead });
    const failed = { '/broken': 'error:download', '/loop': 'error:download' };
    expect(await pages(fixture)).toEqual({ ...success('/', '/mill'), ...failed });
  });

  it('is learned as far as max_pages, the nearest pages first', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `/${i}`);
    fixture.shown = Object.fromEntries(names.map((name) => [name, page(name, `/far${name}`)]));
    fixture.shown['/'] = page('square', '/no.page', ...names);
    fixture.shown['/no.page'] = { headers: { 'Content-Type': 'image/png' }, body: 'x' };
    const ended = { status: 'done', found: 20, done: 20, failed: 0, limit_reached: 1 };
    expect(await crawl(fixture, { max_pages: 20 })).toMatchObject(ended);
    expect(await pages(fixture)).toEqual(success('/', ...names.slice(0, 19)));
  });

  it('says that it has more pages than max_pages as long as that is so, though its pages are unchanged', async () => {
    const tagged = (path: string, body: string) => (fixture.shown[path] = { headers: { ETag: `"${path}"` }, body });
    tagged('/', page('square', '/1', '/2'));
    tagged('/1', page('one', '/2', '/3'));
    tagged('/2', page('two', '/'));
    tagged('/3', page('three', '/1'));
    for (const _ of ['once', 'again'])
      expect(await crawl(fixture, { max_pages: 3 })).toMatchObject({ done: 3, limit_reached: 1 });
    for (const _ of ['once', 'again'])
      expect(await crawl(fixture, { max_pages: 4 })).toMatchObject({ done: 4, limit_reached: 0 });
    expect(await crawl(fixture, { max_pages: 3 })).toMatchObject({ limit_reached: 1 });
    delete fixture.shown['/1'];
    expect(await crawl(fixture, { max_pages: 4 })).toMatchObject({ limit_reached: 0 });
  });

  it('has a page in the place of each that is gone, as long as it has more', async () => {
    const names = Array.from({ length: 4 }, (_, i) => `/${i}`);
    for (const path of names) fixture.shown[path] = { headers: { ETag: `"${path}"` }, body: page(path) };
    fixture.shown['/'] = page('square', '/hall');
    fixture.shown['/hall'] = { headers: { ETag: '"hall"' }, body: page('hall', ...names) };
    expect(await crawl(fixture, { max_pages: 4 })).toMatchObject({ done: 4, limit_reached: 1 });
    for (const path of ['/0', '/1']) delete fixture.shown[path];
    expect(await crawl(fixture, { max_pages: 4 })).toMatchObject({ done: 4, failed: 2, limit_reached: 0 });
  });

  it('has each dead link listed with the page it was found on first', async () => {
    fixture.shown = {
      '/': page('square', 'mill', 'bridge'),
      '/mill': page('mill', 'gone', 'deep/lost#wheel'),
      '/bridge': page('bridge', 'removed'),
      '/removed': { status: 410 },
    };
    const site = await crawl(fixture);
    expect(site).toMatchObject({ status: 'done', found: 3, done: 3, failed: 0, dead_links_total: 3 });
    expect(byUrl(site.dead_links)).toEqual([
      { url: `${fixture.base}/deep/lost`, found_on: `${fixture.base}/mill` },
      { url: `${fixture.base}/gone`, found_on: `${fixture.base}/mill` },
      { url: `${fixture.base}/removed`, found_on: `${fixture.base}/bridge` },
    ]);
    expect(await pages(fixture)).toEqual(success('/', '/mill', '/bridge'));
  });

  it('has its first hundred dead links listed, and the others counted', async () => {
    fixture.shown['/'] = page('square', ...Array.from({ length: 130 }, (_, i) => `/gone${i}`));
    for (const _ of ['once', 'again']) {
      const site = await crawl(fixture);
      expect(site).toMatchObject({ status: 'done', found: 1, dead_links_total: 130 });
      expect(new Set(site.dead_links.map(({ url }: { url: string }) => url)).size).toBe(100);
    }
  });

  it('has a dead link reported again while it stands on an unchanged page, and no longer once it leads somewhere', async () => {
    const tagged = (path: string, body: string) =>
      (fixture.shown[path] = { headers: { ETag: `"${body.length}"` }, body });
    tagged('/', page('square', 'mill', 'bridge'));
    tagged('/mill', page('mill', 'gone'));
    tagged('/bridge', page('bridge'));
    const dead_links = [{ url: `${fixture.base}/gone`, found_on: `${fixture.base}/mill` }];
    for (const _ of [1, 2, 3]) {
      fixture.askedAnew.length = 0;
      expect(await crawl(fixture)).toMatchObject({ found: 3, done: 3, dead_links, dead_links_total: 1 });
    }
    expect(fixture.askedAnew).toEqual(['/bridge']);
    tagged('/gone', page('gate'));
    expect(await crawl(fixture)).toMatchObject({ found: 4, done: 4, dead_links: [], dead_links_total: 0 });
    tagged('/mill', page('mill, without a gate'));
    delete fixture.shown['/gone'];
    const kept = { found: 4, done: 3, failed: 1, dead_links: [], dead_links_total: 0 };
    expect(await crawl(fixture)).toMatchObject(kept);
    expect(await pages(fixture)).toEqual({ ...success('/', '/mill', '/bridge'), '/gone': 'error:not found' });
  });

  it('whose first page is gone keeps it as what failed', async () => {
    expect(await crawl(fixture)).toMatchObject({ status: 'error:not found', failed: 1, dead_links: [] });
    expect(await pages(fixture)).toEqual({ '/': 'error:not found' });
  });

  it('has pages learned in the places of its dead links', async () => {
    const [dead, names] = [12, 8].map((count, kind) => Array.from({ length: count }, (_, i) => `/${'dp'[kind]}${i}`));
    fixture.shown = Object.fromEntries(names!.map((name) => [name, page(name)]));
    fixture.shown['/'] = page('square', ...dead!, ...names!);
    const ended = { status: 'done', found: 9, done: 9, failed: 0, limit_reached: 0, dead_links_total: 12 };
    for (const _ of [1, 2]) expect(await crawl(fixture, { max_pages: 12 })).toMatchObject(ended);
  });

  it('of dead links alone comes to an end', async () => {
    fixture.shown['/'] = page('square', ...Array.from({ length: 40 }, (_, i) => `/${i}`));
    for (const _ of [1, 2]) {
      const ended = { status: 'done', found: 1, done: 1, failed: 0, dead_links_total: 40 };
      expect(await crawl(fixture, { max_pages: 5 })).toMatchObject(ended);
    }
  });

  it('is learned where it is wanted, and nowhere else', async () => {
    fixture.shown = {
      '/': page('square', '/docs/a', '/docs/old/b', '/docs/c/print', '/blog/d', '/docs/%C3%BC/e'),
      '/docs/a': page('a'),
      '/docs/%C3%BC/e': page('e'),
    };
    const settings = { include: '/docs/', exclude: ['/docs/old', '*/print'] };
    expect(await crawl(fixture, settings)).toMatchObject({ found: 2, done: 2, failed: 0, include: ['/docs/'] });
    expect(await pages(fixture)).toEqual(success('/docs/a', '/docs/%C3%BC/e'));
  });

  it('is not followed into a trap', async () => {
    const numbers = Array.from({ length: 300 }, (_, i) => i);
    fixture.shown = new Proxy(
      {},
      {
        get(_, path: string) {
          if (path === '/robots.txt' || path === '/sitemap.xml') return undefined;
          const lists = numbers.flatMap((i) => [`/list?sort=${i}&page=1`]);
          return page(
            path,
            'more/of/',
            'deeper/',
            `/a;jsessionid=${path.length}`,
            `/b?PHPSESSID=${path.length}`,
            ...lists,
          );
        },
      },
    );
    const site = await crawl(fixture, { max_pages: 300 });
    expect(site).toMatchObject({ status: 'done', failed: 0 });
    expect(site.found).toBeLessThan(150);
    const known = Object.keys(await pages(fixture));
    expect(known.filter((path) => /^\/[ab]\b/.test(path)).toSorted()).toEqual(['/a', '/b']);
    expect(known.filter((path) => path.startsWith('/list?'))).toHaveLength(30);
  }, 30_000);

  it('is done where its first page is no HTML', async () => {
    fixture.shown = { '/list.txt': text('The mill is open on Sunday.') };
    expect(await crawl(fixture, {}, '/list.txt')).toMatchObject({ status: 'done', found: 1, done: 1 });
  });

  it.each([
    ['not found', 'found: 1', undefined],
    ['robots', 'found: 0', { headers: { 'X-Robots-Tag': 'noindex' }, body: 'x' }],
    ['content type', 'found: 0', { headers: { 'Content-Type': 'image/png' }, body: 'x' }],
    ['download', 'found: 1', { status: 500 }],
  ])('is an error where its first page cannot be had: %s', async (reason, found, first) => {
    if (first) fixture.shown = { '/': first };
    const site = await crawl(fixture);
    expect([site.status, `found: ${site.found}`]).toEqual([`error:${reason}`, found]);
  });

  it('is an error where its address is blocked, and nothing is asked of it', async () => {
    const url = 'http://169.254.169.254/latest/';
    const { body } = await fixture.docent.api('POST', `/chatbot/${fixture.bot}/data-source/site`, { url });
    expect(await crawlEnded(fixture, body.uuid)).toMatchObject({
      status: 'error:blocked address',
      found: 1,
      failed: 1,
    });
  });
});

describe('where a site says what its pages are', () => {
  it('those within the folder are learned, and no links followed', async () => {
    fixture.shown = {
      '/sitemap.xml': xml(
        'url',
        '/help/a?x=1&amp;y=2',
        '/help/b',
        '/shop/c',
        `${fixture.elsewhere}/help/d`,
        'nonsense',
      ),
      '/help/': page('help', 'unlisted'),
      '/help/a?x=1&y=2': page('abbey'),
      '/help/b': page('barn', 'unlisted'),
    };
    expect(await crawl(fixture, {}, '/help/')).toMatchObject({ status: 'done', found: 3, done: 3 });
    expect(await pages(fixture)).toEqual(success('/help/', '/help/a?x=1&y=2', '/help/b'));
    expect(fixture.asked).not.toContain('/help/unlisted');
  });

  it('the sitemaps that robots.txt names are read, lists of lists and packed ones', async () => {
    const gzip = { 'Content-Type': 'application/gzip' };
    const packed = (path: string) => ({ headers: gzip, body: gzipSync(xml('url', path).body) });
    const lists = ['/maps/1.gz', '/maps/2.txt', '/maps/broken.gz', '/maps/gone.xml', '/maps/all.xml'];
    const named = [`Sitemap: ${fixture.base}/maps/all.xml`, `sitemap: ${fixture.elsewhere}/maps.xml`];
    fixture.shown = {
      '/robots.txt': text(['User-agent: *', 'Disallow:', ...named].join('\n')),
      '/maps/all.xml': xml('sitemap', ...lists, `${fixture.elsewhere}/3.xml`),
      '/maps/1.gz': packed('/one'),
      '/maps/2.txt': text(`${fixture.base}/two\r\n${fixture.base}/three`),
      '/maps/broken.gz': { headers: gzip, body: gzipSync(xml('url', '/four').body).subarray(0, 40) },
      ...Object.fromEntries(['/', '/one', '/two', '/three'].map((path) => [path, page(path)])),
    };
    expect(await crawl(fixture)).toMatchObject({ status: 'done', found: 4, done: 4 });
    expect(await pages(fixture)).toEqual(success('/', '/one', '/two', '/three'));
    expect(fixture.asked).not.toContain('/sitemap.xml');
  });

  it('a list that unpacks to no end is read to a bound', async () => {
    const headers = { 'Content-Type': 'application/gzip' };
    const body = gzipSync(Buffer.concat([Buffer.from(xml('url', '/one').body), Buffer.alloc(200 * 1024 * 1024, ' ')]));
    fixture.shown = { '/sitemap.xml': { headers, body }, '/': page('square', 'two'), '/one': page('one') };
    expect(await crawl(fixture)).toMatchObject({ status: 'done', found: 2, done: 2 });
  });

  it('links are followed where it names no page of the folder but the first', async () => {
    fixture.shown = {
      '/sitemap.xml': xml('url', '/help/', '/shop/c'),
      '/help/': page('help', 'more'),
      '/help/more': page('more'),
    };
    expect(await crawl(fixture, {}, '/help/')).toMatchObject({ status: 'done', found: 2, done: 2 });
  });

  it('has its dead links reported with the sitemap that names them', async () => {
    fixture.shown = { '/sitemap.xml': xml('url', '/', '/one', '/gone'), '/': page('square'), '/one': page('one') };
    const dead_links = [{ url: `${fixture.base}/gone`, found_on: `${fixture.base}/sitemap.xml` }];
    for (const _ of [1, 2])
      expect(await crawl(fixture)).toMatchObject({ status: 'done', found: 2, done: 2, dead_links });
  });

  it('no more are taken than max_pages', async () => {
    fixture.shown = {
      ...pageChain(9),
      '/2': { headers: { ETag: '"2"' }, body: page('house 2') },
      '/sitemap.xml': xml('url', ...Array.from({ length: 9 }, (_, i) => `/${i + 2}`)),
    };
    const ended = { status: 'done', found: 5, done: 5, limit_reached: 1 };
    for (const _ of ['once', 'again']) expect(await crawl(fixture, { max_pages: 5 })).toMatchObject(ended);
    expect(await sources(fixture)).toHaveLength(5);
    expect(fixture.askedAnew).toEqual(['/2']);
  });
});
