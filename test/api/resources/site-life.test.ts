import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start, until } from '../../running.ts';
import {
  useSiteFixture,
  add,
  startCrawl,
  citedPages,
  crawlEnded,
  holdRequests,
  crawl,
  page,
  pages,
  siteOf,
  sources,
  pageChain,
  success,
} from '../site-fixture.ts';

const fixture = useSiteFixture();

const stop = (uuid: string) => fixture.docent.api('POST', `/chatbot/${fixture.bot}/data-source/site/${uuid}/stop`);
const reached = (uuid: string, done: number) =>
  until(
    () => siteOf(fixture, uuid),
    (site) => site.done >= done,
  );

describe('a site that is being learned', () => {
  it('is not begun twice', async () => {
    const release = holdRequests(fixture);
    fixture.shown = pageChain(3);
    const { uuid } = await startCrawl(fixture);
    const url = `${fixture.base}/#top`;
    const again = await fixture.docent.api('POST', `/chatbot/${fixture.bot}/data-source/site`, { url, max_pages: 7 });
    expect([again.status, again.body.uuid, again.body.max_pages]).toEqual([409, uuid, 200]);
    release();
    expect(await crawlEnded(fixture, uuid)).toMatchObject({ status: 'done', found: 3, dead_links_total: 1 });
  });

  it('tells what is learned now', async () => {
    fixture.shown = pageChain(3);
    const release = holdRequests(fixture);
    const { uuid } = await startCrawl(fixture);
    expect(await siteOf(fixture, uuid)).toMatchObject({
      status: 'running',
      found: 1,
      done: 0,
      current: `${fixture.base}/`,
    });
    release();
    expect((await crawlEnded(fixture, uuid)).current).toBe('');
  });

  it('can be stopped: what is learned stays, what waits is called off', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `/${i}`);
    fixture.shown = Object.fromEntries(names.map((name) => [name, page(`house ${name}`)]));
    fixture.shown['/'] = page('square', ...names);
    fixture.slow = 5;
    const { uuid } = await startCrawl(fixture);
    await reached(uuid, 5);
    const { status, body } = await stop(uuid);
    expect([status, body.status, body.current]).toEqual([200, 'stopped', '']);
    expect(body.found).toBe(body.done);
    expect(body.done).toBeLessThan(60);
    const asked = fixture.asked.length;
    await new Promise((done) => setTimeout(done, 200));
    expect(fixture.asked.length).toBeLessThanOrEqual(asked + 2);
    expect(Object.values(await pages(fixture))).toEqual(Array(body.done).fill('success'));
    expect(await siteOf(fixture, uuid)).toEqual(body);
    expect(await citedPages(fixture, 'What tells all about the square?')).toEqual(['/']);
  });

  it('is stopped while its first page is awaited, and may be begun again', async () => {
    const release = holdRequests(fixture);
    fixture.shown = pageChain(3);
    const { uuid } = await startCrawl(fixture);
    expect((await stop(uuid)).body).toMatchObject({ status: 'stopped', found: 0 });
    expect(await sources(fixture)).toEqual([]);
    release();
    expect(await startCrawl(fixture)).toMatchObject({ uuid, status: 'running' });
    expect(await crawlEnded(fixture, uuid)).toMatchObject({ status: 'done', done: 3, failed: 0 });
  });

  it('goes on without a page that is deleted', async () => {
    fixture.shown = pageChain(40);
    fixture.slow = 5;
    const { uuid } = await startCrawl(fixture);
    await reached(uuid, 3);
    const all = await sources(fixture);
    for (const source of [all[0]!, all.at(-1)!]) await fixture.docent.api('POST', `/data-source/${source.uuid}/delete`);
    const site = await crawlEnded(fixture, uuid);
    expect(site.status).toBe('done');
    expect(site.found).toBe((await sources(fixture)).length);
    expect(site.found).toBe(site.done + site.failed);
  });

  it('ends where its first page is deleted before anything is known', async () => {
    const release = holdRequests(fixture);
    const { uuid } = await startCrawl(fixture);
    const [first] = await sources(fixture);
    await fixture.docent.api('POST', `/data-source/${first!.uuid}/delete`);
    expect(await crawlEnded(fixture, uuid)).toMatchObject({ status: 'stopped', found: 0 });
    release();
  });

  it('goes with its chatbot', async () => {
    fixture.shown = pageChain(100);
    fixture.slow = 5;
    const { uuid } = await startCrawl(fixture);
    await reached(uuid, 3);
    await fixture.docent.api('DELETE', `/chatbot/${fixture.bot}/delete`);
    const asked = fixture.asked.length;
    const gone = await fixture.docent.api('GET', `/chatbot/${fixture.bot}/data-source/site/${uuid}`);
    expect(gone.status).toBe(404);
    await new Promise((done) => setTimeout(done, 200));
    expect(fixture.asked.length).toBeLessThanOrEqual(asked + 2);
  });

  it('lets a page that its owner adds in between', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `/${i}`);
    fixture.shown = Object.fromEntries(names.map((name) => [name, page(name)]));
    Object.assign(fixture.shown, { '/': page('square', ...names), '/urgent': page('urgent news') });
    fixture.slow = 10;
    const { uuid } = await startCrawl(fixture);
    await reached(uuid, 2);
    expect((await add(fixture, '/urgent')).status).toBe('success');
    expect((await siteOf(fixture, uuid)).done).toBeLessThan(55);
  });

  it('counts a page that is fetched again meanwhile once', async () => {
    fixture.shown = pageChain(20);
    fixture.slow = 5;
    const { uuid } = await startCrawl(fixture);
    await reached(uuid, 3);
    const uuids = (await sources(fixture)).map((source) => source.uuid);
    await fixture.docent.api('POST', '/data-sources/url/re-scrape', { uuids });
    expect(await crawlEnded(fixture, uuid)).toMatchObject({ status: 'done', found: 20, done: 20, failed: 0 });
  });
});

