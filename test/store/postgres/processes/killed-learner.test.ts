import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, expect, it } from 'vitest';
import { until } from '../../../running.ts';
import { listen } from '../../../web/listener.ts';
import { aChatbot } from '../../records.ts';
import { makeSchema } from '../fixture.ts';
import { startPostgres } from '../server.ts';
import { openProcess } from './learner.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

it.skipIf(!server)('what a killed process was learning another goes on with, each source once', async () => {
  const fetched = new Map<string, number>();
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const site = await listen(async ({ url = '' }, response) => {
    if (!/^\/(?:page|alone)/.test(url)) return void response.writeHead(404).end();
    fetched.set(url, (fetched.get(url) ?? 0) + 1);
    // The first two are learned before the process is killed, none of the others.
    if (url !== '/page' && url !== '/alone/1') await gate;
    const links = url === '/page' ? [1, 2, 3, 4].map((n) => `<a href="/page/${n}">${n}</a>`).join('') : '';
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(`<title>Ferry ${url}</title><p>The ferry ${url} leaves at noon.</p>${links}`);
  });
  const schema = await makeSchema(server!.url);
  const beside = await openProcess(schema.url, `127.0.0.1:${site.port}`);
  const { uuid: chatbot, ...others } = aChatbot(beside.store.owner.user.uuid);
  await beside.store.createChatbot({ uuid: chatbot, ...others }, []);

  await mkdir('node_modules/.cache', { recursive: true });
  const bundle = await mkdtemp(join('node_modules', '.cache', 'learn-child-'));
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      ssr: 'test/store/postgres/processes/learn-child.ts',
      outDir: bundle,
      target: 'node20',
      emptyOutDir: false,
    },
  });
  const child = spawn(process.execPath, [join(bundle, 'learn-child.js'), schema.url, chatbot, site.origin], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout!, 'data');
  const learned = async () => (await beside.store.sources(chatbot)).filter(({ status }) => status === 'success');
  const first = await until(learned, ({ length }) => length === 2);
  await until(
    async () => fetched.size,
    (size) => size >= 4,
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  await rm(bundle, { recursive: true });
  open();

  await until(learned, ({ length }) => length === 11);
  const [crawled] = await until(
    () => beside.store.sites(chatbot),
    ([one]) => one!.status !== 'running',
  );
  expect(crawled).toMatchObject({ status: 'done', found: 5, done: 5, failed: 0 });
  expect(await beside.store.sources(chatbot)).toHaveLength(11);
  expect(beside.outcomes.filter((status) => status === 'success')).toHaveLength(9);
  for (const { file_name, modified_at } of first) {
    expect(fetched.get(new URL(file_name).pathname)).toBe(1);
    expect((await learned()).find((one) => one.file_name === file_name)).toMatchObject({ modified_at });
  }
  await beside.close();
  await site.close();
  await schema.drop();
});
