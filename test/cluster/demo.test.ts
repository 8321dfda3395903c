import { afterAll, describe, expect, it } from 'vitest';
import { demoSite } from '../../demo/pages.ts';
import { until } from '../running.ts';
import { startPostgres } from '../store/postgres/server.ts';
import { startCluster } from './cluster.ts';

const postgres = await startPostgres();
afterAll(() => postgres?.stop());

interface LearnedPage {
  title: string;
  file_name: string;
  status: string;
}

describe.skipIf(!postgres)('servers that start at once on an empty database', { timeout: 120_000 }, () => {
  it('learn each page of the demo once, whatever their own addresses', async () => {
    const cluster = await startCluster(postgres!.url, 3, { DEMO: '1' });
    const { api, servers } = cluster;
    try {
      // A page is answered once the demo of its server is prepared.
      for (const { base } of servers)
        await until(
          () => fetch(`${base}/demo/`),
          ({ ok }) => ok,
        );
      const [chatbot, ...others] = await api<{ uuid: string }[]>(servers[0]!, 'GET', '/chatbots');
      expect(others).toEqual([]);
      const list = () => api<LearnedPage[]>(servers[0]!, 'GET', `/chatbot/${chatbot!.uuid}/data-sources`);
      const pages = await until(list, (all) => all.every(({ status }) => status === 'success'));
      const names = pages.map(({ file_name }) => file_name.split('/demo/')[1]);
      expect(names.toSorted()).toEqual(demoSite.learn.toSorted());
      expect(new Set(pages.map(({ file_name }) => new URL(file_name).origin)).size).toBe(1);
      expect(pages.filter(({ title }) => title.startsWith('http'))).toEqual([]);
    } finally {
      await cluster.stop();
    }
  });
});
