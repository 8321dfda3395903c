import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright';
import { Agent, fetch as fetchWith } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { VisitorMessage } from '../../../server/types.ts';
import { until } from '../../browser/built-server.ts';
import { launchChromium } from '../../browser/chromium.ts';
import { findBrowser } from '../../browser/find-browser.mjs';
import { answers, askQuestion, openChat, questions } from '../../browser/visitor.ts';
import { makeChatbot, startCluster, type Cluster } from '../../cluster/cluster.ts';
import { askWidget, BROWSER_GLOBALS, openWidget } from '../../cluster/widget-visitor.ts';
import { startFakeModel, type FakeModel, type SeenRequest } from '../../fakes/model.ts';
import { blocksOf, textOf } from '../../readme/texts.ts';
import { startPostgres } from '../../store/postgres/server.ts';
import { startNginx, type Proxy } from './proxies.ts';

/** What visitors see of the guide for several servers: nginx with its configuration, and the servers restarted as it says. */

const SERVERS = 4;
/** Visitors beside those in the browser, who use the widget's own code for asking and retrying. */
const VISITORS = 50;
/** Questions of each visitor at least. */
const QUESTIONS = 3;

const required = process.env['REQUIRE_PROXIES'] === '1';
const database = await startPostgres();
const missing = [
  ...(database ? [] : ['PostgreSQL']),
  ...(spawnSync('nginx', ['-v']).status === 0 ? [] : ['nginx']),
  ...('path' in findBrowser() ? [] : ['Chromium']),
];
if (missing.length > 0 && !required) console.error(`rolling restart: left out, it needs ${missing.join(', ')}`);

/** Some 2.5 seconds of an answer in the browser, where a restart falls in the middle of it; half a second else. */
const piecesFor = (query: string): string[] => [
  ...query.split(/(?<= )/),
  ...Array.from({ length: query.startsWith('Tell') ? 60 : 10 }, (_, n) => ` word${n}`),
  '.',
];
const answerTo = (query: string): string => piecesFor(query).join('');
const newQuery = (first: string): string => `${first} ${randomBytes(6).toString('hex')} then`;

