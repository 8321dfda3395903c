import { afterEach, describe, expect, it } from 'vitest';
import { PassageIndex } from '../../../server/knowledge/search/index.ts';
import { openKnowledge, pages } from '../knowledge-fixture.ts';

let fixture: Awaited<ReturnType<typeof openKnowledge>> | undefined;
afterEach(() => fixture?.close());

const install = (port: number, version: string) =>
  `<title>Install</title><main><h1>Install</h1><h2>The port of the server</h2><p>After the installation the server listens on
  port ${port}, which the setting PORT changes. Restart the service for the change to take effect. This is the guide for
  release ${version}.</p></main>`;
const REMOVED = `<title>Plugins</title><main><h1>Plugins</h1><p>A plugin for gopher is loaded by the setting GOPHER.</p></main>`;

async function learn(bodies: Record<string, string>, paths = Object.keys(bodies)): Promise<void> {
  fixture = await openKnowledge(pages(bodies));
  for (const path of paths) expect((await fixture.ingest(path)).status, path).toBe('success');
}

const found = async (question: string) =>
  (await fixture!.search(question)).map(({ source }) => source.file_name.replace(/^https?:\/\/[^/]+/, ''));

describe('several versions of a page', () => {
  const bodies = {
    '/docs/1.0/install.html': install(8080, '1.0'),
    '/docs/2.0/install.html': install(9090, '2.0'),
    '/docs/1.0/plugins.html': REMOVED,
  };

  it('are told as the newest, in whatever order they were learned', async () => {
    for (const paths of [Object.keys(bodies), Object.keys(bodies).toReversed()]) {
      await learn(bodies, paths);
      const [first, ...others] = await found('Which port does the server listen on?');
      expect(first).toBe('/docs/2.0/install.html');
      expect(others).not.toContain('/docs/1.0/install.html');
      await fixture!.close();
    }
    fixture = undefined;
  });

  it('are told as the one that the question names', async () => {
    await learn(bodies);
    expect((await found('Which port does the server listen on in 1.0?'))[0]).toBe('/docs/1.0/install.html');
    expect((await found('Which port does version 1 listen on?'))[0]).toBe('/docs/1.0/install.html');
  });

  it('are told as the newest where the older one names it as canonical and was learned first', async () => {
    const old = install(8080, '1.0').replace('<main>', '<link rel="canonical" href="/docs/2.0/install.html"><main>');
    await learn({ ...bodies, '/docs/1.0/install.html': old });
    const [first] = await fixture!.search('Which port does the server listen on?');
    expect(first!.text).toContain('9090');
    expect((await found('Which port does 1.0 listen on?'))[0]).toBe('/docs/1.0/install.html');
  });

  it('are told as the older one where the newer no longer has it, and when the newer is deleted', async () => {
    await learn(bodies);
    expect((await found('How is a plugin for gopher loaded?'))[0]).toBe('/docs/1.0/plugins.html');
    const newest = (await fixture!.search('Which port does the server listen on?'))[0]!.source;
    await fixture!.store.deleteSource(newest.uuid);
    fixture!.knowledge.removeSource(fixture!.chatbot, newest.uuid);
    expect((await found('Which port does the server listen on?'))[0]).toBe('/docs/1.0/install.html');
  });
});

