import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { aTown, begin, ended, learn, moved, page, pages, sources, street, success, type Page } from '../town.ts';

const town = aTown();

const xml = (kind: 'url' | 'sitemap', ...paths: string[]): { headers: Record<string, string>; body: string } => ({
  headers: { 'Content-Type': 'application/xml' },
  body: `<?xml version="1.0"?><${kind}set xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    ${paths.map((path) => `<${kind}><loc> ${path.replace(/^\//, `${town.base}/`)} </loc></${kind}>`).join('')}
    </${kind}set>`,
});
const byUrl = (links: { url: string; found_on: string }[]) =>
  links.toSorted((one, other) => (one.url < other.url ? -1 : 1));
const text = (body: string): Page => ({ headers: { 'Content-Type': 'text/plain' }, body });

describe('a site without a sitemap', () => {
  it('is learned by its links, a source a page', async () => {
    town.shown = {
      '/': page(
        'square',
        'mill',
        '/bridge?side=north#rail',
        'mill#wheel',
        `${town.base.replace('http:', 'HTTP:')}/mill`,
      ),
      '/mill': page('mill', 'deep/cellar', '/'),
      '/bridge?side=north': page('bridge'),
      '/deep/cellar': page('cellar', '../mill'),
    };
    const made = await begin(town);
    const keys = ['uuid', 'url', 'status', 'max_pages', 'include', 'exclude', 'found', 'done', 'failed', 'current'];
    const dead = ['dead_links', 'dead_links_total'];
    expect(Object.keys(made)).toEqual([...keys, ...dead, 'created_at', 'modified_at']);
    const settings = { max_pages: 200, include: [], exclude: [] };
    expect(made).toMatchObject({ url: `${town.base}/`, status: 'running', ...settings });
    const site = await ended(town, made.uuid);
    expect(site).toMatchObject({ status: 'done', found: 4, done: 4, failed: 0, current: '' });
    expect(await pages(town)).toEqual(success('/', '/mill', '/bridge?side=north', '/deep/cellar'));
    const once = ['/', '/bridge?side=north', '/deep/cellar', '/mill', '/robots.txt', '/sitemap.xml'];
    expect(town.asked.toSorted()).toEqual(once);
    expect((await town.docent.api('GET', `/chatbot/${town.bot}/data-source/sites`)).body).toEqual([site]);
  });

  it('is asked for two pages at once at most', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `/${i}`);
    town.shown = Object.fromEntries(names.map((name) => [name, page(name)]));
    town.shown['/'] = page('square', ...names);
    town.slow = 10;
    expect(await learn(town)).toMatchObject({ found: 31, done: 31 });
    expect(town.most).toBe(2);
  });

  it('takes addresses by its base', async () => {
    town.shown = {
      '/docs/': `<base href="/docs/v2/"><main><p>Our documents are here.</p><a href="mill">mill</a></main>`,
      '/docs/v2/mill': page('mill'),
    };
    expect(await learn(town, {}, '/docs/')).toMatchObject({ found: 2, done: 2 });
    expect(await pages(town)).toEqual(success('/docs/', '/docs/v2/mill'));
  });

  it('is left where the folder, the host or the readable ends', async () => {
    const away = ['/', '/other/', `${town.elsewhere}/docs/`, 'mailto:a@b.test', 'javascript:void(0)', 'tel:1', '//['];
    const files = ['map.png', 'style.css?v=2', 'all.zip', 'feed.xml', 'font.woff2', 'talk.MP4', 'slides.pptx'];
    town.shown = {
      '/docs/': page('square', 'inner/mill', 'list.csv', ...away, ...files),
      '/docs/inner/mill': page('mill', '../../docs', '/docsy'),
      '/docs/list.csv': { headers: { 'Content-Type': 'text/csv' }, body: 'name,age\nAnn,40\nBob,50' },
    };
    expect(await learn(town, {}, '/docs/')).toMatchObject({ found: 3, done: 3 });
    expect(await pages(town)).toEqual(success('/docs/', '/docs/inner/mill', '/docs/list.csv'));
    expect(town.asked).toHaveLength(5);
  });

  it('is followed nowhere that it asks not to be', async () => {
    const robots = (words: string, ...links: string[]) =>
      `<meta name="robots" content="${words}">${page(words, ...links)}`;
    town.shown = {
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
    expect(await learn(town)).toMatchObject({ status: 'done', found: 4, done: 4, failed: 0 });
    expect(await pages(town)).toEqual(success('/', '/closed', '/tagged', '/b'));
    expect(town.asked).not.toEqual(expect.arrayContaining(['/private/diary']));
  });

  it('has its dead links reported apart, and nothing said of what is no page', async () => {
    town.shown = {
      '/': page('square', 'gone', 'broken', 'picture', 'loop', 'mill'),
      '/broken': { status: 500 },
      '/picture': { headers: { 'Content-Type': 'image/png' }, body: 'x' },
      '/loop': moved('/loop2'),
      '/loop2': moved('/loop'),
      '/mill': page('mill'),
    };
    const dead = { dead_links: [{ url: `${town.base}/gone`, found_on: `${town.base}/` }], dead_links_total: 1 };
    expect(await learn(town)).toMatchObject({ status: 'done', found: 4, done: 2, failed: 2, ...dead });
    const failed = { '/broken': 'error:download', '/loop': 'error:download' };
    expect(await pages(town)).toEqual({ ...success('/', '/mill'), ...failed });
  });

  it('is learned as far as max_pages, the nearest pages first', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `/${i}`);
    town.shown = Object.fromEntries(names.map((name) => [name, page(name, `/far${name}`)]));
    town.shown['/'] = page('square', '/no.page', ...names);
    town.shown['/no.page'] = { headers: { 'Content-Type': 'image/png' }, body: 'x' };
    expect(await learn(town, { max_pages: 20 })).toMatchObject({ status: 'done', found: 20, done: 20, failed: 0 });
    expect(await pages(town)).toEqual(success('/', ...names.slice(0, 19)));
  });

  it('has each dead link listed with the page it was found on first', async () => {
    town.shown = {
      '/': page('square', 'mill', 'bridge'),
      '/mill': page('mill', 'gone', 'deep/lost#wheel'),
      '/bridge': page('bridge', 'removed'),
      '/removed': { status: 410 },
    };
    const site = await learn(town);
    expect(site).toMatchObject({ status: 'done', found: 3, done: 3, failed: 0, dead_links_total: 3 });
    expect(byUrl(site.dead_links)).toEqual([
      { url: `${town.base}/deep/lost`, found_on: `${town.base}/mill` },
      { url: `${town.base}/gone`, found_on: `${town.base}/mill` },
      { url: `${town.base}/removed`, found_on: `${town.base}/bridge` },
    ]);
    expect(await pages(town)).toEqual(success('/', '/mill', '/bridge'));
  });

  it('has its first hundred dead links listed, and the others counted', async () => {
    town.shown['/'] = page('square', ...Array.from({ length: 130 }, (_, i) => `/gone${i}`));
    for (const _ of ['once', 'again']) {
      const site = await learn(town);
      expect(site).toMatchObject({ status: 'done', found: 1, dead_links_total: 130 });
      expect(new Set(site.dead_links.map(({ url }: { url: string }) => url)).size).toBe(100);
    }
  });

  it('has a dead link reported again while it stands on an unchanged page, and no longer once it leads somewhere', async () => {
    const tagged = (path: string, body: string) => (town.shown[path] = { headers: { ETag: `"${body.length}"` }, body });
    tagged('/', page('square', 'mill', 'bridge'));
    tagged('/mill', page('mill', 'gone'));
    tagged('/bridge', page('bridge'));
    const dead_links = [{ url: `${town.base}/gone`, found_on: `${town.base}/mill` }];
    for (const _ of [1, 2, 3]) {
      town.askedAnew.length = 0;
      expect(await learn(town)).toMatchObject({ found: 3, done: 3, dead_links, dead_links_total: 1 });
    }
    expect(town.askedAnew).toEqual(['/bridge']);
    tagged('/gone', page('gate'));
    expect(await learn(town)).toMatchObject({ found: 4, done: 4, dead_links: [], dead_links_total: 0 });
    tagged('/mill', page('mill, without a gate'));
    delete town.shown['/gone'];
    const kept = { found: 4, done: 3, failed: 1, dead_links: [], dead_links_total: 0 };
    expect(await learn(town)).toMatchObject(kept);
    expect(await pages(town)).toEqual({ ...success('/', '/mill', '/bridge'), '/gone': 'error:not found' });
  });

  it('whose first page is gone keeps it as what failed', async () => {
    expect(await learn(town)).toMatchObject({ status: 'error:not found', failed: 1, dead_links: [] });
    expect(await pages(town)).toEqual({ '/': 'error:not found' });
  });

  it('has pages learned in the places of its dead links', async () => {
    const [dead, names] = [12, 8].map((count, kind) => Array.from({ length: count }, (_, i) => `/${'dp'[kind]}${i}`));
    town.shown = Object.fromEntries(names!.map((name) => [name, page(name)]));
    town.shown['/'] = page('square', ...dead!, ...names!);
    const ended = { status: 'done', found: 9, done: 9, failed: 0, dead_links_total: 12 };
    for (const _ of [1, 2]) expect(await learn(town, { max_pages: 12 })).toMatchObject(ended);
  });

  it('of dead links alone comes to an end', async () => {
    town.shown['/'] = page('square', ...Array.from({ length: 40 }, (_, i) => `/${i}`));
    for (const _ of [1, 2]) {
      const ended = { status: 'done', found: 1, done: 1, failed: 0, dead_links_total: 40 };
      expect(await learn(town, { max_pages: 5 })).toMatchObject(ended);
    }
  });

  it('is learned where it is wanted, and nowhere else', async () => {
    town.shown = {
      '/': page('square', '/docs/a', '/docs/old/b', '/docs/c/print', '/blog/d', '/docs/%C3%BC/e'),
      '/docs/a': page('a'),
      '/docs/%C3%BC/e': page('e'),
    };
    const settings = { include: '/docs/', exclude: ['/docs/old', '*/print'] };
    expect(await learn(town, settings)).toMatchObject({ found: 2, done: 2, failed: 0, include: ['/docs/'] });
    expect(await pages(town)).toEqual(success('/docs/a', '/docs/%C3%BC/e'));
  });

  it('is not followed into a trap', async () => {
    const numbers = Array.from({ length: 300 }, (_, i) => i);
    town.shown = new Proxy(
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
    const site = await learn(town, { max_pages: 300 });
    expect(site).toMatchObject({ status: 'done', failed: 0 });
    expect(site.found).toBeLessThan(150);
    const known = Object.keys(await pages(town));
    expect(known.filter((path) => /^\/[ab]\b/.test(path)).toSorted()).toEqual(['/a', '/b']);
    expect(known.filter((path) => path.startsWith('/list?'))).toHaveLength(30);
  }, 30_000);

  it('is done where its first page is no HTML', async () => {
    town.shown = { '/list.txt': text('The mill is open on Sunday.') };
    expect(await learn(town, {}, '/list.txt')).toMatchObject({ status: 'done', found: 1, done: 1 });
  });

  it.each([
    ['not found', 'found: 1', undefined],
    ['robots', 'found: 0', { headers: { 'X-Robots-Tag': 'noindex' }, body: 'x' }],
    ['content type', 'found: 0', { headers: { 'Content-Type': 'image/png' }, body: 'x' }],
    ['download', 'found: 1', { status: 500 }],
  ])('is an error where its first page cannot be had: %s', async (reason, found, first) => {
    if (first) town.shown = { '/': first };
    const site = await learn(town);
    expect([site.status, `found: ${site.found}`]).toEqual([`error:${reason}`, found]);
  });

  it('is an error where its address is blocked, and nothing is asked of it', async () => {
    const url = 'http://169.254.169.254/latest/';
    const { body } = await town.docent.api('POST', `/chatbot/${town.bot}/data-source/site`, { url });
    expect(await ended(town, body.uuid)).toMatchObject({ status: 'error:blocked address', found: 1, failed: 1 });
  });
});

describe('where a site says what its pages are', () => {
  it('those within the folder are learned, and no links followed', async () => {
    town.shown = {
      '/sitemap.xml': xml('url', '/help/a?x=1&amp;y=2', '/help/b', '/shop/c', `${town.elsewhere}/help/d`, 'nonsense'),
      '/help/': page('help', 'unlisted'),
      '/help/a?x=1&y=2': page('abbey'),
      '/help/b': page('barn', 'unlisted'),
    };
    expect(await learn(town, {}, '/help/')).toMatchObject({ status: 'done', found: 3, done: 3 });
    expect(await pages(town)).toEqual(success('/help/', '/help/a?x=1&y=2', '/help/b'));
    expect(town.asked).not.toContain('/help/unlisted');
  });

  it('the sitemaps that robots.txt names are read, lists of lists and packed ones', async () => {
    const gzip = { 'Content-Type': 'application/gzip' };
    const packed = (path: string) => ({ headers: gzip, body: gzipSync(xml('url', path).body) });
    const lists = ['/maps/1.gz', '/maps/2.txt', '/maps/broken.gz', '/maps/gone.xml', '/maps/all.xml'];
    const named = [`Sitemap: ${town.base}/maps/all.xml`, `sitemap: ${town.elsewhere}/maps.xml`];
    town.shown = {
      '/robots.txt': text(['User-agent: *', 'Disallow:', ...named].join('\n')),
      '/maps/all.xml': xml('sitemap', ...lists, `${town.elsewhere}/3.xml`),
      '/maps/1.gz': packed('/one'),
      '/maps/2.txt': text(`${town.base}/two\r\n${town.base}/three`),
      '/maps/broken.gz': { headers: gzip, body: gzipSync(xml('url', '/four').body).subarray(0, 40) },
      ...Object.fromEntries(['/', '/one', '/two', '/three'].map((path) => [path, page(path)])),
    };
    expect(await learn(town)).toMatchObject({ status: 'done', found: 4, done: 4 });
    expect(await pages(town)).toEqual(success('/', '/one', '/two', '/three'));
    expect(town.asked).not.toContain('/sitemap.xml');
  });

  it('a list that unpacks to no end is read to a bound', async () => {
    const headers = { 'Content-Type': 'application/gzip' };
    const body = gzipSync(Buffer.concat([Buffer.from(xml('url', '/one').body), Buffer.alloc(200 * 1024 * 1024, ' ')]));
    town.shown = { '/sitemap.xml': { headers, body }, '/': page('square', 'two'), '/one': page('one') };
    expect(await learn(town)).toMatchObject({ status: 'done', found: 2, done: 2 });
  });

  it('links are followed where it names no page of the folder but the first', async () => {
    town.shown = {
      '/sitemap.xml': xml('url', '/help/', '/shop/c'),
      '/help/': page('help', 'more'),
      '/help/more': page('more'),
    };
    expect(await learn(town, {}, '/help/')).toMatchObject({ status: 'done', found: 2, done: 2 });
  });

  it('has its dead links reported with the sitemap that names them', async () => {
    town.shown = { '/sitemap.xml': xml('url', '/', '/one', '/gone'), '/': page('square'), '/one': page('one') };
    const dead_links = [{ url: `${town.base}/gone`, found_on: `${town.base}/sitemap.xml` }];
    for (const _ of [1, 2]) expect(await learn(town)).toMatchObject({ status: 'done', found: 2, done: 2, dead_links });
  });

  it('no more are taken than max_pages', async () => {
    town.shown = { ...street(9), '/sitemap.xml': xml('url', ...Array.from({ length: 9 }, (_, i) => `/${i + 2}`)) };
    expect(await learn(town, { max_pages: 5 })).toMatchObject({ status: 'done', found: 5, done: 5 });
    expect(await sources(town)).toHaveLength(5);
  });
});
