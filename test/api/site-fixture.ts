import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { site, start, until, type Running } from '../running.ts';

/** A site on loopback whose pages a test sets, and a chatbot that learns it through the operations. */

export type Page = string | { status?: number; body?: string | Buffer; headers?: Record<string, string> };

export interface Source {
  uuid: string;
  status: string;
  file_name: string;
  title: string;
}

export interface SiteFixture {
  docent: Running;
  bot: string;
  base: string;
  /** Of a site that nobody is to visit. */
  elsewhere: string;
  /** What stands at which path; nothing is 404. */
  shown: Record<string, Page>;
  /** Paths, in the order in which they were asked for. */
  asked: string[];
  /** Those of them that were asked for only if they had changed. */
  askedAnew: string[];
  /** The most requests that were open at once. */
  most: number;
  /** Milliseconds that each page takes. */
  slow: number;
  /** Pages wait until this resolves. */
  hold: Promise<void> | undefined;
}

const TOWNS = 40;

/** Each test has a fixture of its own, since what a robots.txt says is kept. */
export function useSiteFixture(): SiteFixture {
  const fixture = { shown: {}, asked: [], most: 0 } as unknown as SiteFixture;
  let open = 0;
  let next = 0;
  let towns: Awaited<ReturnType<typeof site>>[];
  let elsewhere: (typeof towns)[number];
  const visited: string[] = [];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    fixture.asked.push(path);
    if (request.headers['if-none-match']) fixture.askedAnew.push(path);
    fixture.most = Math.max(fixture.most, ++open);
    response.on('close', () => open--);
    if (path !== '/robots.txt') await fixture.hold;
    if (fixture.slow > 0) await sleep(fixture.slow);
    const page = fixture.shown[path];
    const { status, body, headers } = typeof page === 'object' ? page : { body: page };
    const type = { 'Content-Type': 'text/html; charset=utf-8' };
    response.writeHead(status ?? (page === undefined ? 404 : 200), { ...type, ...headers }).end(body);
  }
  const note = (request: IncomingMessage, response: ServerResponse) => {
    visited.push(request.url ?? '');
    response.end();
  };

  beforeAll(async () => {
    towns = await Promise.all(Array.from({ length: TOWNS }, () => site(new Proxy({}, { get: () => answer }))));
    elsewhere = await site(new Proxy({}, { get: () => note }));
    fixture.elsewhere = elsewhere.base;
    fixture.docent = await start({ FETCH_ALLOW: [...towns, elsewhere].map(({ host }) => host).join(',') });
  });
  afterAll(async () => {
    await fixture.docent.stop();
    await Promise.all([...towns, elsewhere].map((one) => one.close()));
  });
  beforeEach(async () => {
    const bot = (await fixture.docent.api('POST', '/chatbot/create', { name: 'Town', show_citations: true })).body.uuid;
    Object.assign(fixture, {
      bot,
      base: towns[next++]!.base,
      shown: {},
      asked: [],
      askedAnew: [],
      most: 0,
      slow: 0,
      hold: undefined,
    });
  });
  afterEach(() => {
    fixture.hold = undefined;
    expect(visited).toEqual([]);
  });
  return fixture;
}

/** A page whose text tells of its name, and which leads to others. */
export const page = (name: string, ...links: string[]): string =>
  `<title>${name}</title><nav>${links.map((link) => `<a href="${link}">more</a>`).join(' ')}</nav>
  <main><p>The page of the ${name} tells all about the ${name}.</p></main>`;

export const moved = (to: string, status = 301): Page => ({ status, headers: { Location: to } });

/** The pages of a fixture, counted from 1, each of which leads to the next. */
export const pageChain = (length: number): Record<string, Page> =>
  Object.fromEntries(
    Array.from({ length }, (_, i) => [i === 0 ? '/' : `/${i + 1}`, page(`house ${i + 1}`, `/${i + 2}`)]),
  );

export const startCrawl = async ({ docent, bot, base }: SiteFixture, body: object = {}, path = '/') =>
  (await docent.api('POST', `/chatbot/${bot}/data-source/site`, { url: base + path, ...body })).body;

export const siteOf = async ({ docent, bot }: SiteFixture, uuid: string) =>
  (await docent.api('GET', `/chatbot/${bot}/data-source/site/${uuid}`)).body;

export const crawlEnded = (fixture: SiteFixture, uuid: string) =>
  until(
    () => siteOf(fixture, uuid),
    ({ status }) => status !== 'running',
    25_000,
  );

export const crawl = async (fixture: SiteFixture, body: object = {}, path = '/') =>
  crawlEnded(fixture, (await startCrawl(fixture, body, path)).uuid);

export const sources = async ({ docent, bot }: SiteFixture): Promise<Source[]> =>
  (await docent.api('GET', `/chatbot/${bot}/data-sources`)).body;

/** A page that its owner adds, when it is learned or cannot be. */
export async function add({ docent, bot, base }: SiteFixture, path: string): Promise<Source> {
  const { body } = await docent.api('POST', `/chatbot/${bot}/data-source/url`, { url: base + path });
  return sourceEnded(docent, body.uuid);
}

export async function sourceEnded(docent: Running, uuid: string): Promise<Source> {
  const reply = await until(
    () => docent.api('GET', `/data-source/${uuid}`),
    ({ body }) => /^(?:success|fail|error:)/.test(body.status),
  );
  return reply.body;
}

/** Paths of the chatbot's pages with how they ended. */
export const pages = async (fixture: SiteFixture): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await sources(fixture)).map(({ file_name, status }) => [file_name.replace(fixture.base, ''), status]),
  );

export const success = (...paths: string[]): Record<string, string> =>
  Object.fromEntries(paths.map((path) => [path, 'success']));

/** The paths of the pages from which a question is answered. */
export async function citedPages({ docent, bot, base }: SiteFixture, query: string): Promise<string[]> {
  const session = (await docent.api('POST', `/chatbot/${bot}/session/create`)).body.uuid;
  await docent.api('POST', `/session/${session}/message/non-stream`, { query });
  const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
  const citations = Object.values<{ file_name: string }>(JSON.parse(message.cite_data_json));
  return citations.map(({ file_name }) => file_name.replace(base, ''));
}

/** Holds the pages back until what it returns is called. */
export function holdRequests(fixture: SiteFixture): () => void {
  let release = () => {};
  fixture.hold = new Promise((go) => (release = go));
  return () => {
    fixture.hold = undefined;
    release();
  };
}