describe('two sites that overlap', () => {
  it('are both learned to their ends, and no page twice', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `/docs/${i}`);
    fixture.shown = Object.fromEntries(names.map((name) => [name, page(name, '/', '/docs/')]));
    Object.assign(fixture.shown, { '/': page('square', '/docs/', ...names), '/docs/': page('docs', ...names) });
    fixture.slow = 3;
    const both = [await startCrawl(fixture, {}, '/docs/'), await startCrawl(fixture)];
    for (const { uuid } of both) expect((await crawlEnded(fixture, uuid)).status).toBe('done');
    expect(await pages(fixture)).toEqual(success('/docs/', '/', ...names));
    expect(await sources(fixture)).toHaveLength(42);
  });
});

describe('a site that was learned', () => {
  it('is learned again by the same operation: what is known is fetched, what is new is found', async () => {
    fixture.shown = pageChain(3);
    const { uuid } = await crawl(fixture);
    const before = await sources(fixture);
    fixture.shown['/3'] = page('house 3, rebuilt', '/5');
    fixture.shown['/5'] = page('house 5');
    delete fixture.shown['/2'];
    fixture.asked.length = 0;
    const again = await crawl(fixture, { max_pages: 50 });
    expect(again).toMatchObject({ uuid, status: 'done', found: 4, done: 3, failed: 1, max_pages: 50 });
    const ways = { '/2': 'error:not found' };
    expect(await pages(fixture)).toEqual({ ...success('/', '/3', '/5'), ...ways });
    expect((await sources(fixture)).slice(0, 3).map((one) => one.uuid)).toEqual(before.map((one) => one.uuid));
    expect(new Set(fixture.asked).size).toBe(fixture.asked.length);
    expect(await citedPages(fixture, 'What tells all about the rebuilt house 3?')).toEqual(['/3']);
  });

  it('is asked only for what has changed since, but for its first page', async () => {
    const tagged = (path: string, body: string) => (fixture.shown[path] = { headers: { ETag: `"${path}"` }, body });
    tagged('/', page('square', '/mill', '/bridge'));
    tagged('/mill', page('mill'));
    tagged('/bridge', page('bridge'));
    await crawl(fixture);
    expect(fixture.askedAnew).toEqual([]);
    expect(await crawl(fixture)).toMatchObject({ status: 'done', found: 3, done: 3 });
    expect(fixture.askedAnew.toSorted()).toEqual(['/bridge', '/mill']);
    // Other bounds lead elsewhere by the same links, so that the pages have to be read for them.
    fixture.askedAnew = [];
    expect(await crawl(fixture, { exclude: '/bridge' })).toMatchObject({ status: 'done', found: 2 });
    expect(fixture.askedAnew).toEqual([]);
  });

  it('takes in the pages that its owner had added, which stay its owner’s', async () => {
    fixture.shown = pageChain(3);
    const own = await add(fixture, '/2');
    expect(await crawl(fixture)).toMatchObject({ status: 'done', found: 3, done: 3, failed: 0 });
    expect((await sources(fixture))[0]!.uuid).toBe(own.uuid);
    fixture.shown['/2'] = { headers: { 'X-Robots-Tag': 'noindex' }, body: 'x' };
    expect(await crawl(fixture)).toMatchObject({ status: 'done' });
    expect((await pages(fixture))['/2']).toBe('error:robots');
  });

  it('keeps what waited where it is stopped when it is learned again', async () => {
    fixture.shown = pageChain(20);
    const { uuid } = await crawl(fixture);
    const release = holdRequests(fixture);
    await startCrawl(fixture);
    expect((await stop(uuid)).body).toMatchObject({ status: 'stopped', found: 20 });
    release();
    await until(
      () => pages(fixture),
      (all) => Object.values(all).every((status) => status !== 'await'),
    );
    expect(Object.keys(await pages(fixture))).toHaveLength(20);
  });
});