describe.skipIf(missing.length > 0 && !required)(
  'while four servers behind nginx are restarted one after another',
  () => {
    let cluster: Cluster;
    let model: FakeModel;
    let folder: string;
    let proxy: Proxy;
    let chatbot: string;
    let browser: Browser;
    let shop: Server;
    let agents: Agent[];
    const over = new AbortController();
    const faults: unknown[] = [];

    beforeAll(async () => {
      const script = ({ body }: SeenRequest) => ({ pieces: piecesFor(body.messages.at(-1)!.content), pace: 40 });
      model = await startFakeModel({ script, searches: { pieces: ['none'] } });
      const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' };
      cluster = await startCluster(database!.url, SERVERS, env);
      chatbot = await makeChatbot(cluster);
      folder = await mkdtemp(join(tmpdir(), 'docent-rolling-'));
      const [block = ''] = blocksOf(textOf('scaling'), 'nginx');
      const last = /^ *server 127\.0\.0\.1:8081.*\n/m.exec(block)![0];
      const more = [last.replace('8081', '8082'), last.replace('8081', '8083')];
      proxy = await startNginx({
        folder,
        block: block.replace(last, [last, ...more].join('')),
        path: '',
        servers: Object.fromEntries(cluster.servers.map(({ port }, at) => [8080 + at, port])),
      });
      agents = Array.from(
        { length: VISITORS },
        (_, n) => new Agent({ connect: { ca: proxy.ca!, servername: proxy.host }, localAddress: `127.0.2.${n + 1}` }),
      );
      browser = await launchChromium();
      shop = createServer((_, response) => {
        const tag = `<script src="${proxy.origin}/embed.js" data-chatbot="${chatbot}"></script>`;
        response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><title>Shop</title>${tag}`);
      });
      await new Promise<void>((done) => shop.listen(0, '127.0.0.1', done));
    });
    afterAll(async () => {
      vi.unstubAllGlobals();
      await browser?.close();
      shop?.close();
      for (const agent of agents ?? []) await agent.destroy();
      await proxy?.stop();
      await cluster?.stop();
      await model?.close();
      await database?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    /** Asks by the widget's own code, from Node, one question after another. */
    async function visit(n: number): Promise<string[]> {
      const chat = openWidget(`https://${n}.visitor`, chatbot);
      const queries: string[] = [];
      while (!over.signal.aborted || queries.length < QUESTIONS) {
        const query = newQuery('How about');
        queries.push(query);
        const { status, text, failure } = await askWidget(chat, query);
        const seen = { is: status.peek().is, text: text.peek() };
        if (seen.is !== 'done' || seen.text !== answerTo(query)) faults.push({ ...seen, ...status.peek(), failure });
        if (n % 5 > 0) await sleep(Math.random() * 1500);
      }
      return queries;
    }

    /** The chat, opened on a page that has the snippet; each sentence of a failure that it shows becomes a fault. */
    async function openPage(): Promise<Page> {
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      page.setDefaultTimeout(40_000);
      page.on('pageerror', (error) => faults.push(String(error)));
      await page.exposeFunction('tellFault', (text: string) => faults.push(text));
      await page.addInitScript(() => {
        const watch = (): void => {
          const root = document.querySelector('docent-widget')?.shadowRoot;
          if (!root) return void setTimeout(watch, 20);
          const tell = (): void => {
            for (const note of root.querySelectorAll('.note.warning'))
              (globalThis as unknown as { tellFault(text: string): void }).tellFault(note.textContent!);
          };
          new MutationObserver(tell).observe(root, { subtree: true, childList: true });
        };
        watch();
      });
      await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
      await openChat(page);
      return page;
    }

    /** Not what is painted: turns out of sight are not. */
    const shown = (page: Page): Promise<string[]> => answers(page).locator('.text').allTextContents();

    async function ask(page: Page, isReloaded: boolean): Promise<string> {
      const query = newQuery('Tell me about');
      await askQuestion(page, query);
      if (isReloaded) {
        await answers(page).last().getByText('word5').waitFor();
        await page.reload();
        await openChat(page);
      }
      await until(async () => (await shown(page)).at(-1) === answerTo(query)).catch(async () => {
        faults.push({ query, shown: (await shown(page)).at(-1) });
      });
      return query;
    }

    async function expectAllShown(page: Page, queries: string[]): Promise<void> {
      expect(await questions(page).allTextContents()).toEqual(queries);
      expect(await shown(page)).toEqual(queries.map(answerTo));
    }

    /** `isReloaded`: the page is, in the middle of each answer. */
    async function stayOnPage(isReloaded: boolean): Promise<string[]> {
      const page = await openPage();
      const queries: string[] = [];
      while (!over.signal.aborted || queries.length < QUESTIONS) queries.push(await ask(page, isReloaded));
      await expectAllShown(page, queries);
      return queries;
    }

    /** Each question is a new visitor's, who loads the widget. */
    async function openPages(): Promise<string[]> {
      const queries: string[] = [];
      while (!over.signal.aborted || queries.length < QUESTIONS) {
        const page = await openPage();
        queries.push(await ask(page, false));
        await expectAllShown(page, queries.slice(-1));
        await page.context().close();
      }
      return queries;
    }

    test('visitors see no error, and get each answer whole and once', { timeout: 240_000 }, async () => {
      for (const [name, value] of Object.entries(BROWSER_GLOBALS)) vi.stubGlobal(name, value);
      vi.stubGlobal('fetch', (url: string, init: object) => {
        const { hostname, pathname } = new URL(url);
        const dispatcher = agents[Number.parseInt(hostname, 10)]!;
        return fetchWith(proxy.origin + pathname, { ...init, dispatcher });
      });
      const visits = Promise.all([
        stayOnPage(false),
        stayOnPage(true),
        openPages(),
        ...Array.from({ length: VISITORS }, (_, n) => visit(n)),
      ]);
      const codes: (number | null)[] = [];
      for (const [at, { base }] of cluster.servers.entries()) {
        codes.push(await cluster.servers[at]!.end());
        await cluster.start(at);
        await until(async () => (await fetchWith(`${base}/readyz`)).status === 200);
      }
      over.abort();
      const queries = (await visits).flat();
      vi.unstubAllGlobals();
      expect(faults).toEqual([]);
      expect(codes).toEqual([0, 0, 0, 0]);
      const list = <T>(path: string): Promise<T[]> => cluster.api(cluster.servers[0]!, 'GET', path);
      const stored: string[] = [];
      for (const { uuid } of await list<{ uuid: string }>(`/chatbot/${chatbot}/sessions`)) {
        for (const { query, response, finish_reason } of await list<VisitorMessage>(`/session/${uuid}/messages`))
          stored.push(`${finish_reason}: ${query}: ${response}`);
      }
      expect(stored.toSorted()).toEqual(queries.map((query) => `stop: ${query}: ${answerTo(query)}`).toSorted());
      expect(model.requests).toHaveLength(queries.length);
    });
  },
);
