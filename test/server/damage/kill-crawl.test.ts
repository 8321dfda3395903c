import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../../../server/dev/build.mjs';
import { site, until } from '../../running.ts';
import { startChild, type Child } from '../child.ts';

/** SIGKILL while a site is learned: nothing of it is lost, and next to nothing fetched twice. */

const API_KEY = 'the-key-of-the-crawl-test';
const PAGES = 150;
const KILLS = 6;
/** Pages that may be under way when the process ends. */
const MAX_CONCURRENT = 4;

let pages: Awaited<ReturnType<typeof site>>;
let listed = '';
let requestedPaths: string[] = [];
let child: Child;
let dir: string;
beforeAll(async () => {
  await ensureBuilt();
  pages = await site(new Proxy({}, { get: () => answer }));
}, 120_000);
afterAll(() => pages.close());

/** Page 0 leads to ten others, and each page to the two that come after twice its number. */
async function answer({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  requestedPaths.push(url);
  await sleep(2);
  if (url === '/sitemap.xml' && listed) return void response.setHeader('Content-Type', 'text/xml').end(listed);
  const number = Number(/^\/(\d*)$/.exec(url)?.[1] || (url === '/' ? 0 : NaN));
  const next = number === 0 ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : [number * 2 + 9, number * 2 + 10];
  const links = next.filter((one) => one < PAGES).map((one) => `<a href="/${one}">next</a>`);
  response.setHeader('Content-Type', 'text/html').writeHead(Number.isNaN(number) ? 404 : 200);
  response.end(`<title>House ${number}</title><p>The house number ${number} is white.</p>${links.join('')}`);
}

async function call(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  const sent = body ? { body: JSON.stringify(body) } : {};
  return (await fetch(`${child.base}/api/v1${path}`, { method, headers, ...sent })).json();
}

const open = async () => void (child = await startChild({ API_KEY, DATA_DIR: dir, FETCH_ALLOW: pages.host }));

async function learnThroughKills(): Promise<{ path: string; site: Record<string, unknown> }> {
  const bot = (await call('POST', '/chatbot/create', { name: 'Town' })).uuid;
  const begun = await call('POST', `/chatbot/${bot}/data-source/site`, { url: `${pages.base}/`, max_pages: 500 });
  const path = `/chatbot/${bot}/data-source`;
  const progress = () => call('GET', `${path}/site/${begun.uuid}`);
  for (let kill = 0; kill < KILLS; kill++) {
    const { done } = await progress();
    await until(progress, (now) => now.done >= done + 5 || now.status !== 'running');
    await sleep(Math.random() * 40);
    await child.kill();
    await open();
  }
  return { path, site: await until(progress, ({ status }) => status !== 'running', 30_000) };
}

describe.each(['links', 'a sitemap'])('a site of %s', (kind) => {
  it('is ingested whole, whenever the process is killed', async () => {
    requestedPaths = [];
    const locs = Array.from({ length: PAGES }, (_, i) => `<url><loc>${pages.base}/${i || ''}</loc></url>`);
    listed = kind === 'links' ? '' : `<urlset>${locs.join('')}</urlset>`;
    dir = await mkdtemp(join(tmpdir(), 'docent-kill-'));
    try {
      await open();
      const { path, site: learned } = await learnThroughKills();
      expect(learned).toMatchObject({ status: 'done', found: PAGES, done: PAGES, failed: 0 });
      const sources: { file_name: string; status: string }[] = await call('GET', `${path}s`);
      expect(new Set(sources.map((one) => one.file_name)).size).toBe(PAGES);
      expect(sources.map(({ status }) => status)).toEqual(Array(PAGES).fill('success'));
      const refetched = requestedPaths.filter((one) => /^\/\d*$/.test(one)).length - PAGES;
      expect(refetched).toBeLessThanOrEqual(KILLS * MAX_CONCURRENT);
    } finally {
      await child.kill();
      await rm(dir, { recursive: true, force: true });
    }
  }, 90_000);
});
