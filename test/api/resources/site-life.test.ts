import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start, until } from '../../running.ts';
import {
  aTown,
  add,
  begin,
  cited,
  ended,
  held,
  learn,
  page,
  pages,
  siteOf,
  sources,
  street,
  success,
} from '../town.ts';

const town = aTown();

const stop = (uuid: string) => town.docent.api('POST', `/chatbot/${town.bot}/data-source/site/${uuid}/stop`);
const reached = (uuid: string, done: number) =>
  until(
    () => siteOf(town, uuid),
    (site) => site.done >= done,
  );

describe('a site that is being learned', () => {
  it('is not begun twice', async () => {
    const release = held(town);
    town.shown = street(3);
    const { uuid } = await begin(town);
    const url = `${town.base}/#top`;
    const again = await town.docent.api('POST', `/chatbot/${town.bot}/data-source/site`, { url, max_pages: 7 });
    expect([again.status, again.body.uuid, again.body.max_pages]).toEqual([409, uuid, 200]);
    release();
    expect(await ended(town, uuid)).toMatchObject({ status: 'done', found: 3, dead_links_total: 1 });
  });

  it('tells what is learned now', async () => {
    town.shown = street(3);
    const release = held(town);
    const { uuid } = await begin(town);
    expect(await siteOf(town, uuid)).toMatchObject({ status: 'running', found: 1, done: 0, current: `${town.base}/` });
    release();
    expect((await ended(town, uuid)).current).toBe('');
  });

  it('can be stopped: what is learned stays, what waits is called off', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `/${i}`);
    town.shown = Object.fromEntries(names.map((name) => [name, page(`house ${name}`)]));
    town.shown['/'] = page('square', ...names);
    town.slow = 5;
    const { uuid } = await begin(town);
    await reached(uuid, 5);
    const { status, body } = await stop(uuid);
    expect([status, body.status, body.current]).toEqual([200, 'stopped', '']);
    expect(body.found).toBe(body.done);
    expect(body.done).toBeLessThan(60);
    const asked = town.asked.length;
    await new Promise((done) => setTimeout(done, 200));
    expect(town.asked.length).toBeLessThanOrEqual(asked + 2);
    expect(Object.values(await pages(town))).toEqual(Array(body.done).fill('success'));
    expect(await siteOf(town, uuid)).toEqual(body);
    expect(await cited(town, 'What tells all about the square?')).toEqual(['/']);
  });

  it('is stopped while its first page is awaited, and may be begun again', async () => {
    const release = held(town);
    town.shown = street(3);
    const { uuid } = await begin(town);
    expect((await stop(uuid)).body).toMatchObject({ status: 'stopped', found: 0 });
    expect(await sources(town)).toEqual([]);
    release();
    expect(await begin(town)).toMatchObject({ uuid, status: 'running' });
    expect(await ended(town, uuid)).toMatchObject({ status: 'done', done: 3, failed: 0 });
  });

  it('goes on without a page that is deleted', async () => {
    town.shown = street(40);
    town.slow = 5;
    const { uuid } = await begin(town);
    await reached(uuid, 3);
    const all = await sources(town);
    for (const source of [all[0]!, all.at(-1)!]) await town.docent.api('POST', `/data-source/${source.uuid}/delete`);
    const site = await ended(town, uuid);
    expect(site.status).toBe('done');
    expect(site.found).toBe((await sources(town)).length);
    expect(site.found).toBe(site.done + site.failed);
  });

  it('ends where its first page is deleted before anything is known', async () => {
    const release = held(town);
    const { uuid } = await begin(town);
    const [first] = await sources(town);
    await town.docent.api('POST', `/data-source/${first!.uuid}/delete`);
    expect(await ended(town, uuid)).toMatchObject({ status: 'stopped', found: 0 });
    release();
  });

  it('goes with its chatbot', async () => {
    town.shown = street(100);
    town.slow = 5;
    const { uuid } = await begin(town);
    await reached(uuid, 3);
    await town.docent.api('DELETE', `/chatbot/${town.bot}/delete`);
    const asked = town.asked.length;
    const gone = await town.docent.api('GET', `/chatbot/${town.bot}/data-source/site/${uuid}`);
    expect(gone.status).toBe(404);
    await new Promise((done) => setTimeout(done, 200));
    expect(town.asked.length).toBeLessThanOrEqual(asked + 2);
  });

  it('lets a page that its owner adds in between', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `/${i}`);
    town.shown = Object.fromEntries(names.map((name) => [name, page(name)]));
    Object.assign(town.shown, { '/': page('square', ...names), '/urgent': page('urgent news') });
    town.slow = 10;
    const { uuid } = await begin(town);
    await reached(uuid, 2);
    expect((await add(town, '/urgent')).status).toBe('success');
    expect((await siteOf(town, uuid)).done).toBeLessThan(55);
  });

  it('counts a page that is fetched again meanwhile once', async () => {
    town.shown = street(20);
    town.slow = 5;
    const { uuid } = await begin(town);
    await reached(uuid, 3);
    const uuids = (await sources(town)).map((source) => source.uuid);
    await town.docent.api('POST', '/data-sources/url/re-scrape', { uuids });
    expect(await ended(town, uuid)).toMatchObject({ status: 'done', found: 20, done: 20, failed: 0 });
  });
});

