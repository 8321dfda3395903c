import { afterEach, describe, expect, it } from 'vitest';
import type { StoredSite, StoredSource } from '../../server/store/store.ts';
import { openKnowledge, pages } from './knowledge-fixture.ts';

/** A page that says so, and leads to these. */
const page = (text: string, ...links: string[]): string =>
  `<title>${text}</title><main><p>Here is told all about the ${text}.</p></main>` +
  `<nav>${links.map((link) => `<a href="${link}">more</a>`).join(' ')}</nav>`;

interface Gate {
  /** Resolves when something waits at the gate. */
  reached: Promise<void>;
  pass(): Promise<void>;
  open(): void;
}

function gate(): Gate {
  let arrive = (): void => {};
  let open = (): void => {};
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    reached,
    pass() {
      arrive();
      return opened;
    },
    open: () => open(),
  };
}

let fixture: Awaited<ReturnType<typeof openKnowledge>>;
let bodies: Record<string, string>;
/** Requests for a path wait at its gate; those after it has been opened do not. */
let requestGates: Map<string, Gate>;
let requests: string[];

async function openSite(shown: Record<string, string>): Promise<void> {
  bodies = shown;
  requestGates = new Map();
  requests = [];
  fixture = await openKnowledge((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    // The state of the page when it was asked for.
    const handle = pages({ ...bodies });
    void (async () => {
      await requestGates.get(path)?.pass();
      handle(request, response);
    })();
  });
}
afterEach(async () => {
  for (const { open } of requestGates.values()) open();
  await fixture.close();
});

const holdRequests = (path: string): Gate => {
  const held = gate();
  requestGates.set(path, held);
  return held;
};

/** Holds the storing of a new source: a page whose link it is has been read, and is not committed. */
function holdNewSource(path: string): Gate {
  const held = gate();
  const create = fixture.store.createSource.bind(fixture.store);
  fixture.store.createSource = async (source, ...rest) => {
    if (source.file_name === fixture.site.origin + path) await held.pass();
    return create(source, ...rest);
  };
  return held;
}

async function crawl(path = '/'): Promise<StoredSite> {
  const started = await fixture.sites.start(fixture.chatbot, { url: fixture.site.origin + path });
  return (await fixture.store.site(started!.site.uuid))!;
}

async function crawled(site: StoredSite): Promise<StoredSite> {
  await expect.poll(async () => (await fixture.store.site(site.uuid))!.status, { timeout: 15_000 }).not.toBe('running');
  return (await fixture.store.site(site.uuid))!;
}

const sourceAt = async (path: string): Promise<StoredSource | undefined> =>
  (await fixture.store.sources(fixture.chatbot)).find(({ file_name }) => file_name === fixture.site.origin + path);

const statuses = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await fixture.store.sources(fixture.chatbot)).map(({ file_name, status }) => [
      file_name.slice(fixture.site.origin.length),
      status,
    ]),
  );

const foundPaths = async (query: string): Promise<string[]> =>
  (await fixture.search(query)).map(({ source }) => source.file_name.slice(fixture.site.origin.length));

async function deleteSource({ uuid }: StoredSource): Promise<void> {
  await fixture.store.deleteSource(uuid);
  fixture.knowledge.removeSource(fixture.chatbot, uuid);
}

describe('a source that is deleted during a crawl', () => {
  it('stays deleted where its page is being fetched, and the crawl ends without it', async () => {
    await openSite({ '/': page('square', '/mill', '/bridge'), '/mill': page('mill'), '/bridge': page('bridge') });
    const mill = holdRequests('/mill');
    const site = await crawl();
    await mill.reached;
    await deleteSource((await sourceAt('/mill'))!);
    mill.open();
    expect(await crawled(site)).toMatchObject({ status: 'done', found: 2, done: 2, failed: 0 });
    expect(await statuses()).toEqual({ '/': 'success', '/bridge': 'success' });
    expect(await foundPaths('mill')).not.toContain('/mill');
  });

  it('stays deleted where its page is read, but not committed', async () => {
    await openSite({ '/': page('square', '/mill'), '/mill': page('mill', '/cellar'), '/cellar': page('cellar') });
    await fixture.search('builds the index');
    const cellar = holdNewSource('/cellar');
    const site = await crawl();
    await cellar.reached;
    await deleteSource((await sourceAt('/mill'))!);
    cellar.open();
    expect(await crawled(site)).toMatchObject({ status: 'done', found: 2, done: 2 });
    expect(await statuses()).toEqual({ '/': 'success', '/cellar': 'success' });
    expect(await foundPaths('mill')).not.toContain('/mill');
  });
});