describe('the notes of releases', () => {
  const needs = (version: string) =>
    `<title>Needs</title><h1>Needs</h1><p>Node ${version} or newer is needed to run it.</p>`;
  const bodies = {
    '/docs/needs.html': needs('20'),
    '/docs/v1/needs.html': needs('14'),
    '/docs/notes.html': `<title>Release notes</title><h1>Release notes</h1><h2>3.0</h2><p>Gophers were added in May 2026.</p>
      <h2>Version 2.0</h2><p>Node 18 is needed.</p><h2>v1.0 (May 2020)</h2><p>Node 14 is needed.</p>`,
  };
  const texts = async (question: string) => (await fixture!.search(question)).map(({ text }) => text);

  it('yield to a current page', async () => {
    await learn(bodies);
    const told = await texts('Which Node version is needed?');
    expect(told[0]).toContain('Node 20');
    expect(told.join()).not.toMatch(/Node 1[48]/);
  });

  it('are told where the question names the release, and where no current page answers', async () => {
    await learn(bodies);
    expect((await texts('Which Node version is needed in 2.0?'))[0]).toBe('Node 18 is needed.');
    expect((await texts('Which Node is needed in v1?')).join()).not.toMatch(/Node (?:18|20)/);
    expect((await texts('When were gophers added?'))[0]).toContain('Gophers');
  });
});

/** The addresses that a question finds, of pages that say the same but for a number. */
function told(addresses: string[], question = 'What does the entrance cost?'): string[] {
  const index = new PassageIndex<string>();
  for (const [at, address] of addresses.entries()) {
    const text = `The entrance of the museum costs ${at + 11} euros for one adult, and children of any age come in free of charge.`;
    const passages = [{ headings: ['Prices'], start: 0, end: text.length }];
    index.put(address, address, { title: 'Museum', text, passages, address: `https://museum.example${address}` });
  }
  return index.search(index.query(question), 8).map(({ entry }) => entry.source);
}

describe('the version in an address', () => {
  it.each([
    [['/docs/2.9/a', '/docs/2.10/a'], '/docs/2.10/a'],
    [['/en/latest/a', '/en/3.x/a', '/en/2.x/a'], '/en/latest/a'],
    [['/en/stable/a', '/en/latest/a'], '/en/stable/a'],
    [['/v1/a.html', '/a.html', '/v2/a.html'], '/a.html'],
    [['/docs/next/a', '/docs/v4/a'], '/docs/v4/a'],
    [['/docs/9/a', '/docs/16/a'], '/docs/16/a'],
    [['/a.html?print=1', '/a.html'], '/a.html'],
    [['/print/a', '/a'], '/a'],
    [['/prices-2025.html', '/prices-2026.html'], '/prices-2026.html'],
    [['/2024/prices', '/2026/prices', '/2025/prices'], '/2026/prices'],
    [['/guide-v1', '/guide-v3', '/guide-v2'], '/guide-v3'],
  ])('of %j tells %s', (addresses, newest) => {
    expect(told(addresses)).toEqual([newest]);
    expect(told(addresses.toReversed())).toEqual([newest]);
  });

  it.each([
    [['/shop/12', '/shop/13']],
    [['/events/2026-05-01-fair', '/events/2026-06-01-fair']],
    [['/violins/lark', '/violins/bittern']],
    [['/cars/golf-1.4', '/cars/golf-2.0']],
    [['/a?id=1', '/a?id=2']],
  ])('is none in %j', (addresses) => {
    expect(told(addresses).toSorted()).toEqual(addresses.toSorted());
  });

  it('leaves room for other pages, where each page is there in twenty versions', () => {
    const index = new PassageIndex<string>();
    const topics = Array.from(
      { length: 12 },
      (_, at) => `The lever number ${at + 40} of the crane turns the hook to side ${at}`,
    );
    for (let version = 1; version <= 20; version++) {
      for (const [at, topic] of topics.entries()) {
        const text = `${topic}, as the engineers of release ${version} wished.`;
        const address = `https://crane.example/docs/${version}.0/lever-${at + 40}.html`;
        index.put(address, address, {
          title: '',
          text,
          address,
          passages: [{ headings: [], start: 0, end: text.length }],
        });
      }
    }
    const sources = index
      .search(index.query('Which lever of the crane turns the hook?'), 8)
      .map(({ entry }) => entry.source);
    expect(sources).toHaveLength(8);
    expect(new Set(sources.map((address) => address.replace(/\/[\d.]+\//, '/')))).toHaveLength(8);
  });
});