describe('two sites that overlap', () => {
  it('are both learned to their ends, and no page twice', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `/docs/${i}`);
    town.shown = Object.fromEntries(names.map((name) => [name, page(name, '/', '/docs/')]));
    Object.assign(town.shown, { '/': page('square', '/docs/', ...names), '/docs/': page('docs', ...names) });
    town.slow = 3;
    const both = [await begin(town, {}, '/docs/'), await begin(town)];
    for (const { uuid } of both) expect((await ended(town, uuid)).status).toBe('done');
    expect(await pages(town)).toEqual(success('/docs/', '/', ...names));
    expect(await sources(town)).toHaveLength(42);
  });
});

describe('a site that was learned', () => {
  it('is learned again by the same operation: what is known is fetched, what is new is found', async () => {
    town.shown = street(3);
    const { uuid } = await learn(town);
    const before = await sources(town);
    town.shown['/3'] = page('house 3, rebuilt', '/5');
    town.shown['/5'] = page('house 5');
    delete town.shown['/2'];
    town.asked.length = 0;
    const again = await learn(town, { max_pages: 50 });
    expect(again).toMatchObject({ uuid, status: 'done', found: 4, done: 3, failed: 1, max_pages: 50 });
    const ways = { '/2': 'error:not found' };
    expect(await pages(town)).toEqual({ ...success('/', '/3', '/5'), ...ways });
    expect((await sources(town)).slice(0, 3).map((one) => one.uuid)).toEqual(before.map((one) => one.uuid));
    expect(new Set(town.asked).size).toBe(town.asked.length);
    expect(await cited(town, 'What tells all about the rebuilt house 3?')).toEqual(['/3']);
  });

  it('is asked only for what has changed since, but for its first page', async () => {
    const tagged = (path: string, body: string) => (town.shown[path] = { headers: { ETag: `"${path}"` }, body });
    tagged('/', page('square', '/mill', '/bridge'));
    tagged('/mill', page('mill'));
    tagged('/bridge', page('bridge'));
    await learn(town);
    expect(town.askedAnew).toEqual([]);
    expect(await learn(town)).toMatchObject({ status: 'done', found: 3, done: 3 });
    expect(town.askedAnew.toSorted()).toEqual(['/bridge', '/mill']);
    // Other bounds lead elsewhere by the same links, so that the pages have to be read for them.
    town.askedAnew = [];
    expect(await learn(town, { exclude: '/bridge' })).toMatchObject({ status: 'done', found: 2 });
    expect(town.askedAnew).toEqual([]);
  });

  it('takes in the pages that its owner had added, which stay its owner’s', async () => {
    town.shown = street(3);
    const own = await add(town, '/2');
    expect(await learn(town)).toMatchObject({ status: 'done', found: 3, done: 3, failed: 0 });
    expect((await sources(town))[0]!.uuid).toBe(own.uuid);
    town.shown['/2'] = { headers: { 'X-Robots-Tag': 'noindex' }, body: 'x' };
    expect(await learn(town)).toMatchObject({ status: 'done' });
    expect((await pages(town))['/2']).toBe('error:robots');
  });

  it('keeps what waited where it is stopped when it is learned again', async () => {
    town.shown = street(20);
    const { uuid } = await learn(town);
    const release = held(town);
    await begin(town);
    expect((await stop(uuid)).body).toMatchObject({ status: 'stopped', found: 20 });
    release();
    await until(
      () => pages(town),
      (all) => Object.values(all).every((status) => status !== 'await'),
    );
    expect(Object.keys(await pages(town))).toHaveLength(20);
  });
});

describe('a restart', () => {
  it('goes on where it was, and fetches nothing twice but what was under way', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'docent-'));
    const env = { DATA_DIR: dir, FETCH_ALLOW: new URL(town.base).host };
    const names = Array.from({ length: 60 }, (_, i) => `/${i}`);
    town.shown = Object.fromEntries(names.map((name) => [name, page(name, `/far${name}`)]));
    for (const name of names) town.shown[`/far${name}`] = page(`far ${name}`);
    town.shown['/'] = page('square', ...names);
    town.slow = 3;
    const usual = town.docent;
    let docent = (town.docent = await start(env));
    try {
      town.bot = (await docent.api('POST', '/chatbot/create', { name: 'Town' })).body.uuid;
      const { uuid } = await begin(town);
      for (const done of [10, 50, 90]) {
        await reached(uuid, done);
        await docent.stop();
        docent = town.docent = await start(env);
        expect((await siteOf(town, uuid)).status).toBe('running');
      }
      expect(await ended(town, uuid)).toMatchObject({ status: 'done', found: 121, done: 121, failed: 0 });
      expect(Object.keys(await pages(town))).toHaveLength(121);
      const counts = new Map<string, number>();
      for (const path of town.asked) counts.set(path, (counts.get(path) ?? 0) + 1);
      counts.delete('/robots.txt');
      const more = [...counts.values()].reduce((sum, count) => sum + count - 1, 0);
      expect(more).toBeLessThanOrEqual(3 * 4);
    } finally {
      await docent.stop();
      town.docent = usual;
      await rm(dir, { recursive: true, force: true });
    }
  }, 60_000);
});