describe('a source that its owner relearns during a crawl', () => {
  it('is fetched again as a page of the crawl where its page is being fetched', async () => {
    await openSite({ '/': page('square', '/mill'), '/mill': page('old mill', '/attic'), '/cellar': page('cellar') });
    const mill = holdRequests('/mill');
    const site = await crawl();
    await mill.reached;
    bodies['/mill'] = page('new mill', '/cellar');
    const { uuid } = (await sourceAt('/mill'))!;
    expect(await fixture.knowledge.reingest(uuid)).toBe(true);
    expect((await fixture.store.source(uuid))!.status).toBe('await');
    mill.open();
    expect(await crawled(site)).toMatchObject({ status: 'done', found: 3, done: 3, failed: 0 });
    expect(await statuses()).toEqual({ '/': 'success', '/mill': 'success', '/cellar': 'success' });
    expect((await fixture.store.source(uuid))!.title).toBe('new mill');
    expect(requests.filter((path) => path === '/mill')).toHaveLength(2);
  });

  it('is stored as it is then where its page is read, but not committed', async () => {
    await openSite({ '/': page('square', '/mill'), '/mill': page('old mill', '/cellar'), '/cellar': page('cellar') });
    const cellar = holdNewSource('/cellar');
    const site = await crawl();
    await cellar.reached;
    bodies['/mill'] = page('new mill', '/cellar');
    await fixture.knowledge.reingest((await sourceAt('/mill'))!.uuid);
    cellar.open();
    expect(await crawled(site)).toMatchObject({ status: 'done', found: 3, done: 3, failed: 0 });
    expect((await sourceAt('/mill'))!.title).toBe('new mill');
  });

  it('has its new links followed where it is committed already', async () => {
    const rest = { '/bridge': page('bridge'), '/cellar': page('cellar') };
    await openSite({ '/': page('square', '/mill', '/bridge'), '/mill': page('mill'), ...rest });
    const bridge = holdRequests('/bridge');
    const site = await crawl();
    await bridge.reached;
    await expect.poll(async () => (await sourceAt('/mill'))?.status).toBe('success');
    bodies['/mill'] = page('mill', '/cellar');
    await fixture.knowledge.reingest((await sourceAt('/mill'))!.uuid);
    await expect.poll(async () => (await sourceAt('/cellar'))?.status).toBe('success');
    bridge.open();
    expect(await crawled(site)).toMatchObject({ status: 'done', found: 4, done: 4, failed: 0 });
  });
});

describe('a crawl that is stopped while a page is read, but not committed', () => {
  it('deletes the page where it is new, and stores none of its links', async () => {
    await openSite({ '/': page('square', '/mill'), '/mill': page('mill', '/cellar'), '/cellar': page('cellar') });
    await fixture.search('builds the index');
    const cellar = holdNewSource('/cellar');
    const site = await crawl();
    await cellar.reached;
    await expect.poll(async () => (await sourceAt('/'))?.status).toBe('success');
    const stopping = fixture.sites.stop(site);
    cellar.open();
    expect(await stopping).toMatchObject({ status: 'stopped', found: 1, done: 1, failed: 0 });
    await expect.poll(statuses).toEqual({ '/': 'success' });
    expect(await foundPaths('mill')).toEqual([]);
    expect(requests).not.toContain('/cellar');
  });

  it('commits the page where it was learned before', async () => {
    await openSite({ '/': page('square', '/mill'), '/mill': page('old mill') });
    await crawled(await crawl());
    bodies['/mill'] = page('new mill', '/cellar');
    const cellar = holdNewSource('/cellar');
    const site = await crawl();
    await cellar.reached;
    const stopping = fixture.sites.stop(site);
    cellar.open();
    expect(await stopping).toMatchObject({ status: 'stopped', found: 2 });
    await expect.poll(async () => (await sourceAt('/mill'))!.title).toBe('new mill');
    await expect.poll(statuses).toEqual({ '/': 'success', '/mill': 'success' });
  });

  it('leaves it to the next start where the process ends', async () => {
    await openSite({ '/': page('square', '/mill'), '/mill': page('mill', '/cellar'), '/cellar': page('cellar') });
    const cellar = holdNewSource('/cellar');
    const site = await crawl();
    await cellar.reached;
    const closing = fixture.sites.close();
    cellar.open();
    await closing;
    await fixture.knowledge.close();
    const mill = (await sourceAt('/mill'))!;
    expect([mill.status, mill.round]).toEqual(['chunking', undefined]);
    expect((await fixture.store.site(site.uuid))!.status).toBe('running');
  });
});

it('a page with the bytes of one that its owner added is no page of its own', async () => {
  await openSite({ '/': page('square', '/mill?x=1', '/mill'), '/mill?x=1': page('mill'), '/mill': page('mill') });
  await fixture.ingest('/mill?x=1');
  await crawled(await crawl());
  expect(await statuses()).toEqual({ '/mill?x=1': 'success', '/': 'success' });
  expect(await foundPaths('mill')).toEqual(['/mill?x=1']);
});

describe('two crawls of one chatbot', () => {
  it('both end where one takes over pages that the other has queued', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `/docs/${n}`);
    await openSite({
      ...Object.fromEntries(names.map((name) => [name, page(name)])),
      '/': page('square', ...names.toReversed()),
      '/docs/': page('docs', ...names),
    });
    // Two requests of a host at once: with one held, the others come one after another.
    const held = holdRequests('/docs/2');
    const docs = await crawl('/docs/');
    await held.reached;
    const all = await crawl();
    await expect.poll(async () => (await sourceAt('/'))?.status).toBe('success');
    held.open();
    expect(await crawled(all)).toMatchObject({ status: 'done', failed: 0 });
    expect(await crawled(docs)).toMatchObject({ status: 'done', failed: 0 });
    expect(Object.values(await statuses())).toEqual(Array(10).fill('success'));
  });
});
