import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { site, until } from '../running.ts';
import { startPostgres } from '../store/postgres/server.ts';
import { makeChatbot, startCluster, type Cluster } from './cluster.ts';

const postgres = await startPostgres();
afterAll(() => postgres?.stop());

const PAGES = 30;
/** Pages that may be under way when a process ends. */
const MAX_CONCURRENT = 4;

interface Source {
  file_name: string;
  status: string;
}

describe.skipIf(!postgres)('when the server that learns is killed', { timeout: 180_000 }, () => {
  let cluster: Cluster;
  let chatbot: string;
  let pages: Awaited<ReturnType<typeof site>>;
  /** Of each page the requests so far. */
  let fetched: Map<string, number>;
  beforeEach(async () => {
    fetched = new Map();
    pages = await site(
      new Proxy(
        {},
        {
          get: (_, path: string) => async (_request: unknown, response: ServerResponse) => {
            await sleep(30);
            if (/^\/\d*$/.test(path)) fetched.set(path, (fetched.get(path) ?? 0) + 1);
            const links = Array.from({ length: PAGES - 1 }, (__, n) => `<a href="/${n + 1}">next</a>`).join('');
            response.setHeader('Content-Type', 'text/html');
            response.end(`<title>House ${path}</title><p>The house ${path} is white.</p>${path === '/' ? links : ''}`);
          },
        },
      ),
    );
    cluster = await startCluster(postgres!.url, 2, { FETCH_ALLOW: pages.host });
    chatbot = await makeChatbot(cluster);
  });
  afterEach(async () => {
    await cluster.stop();
    await pages.close();
  });

  const isFetched = (count: number) =>
    until(
      async () => fetched.size,
      (size) => size >= count,
    );

  /** All are learned, each once, and what was under way is all that was fetched again, once. */
  async function expectLearned(): Promise<void> {
    const sources = await until(
      () => cluster.api<Source[]>(cluster.servers[1]!, 'GET', `/chatbot/${chatbot}/data-sources`),
      (all) => all.length >= PAGES && all.every(({ status }) => status === 'success'),
      90_000,
    );
    expect(new Set(sources.map(({ file_name }) => file_name)).size).toBe(PAGES);
    expect(sources).toHaveLength(PAGES);
    expect(fetched.size).toBe(PAGES);
    const again = [...fetched.values()].filter((times) => times > 1);
    expect(again.every((times) => times === 2)).toBe(true);
    expect(again.length).toBeLessThanOrEqual(MAX_CONCURRENT);
  }

  it('the other one goes on with its crawl', async () => {
    const body = { url: `${pages.base}/`, max_pages: 100 };
    const begin = (at: number) =>
      cluster.api<{ uuid: string }>(cluster.servers[at]!, 'POST', `/chatbot/${chatbot}/data-source/site`, body);
    const { uuid } = await begin(0);
    await isFetched(5);
    await expect(begin(1)).rejects.toThrow(`409 {"uuid":"${uuid}"`);
    await isFetched(8);
    await cluster.servers[0]!.kill();
    expect(fetched.size).toBeLessThan(PAGES);
    const progress = () =>
      cluster.api<{ status: string }>(cluster.servers[1]!, 'GET', `/chatbot/${chatbot}/data-source/site/${uuid}`);
    const learned = await until(progress, ({ status }) => status !== 'running', 90_000);
    expect(learned).toMatchObject({ status: 'done', found: PAGES, done: PAGES, failed: 0 });
    await expectLearned();
  });

  it('the other one learns the sources that it has left', async () => {
    const add = (n: number) =>
      cluster.api(cluster.servers[0]!, 'POST', `/chatbot/${chatbot}/data-source/url`, {
        url: `${pages.base}/${n || ''}`,
      });
    await Promise.all(Array.from({ length: PAGES }, (_, n) => add(n)));
    await isFetched(8);
    await cluster.servers[0]!.kill();
    await expectLearned();
  });
});
