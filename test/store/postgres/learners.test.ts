import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredSource } from '../../../server/store/store.ts';
import { until } from '../../running.ts';
import { listen } from '../../web/listener.ts';
import { aChatbot, aSource } from '../records.ts';
import { makeSchema, type Schema } from './fixture.ts';
import { openProcess } from './processes/learner.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

type Process = Awaited<ReturnType<typeof openProcess>>;

describe.skipIf(!server)('learning by several processes', () => {
  let schema: Schema;
  let sql: postgres.Sql;
  let site: Awaited<ReturnType<typeof listen>>;
  let a: Process;
  let b: Process;
  let chatbot: string;
  /** Of each path the requests so far. */
  let fetched: Map<string, number>;
  /** While it is pending, no page is sent. */
  let gate: Promise<void>;
  let open: () => void;
  /** The gate is shut when it is asked for. */
  let held: string;

  beforeEach(async () => {
    fetched = new Map();
    held = '';
    gate = Promise.resolve();
    open = () => {};
    site = await listen(async ({ url = '' }, response) => {
      if (!url.startsWith('/page')) return void response.writeHead(404).end();
      const times = (fetched.get(url) ?? 0) + 1;
      fetched.set(url, times);
      if (url === held) shut();
      await gate;
      const links = url === '/page' ? [1, 2, 3, 4].map((n) => `<a href="/page/${n}">${n}</a>`).join('') : '';
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.end(`<title>Ferry ${url}</title><p>The ferry ${url} leaves at ${times} o'clock.</p>${links}`);
    });
    schema = await makeSchema(server!.url);
    sql = postgres(schema.url, { max: 1, onnotice: () => {} });
    const allow = `127.0.0.1:${site.port}`;
    [a, b] = await Promise.all([openProcess(schema.url, allow), openProcess(schema.url, allow)]);
    const record = aChatbot(a.store.owner.user.uuid);
    await a.store.createChatbot(record, []);
    chatbot = record.uuid;
  });
  afterEach(async () => {
    open();
    await Promise.all([a.close(), b.close()]);
    await site.close();
    await sql.end();
    await schema.drop();
  });

  const shut = (): void => void (gate = new Promise((resolve) => (open = resolve)));
  async function add({ store, knowledge }: Process, path: string): Promise<StoredSource> {
    const address = site.origin + path;
    const source = aSource(chatbot, { title: '', status: 'await', file_name: address, identity: address });
    await store.createSource(source);
    await knowledge.ingest(source);
    return source;
  }
  const learned = (count: number) =>
    until(
      () => b.store.sources(chatbot),
      (all) => all.filter(({ status }) => status === 'success').length === count,
    );
  const isFetched = (path: string, times = 1) =>
    until(
      async () => fetched.get(path),
      (count) => count === times,
    );
  it('fetches each source once, whichever is told of it', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, n) => add(n % 2 ? a : b, `/page/${n}`)));
    await learned(30);
    expect([...fetched.values()]).toEqual(Array.from({ length: 30 }, () => 1));
  });

  it('goes on with what a process has left that ended', async () => {
    shut();
    const { uuid } = await add(a, '/page/1');
    await isFetched('/page/1');
    await a.close();
    open();
    await learned(1);
    expect(fetched.get('/page/1')).toBe(2);
    expect((await b.store.document(uuid))!.text).toContain('2 o');
  });

  it('keeps what the later of two was told to learn', async () => {
    shut();
    const { uuid } = await add(a, '/page/1');
    await isFetched('/page/1');
    const openFirst = open;
    gate = Promise.resolve();
    expect(await b.knowledge.reingest(uuid)).toBe(true);
    const [{ modified_at }] = (await learned(1)) as [StoredSource];
    openFirst();
    await until(async () => a.outcomes.length, Boolean);
    expect(a.outcomes).toEqual(['gone']);
    expect(await b.store.source(uuid)).toMatchObject({ status: 'success', modified_at });
    expect((await b.store.document(uuid))!.text).toContain('2 o');
  });

  it('refuses changes of a source that another process has taken', async () => {
    const { uuid, chatbot: of } = await add(a, '/page/1');
    await learned(1);
    const { verbs } = a.store.learners!;
    const document = { title: 'Old', text: 'Old.', passages: [] };
    expect(await verbs.putDocument(uuid, document)).toBe(true);
    await b.knowledge.reingest(uuid);
    await isFetched('/page/1', 2);
    await learned(1);
    const changes = [
      verbs.putDocument(uuid, document),
      verbs.updateSource(uuid, (one) => ({ ...one, title: 'Old' })),
      verbs.putVectors(uuid, { model: 'm', dimensions: 1, rows: new Int8Array(1) }),
      verbs.claimIdentity(uuid, 'https://a.example/', (one) => one),
    ];
    for (const change of changes) await expect(change).rejects.toThrow('another process learns the source');
    expect((await b.store.document(uuid))!.text).toContain('2 o');
    expect(await a.store.sources(of)).toMatchObject([{ status: 'success' }]);
  });

  const crawl = async ({ sites }: Process) => (await sites.start(chatbot, { url: `${site.origin}/page` }))!;
  const ended = (uuid: string) =>
    until(
      () => b.store.site(uuid),
      (one) => one!.status !== 'running',
    );

  it('crawls a site once, whichever is told of it', async () => {
    shut();
    const first = await crawl(a);
    expect(first.running).toBe(false);
    expect(await crawl(b)).toMatchObject({ site: { uuid: first.site.uuid }, running: true });
    expect(await b.sites.again((await b.store.site(first.site.uuid))!)).toBe(false);
    open();
    expect(await ended(first.site.uuid)).toMatchObject({ status: 'done', found: 5, done: 5 });
    expect([...fetched.values()]).toEqual([1, 1, 1, 1, 1]);
  });

  it('makes each of many changes that both make of an answer at once', async () => {
    const source = aSource(chatbot, { type: 'qa', file_name: '', status: 'success' });
    await a.store.createSource(source);
    const rename = ({ knowledge }: Process, n: number) =>
      knowledge.rewrite(source.uuid, (one) => ({
        ...one,
        meta_json: JSON.stringify({ ...JSON.parse(one.meta_json), [n]: 1 }),
      }));
    const changed = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => rename(n % 2 ? a : b, n)));
    expect(changed.filter(({ status }) => status === 'rejected')).toEqual([]);
    const { meta_json } = (await b.store.source(source.uuid))!;
    expect(Object.keys(JSON.parse(meta_json)).filter((key) => /^\d+$/.test(key))).toHaveLength(40);
  });

  it('shows in each process how far a crawl is', async () => {
    held = '/page/3';
    const { site: started } = await crawl(a);
    const seen = await until(
      async () => b.sites.progress((await b.store.site(started.uuid))!),
      ({ found, done, current }) => found === 5 && done > 0 && current !== '',
    );
    expect(seen).toMatchObject({ uuid: started.uuid, status: 'running', failed: 0 });
    expect(seen.current).toContain(`${site.origin}/page/`);
    open();
    await ended(started.uuid);
    expect(await b.sites.progress((await b.store.site(started.uuid))!)).toMatchObject({ done: 5, current: '' });
    expect(await sql`select progress from sites`).toEqual([{ progress: null }]);
  });

  it('goes on with a crawl whose process was taken for dead', async () => {
    shut();
    const { site: started } = await crawl(a);
    await isFetched('/page');
    await sql`delete from processes where uuid in (select crawler from sites)`;
    const [other] = await until(
      () => sql`select crawler from sites where crawler is not null`,
      (rows) => rows.length === 1,
    );
    expect(other).toBeDefined();
    open();
    expect(await ended(started.uuid)).toMatchObject({ status: 'done', found: 5, done: 5 });
    expect(await b.store.sources(chatbot)).toHaveLength(5);
  });

  it('changes nothing of a site any more that another process has taken', async () => {
    shut();
    const { site: started } = await crawl(a);
    await isFetched('/page');
    const address = `${site.origin}/page/9`;
    const page = aSource(chatbot, { site: started.uuid, file_name: address, identity: address, status: 'success' });
    const verbs = a.store.learners!.crawling(started.uuid);
    expect(await verbs.createSource(page)).toEqual({ existing: undefined });
    await b.store.learners!.takeSite(started.uuid);
    const changes = [
      verbs.createSource(aSource(chatbot, { identity: 'https://a.example/' })),
      verbs.updateSource(page.uuid, (one) => ({ ...one, title: 'Old' })),
      verbs.deleteSource(page.uuid),
      verbs.updateSite(started.uuid, (one) => ({ ...one, status: 'done' })),
    ];
    for (const one of await Promise.allSettled(changes))
      expect(one).toMatchObject({ reason: { message: 'another process crawls the site' } });
    expect(await b.store.source(page.uuid)).toEqual(page);
    open();
    await until(
      async () => (await b.store.sources(chatbot)).filter(({ status }) => status === 'await'),
      ({ length }) => length === 0,
    );
    // The links of the page that it was reading are left to the other one.
    expect(await b.store.sources(chatbot)).toHaveLength(2);
    expect(a.outcomes).not.toContain('done');
  });

  const pageOf = async (path: string): Promise<StoredSource> =>
    (await b.store.sources(chatbot)).find(({ file_name }) => file_name === site.origin + path)!;

  it('counts a page of a crawl that the other was told to learn meanwhile', async () => {
    held = '/page/3';
    const { site: started } = await crawl(a);
    await isFetched('/page/3');
    held = '';
    const openFirst = open;
    gate = Promise.resolve();
    const { uuid } = await pageOf('/page/3');
    expect(await b.knowledge.reingest(uuid)).toBe(true);
    await until(
      () => b.store.source(uuid),
      (one) => one!.status === 'success',
    );
    openFirst();
    expect(await ended(started.uuid)).toMatchObject({ status: 'done', found: 5, done: 5, failed: 0 });
    expect((await b.store.document(uuid))!.text).toContain('3 o');
  });

  it('counts no page of a crawl that the other has deleted meanwhile', async () => {
    held = '/page/3';
    const { site: started } = await crawl(a);
    await isFetched('/page/3');
    const [first, third] = [await pageOf('/page'), await pageOf('/page/3')];
    for (const { uuid } of [first, third]) {
      await b.store.deleteSource(uuid);
      b.knowledge.removeSource(chatbot, uuid);
    }
    open();
    expect(await ended(started.uuid)).toMatchObject({ status: 'done', found: 3, done: 3, failed: 0 });
  });

  it('stops a crawl of the other process', async () => {
    shut();
    const { site: started } = await crawl(a);
    await isFetched('/page');
    expect(await b.sites.stop((await b.store.site(started.uuid))!)).toMatchObject({ status: 'stopped' });
    open();
    await a.close();
    expect(await b.store.site(started.uuid)).toMatchObject({ status: 'stopped' });
    expect([...fetched.keys()]).toEqual(['/page']);
  });

  it('deletes a site that the other process crawls, with its pages', async () => {
    held = '/page/3';
    const { site: started } = await crawl(a);
    await isFetched('/page/3');
    expect(await b.sites.remove((await b.store.site(started.uuid))!)).toBeTypeOf('number');
    open();
    await until(
      () => a.store.learners!.crawled(),
      ({ size }) => size === 0,
    );
    await a.close();
    expect([await b.store.sites(chatbot), await b.store.sources(chatbot)]).toEqual([[], []]);
  });

  it('counts a site that both delete while it is crawled as deleted by one of them', async () => {
    for (let n = 1; n <= 4; n++) {
      held = '/page/3';
      const { site: started } = await crawl(a);
      await isFetched('/page/3', n);
      const record = (await b.store.site(started.uuid))!;
      const removed = await Promise.allSettled([a, b].map(({ sites }) => sites.remove(record)));
      held = '';
      open();
      expect(removed.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
      expect(removed.filter((one) => one.status === 'fulfilled' && one.value === undefined)).toHaveLength(1);
      expect([await b.store.sites(chatbot), await b.store.sources(chatbot)]).toEqual([[], []]);
    }
  });
});