describe('a restart', () => {
  it('does not forget that the site has more pages than are read', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'docent-'));
    const env = { DATA_DIR: dir, FETCH_ALLOW: new URL(fixture.base).host };
    const names = Array.from({ length: 30 }, (_, i) => `/${i}`);
    fixture.shown = Object.fromEntries(names.map((name) => [name, page(name)]));
    fixture.shown['/'] = page('square', ...names);
    fixture.slow = 10;
    const usual = fixture.docent;
    fixture.docent = await start(env);
    try {
      fixture.bot = (await fixture.docent.api('POST', '/chatbot/create', { name: 'Town' })).body.uuid;
      const { uuid } = await startCrawl(fixture, { max_pages: 20 });
      await reached(uuid, 5);
      await fixture.docent.stop();
      fixture.docent = await start(env);
      expect(await siteOf(fixture, uuid)).toMatchObject({ status: 'running', limit_reached: 1 });
      expect(await crawlEnded(fixture, uuid)).toMatchObject({ done: 20, limit_reached: 1 });
    } finally {
      await fixture.docent.stop();
      fixture.docent = usual;
      await rm(dir, { recursive: true, force: true });
    }
  });

  it('goes on where it was, and fetches nothing twice but what was under way', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'docent-'));
    const env = { DATA_DIR: dir, FETCH_ALLOW: new URL(fixture.base).host };
    const names = Array.from({ length: 60 }, (_, i) => `/${i}`);
    fixture.shown = Object.fromEntries(names.map((name) => [name, page(name, `/far${name}`)]));
    for (const name of names) fixture.shown[`/far${name}`] = page(`far ${name}`);
    fixture.shown['/'] = page('square', ...names);
    fixture.slow = 3;
    const usual = fixture.docent;
    let docent = (fixture.docent = await start(env));
    try {
      fixture.bot = (await docent.api('POST', '/chatbot/create', { name: 'Town' })).body.uuid;
      const { uuid } = await startCrawl(fixture);
      for (const done of [10, 50, 90]) {
        await reached(uuid, done);
        await docent.stop();
        docent = fixture.docent = await start(env);
        expect((await siteOf(fixture, uuid)).status).toBe('running');
      }
      expect(await crawlEnded(fixture, uuid)).toMatchObject({ status: 'done', found: 121, done: 121, failed: 0 });
      expect(Object.keys(await pages(fixture))).toHaveLength(121);
      const counts = new Map<string, number>();
      for (const path of fixture.asked) counts.set(path, (counts.get(path) ?? 0) + 1);
      counts.delete('/robots.txt');
      const more = [...counts.values()].reduce((sum, count) => sum + count - 1, 0);
      expect(more).toBeLessThanOrEqual(3 * 4);
    } finally {
      await docent.stop();
      fixture.docent = usual;
      await rm(dir, { recursive: true, force: true });
    }
  }, 60_000);
});
