import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { Ingestion } from '../../server/knowledge/ingest/ingest.ts';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import type { StoredSource } from '../../server/store/store.ts';
import type { Citations, VisitorMessage } from '../../server/types.ts';
import { createWeb } from '../../server/web/web.ts';
import { startProcess, type ChildServer } from './server/processes.ts';
import { ENV, MAIN } from './server/targets.ts';
import { QUESTIONS } from './site/questions.ts';

/** A site of hand-made pages, as Debian packs it. */
const SITE = '/usr/share/doc/sqlite3';
const START = 'index.html';
const MAX_PAGES = 2000;
/** As many requests at once as Docent sends to one host. */
const ABREAST = 2;
/** A crawl that comes no further for so long has stopped. */
const PATIENCE_MS = 120_000;

interface SiteState {
  uuid: string;
  status: string;
  found: number;
  done: number;
  failed: number;
}

export interface Result {
  'pages found': number;
  'pages learned': number;
  /** Pages of the folder that links lead to and that were not learned: some say what another says to the letter. */
  'copies left out': string[];
  'pages missed': string[];
  seconds: number;
  'pages per second': number;
  /** The same pages by plain requests, as many at once, in the same minute. */
  'pages per second, fetched alone': number;
  /** All threads of the server; what a busy machine slows down least. */
  'CPU per page found (ms)': number;
  'resident before (MB)': number;
  'resident, most while learning (MB)': number;
  'resident after (MB)': number;
  'failed, and no dead link of the site': number;
  'answer: right page first': number;
  'answer: in the first 3': number;
  'search: right page first': number;
  'search: in the first 3': number;
  failures: Failure[];
  questions: Asked[];
}

interface Failure {
  status: string;
  /** The site has no such file: the link itself is dead. */
  dead: boolean;
  pages: number;
  'such as': string;
}

interface Asked {
  question: string;
  answer: string;
  search: string;
  /** The first page cited, and the first page found. */
  cited: string;
  found: string;
}

/** Learns a whole site of some 750 pages from a server on loopback, and asks what its readers would ask. */
export async function bench(): Promise<Result | string> {
  if (process.platform !== 'linux') throw new Error('this bench reads memory from /proc: it needs Linux');
  if (!existsSync(join(SITE, START))) return `left out, ${SITE} is not here: apt-get install sqlite3-doc`;
  const dir = await mkdtemp(join(tmpdir(), 'docent-bench-'));
  const site = await startProcess([join('test', 'bench', 'site', 'static.mjs'), SITE]);
  const env = { ...ENV, DATA_DIR: dir, FETCH_ALLOW: `127.0.0.1:${site.port}` };
  const server = await startProcess([MAIN], env);
  try {
    return await measure(server, `http://127.0.0.1:${site.port}/`, dir);
  } finally {
    await Promise.all([server.end(), site.end()]);
    await rm(dir, { recursive: true, force: true });
  }
}

async function measure(server: ChildServer, base: string, dir: string): Promise<Result> {
  const api = `http://127.0.0.1:${server.port}`;
  const { uuid: chatbot } = await call<{ uuid: string }>(api, 'POST', '/api/v1/chatbot/create', {
    name: 'SQLite',
    visibility: 'public',
    show_citations: true,
    rate_limit: [100, 360],
  });
  const before = megabytes(server);
  const idle = server.cpu();
  const learned = await learn(server, api, chatbot, base);
  const after = megabytes(server);
  const cpu = (server.cpu() - idle) / 1e6;
  const sources = await call<StoredSource[]>(api, 'GET', `/api/v1/chatbot/${chatbot}/data-sources`);
  const pages = sources.filter(({ status }) => status === 'success').map(({ file_name }) => pageOf(file_name, base));
  const fetched = await fetchAll(base, pages);
  const absent = [...reachable()].filter((page) => !pages.includes(page));
  const texts = new Set(pages.filter((page) => existsSync(join(SITE, page))).map(textOf));
  const failures = failuresOf(sources, base);
  const answers: string[][] = [];
  for (const { question } of QUESTIONS) answers.push(await cited(api, chatbot, question, base));
  // The folder is the server's until it ends.
  await server.end();
  const questions = compare(answers, await found(dir, chatbot, base));
  const share = (column: 'answer' | 'search', marks: string[]) =>
    questions.filter((one) => marks.includes(one[column])).length / questions.length;
  return {
    'pages found': learned.found,
    'pages learned': pages.length,
    'copies left out': absent.filter((page) => texts.has(textOf(page))),
    'pages missed': absent.filter((page) => !texts.has(textOf(page))),
    seconds: learned.seconds,
    'pages per second': pages.length / learned.seconds,
    'pages per second, fetched alone': pages.length / fetched,
    'CPU per page found (ms)': cpu / learned.found,
    'resident before (MB)': before,
    'resident, most while learning (MB)': learned.most,
    'resident after (MB)': after,
    'failed, and no dead link of the site': failures.reduce(
      (sum, { dead, pages: count }) => sum + (dead ? 0 : count),
      0,
    ),
    'answer: right page first': share('answer', ['1']),
    'answer: in the first 3': share('answer', ['1', '2', '3']),
    'search: right page first': share('search', ['1']),
    'search: in the first 3': share('search', ['1', '2', '3']),
    failures,
    questions,
  };
}

async function learn(server: ChildServer, api: string, chatbot: string, base: string) {
  const path = `/api/v1/chatbot/${chatbot}/data-source/site`;
  const began = performance.now();
  let site = await call<SiteState>(api, 'POST', path, { url: base + START, max_pages: MAX_PAGES });
  let [most, moved, ended] = [0, began, 0];
  while (site.status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, 200));
    site = await call<SiteState>(api, 'GET', `${path}/${site.uuid}`);
    most = Math.max(most, megabytes(server));
    if (site.done + site.failed > ended) moved = performance.now();
    ended = site.done + site.failed;
    if (performance.now() - moved > PATIENCE_MS) throw new Error(`no further: ${JSON.stringify(site)}`);
  }
  console.error(`site: ${site.status}, ${site.done} learned, ${site.failed} failed, of ${site.found}`);
  if (site.status !== 'done') throw new Error(`the site was not learned: ${JSON.stringify(site)}`);
  return { ...site, most, seconds: (performance.now() - began) / 1000 };
}

const megabytes = (server: ChildServer): number => Math.round((server.rss() * 1024) / 1e6);

/** A link is dead where the site has no such file: anything else that failed is ours to explain. */
function failuresOf(sources: StoredSource[], base: string): Failure[] {
  const kinds = new Map<string, string[]>();
  for (const { file_name, status } of sources) {
    if (status === 'success') continue;
    const page = pageOf(file_name, base);
    const dead = status === 'error:not found' && !existsSync(join(SITE, decodeURIComponent(page)));
    const kind = JSON.stringify([status, dead]);
    kinds.set(kind, [...(kinds.get(kind) ?? []), page]);
  }
  return [...kinds].map(([kind, pages]) => {
    const [status, dead] = JSON.parse(kind) as [string, boolean];
    return { status, dead, pages: pages.length, 'such as': pages.slice(0, dead ? 3 : 20).join(', ') };
  });
}

const pageOf = (address: string, base: string): string =>
  address.startsWith(base) ? address.slice(base.length) : address;

/** Seconds. */
async function fetchAll(base: string, pages: string[]): Promise<number> {
  const pool = new Pool(new URL(base).origin, { connections: ABREAST });
  const began = performance.now();
  let at = 0;
  const one = async (): Promise<void> => {
    while (at < pages.length) {
      const { body } = await pool.request({ method: 'GET', path: `/${pages[at++]}` });
      await body.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: ABREAST }, one));
  const seconds = (performance.now() - began) / 1000;
  await pool.close();
  return seconds;
}

const textOf = (page: string): string => readFileSync(join(SITE, page), 'latin1');

/** The pages of the folder that links lead to from the first, found by other means than the server's. */
function reachable(): Set<string> {
  const pages = new Set([START]);
  for (const page of pages) {
    const html = textOf(page).replace(/<!--[^]*?-->|<script\b[^]*?<\/script>/gi, '');
    for (const [, link = ''] of html.matchAll(/<a\s[^>]*?href\s*=\s*["']?([^"'\s>]+)/gi)) {
      const { origin, pathname } = new URL(link, `http://site.test/${page}`);
      const path = pathname.slice(1);
      if (origin === 'http://site.test' && path.endsWith('.html') && existsSync(join(SITE, path))) pages.add(path);
    }
  }
  return pages;
}

/** The pages that the answer cites, in the order of its markers. */
async function cited(api: string, chatbot: string, query: string, base: string): Promise<string[]> {
  const reply = await fetch(`${api}/chat/${chatbot}/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const text = await reply.text();
  const last = /^event: done\ndata: (.*)$/m.exec(text)?.[1];
  if (last === undefined) throw new Error(`no answer: ${reply.status} ${text}`);
  const { cite_data_json } = JSON.parse(last) as VisitorMessage;
  const citations = Object.entries(JSON.parse(cite_data_json) as Citations);
  const inOrder = citations.sort(([a], [b]) => Number.parseFloat(a) - Number.parseFloat(b));
  return [...new Set(inOrder.map(([, { file_name }]) => pageOf(file_name, base)))];
}

/** The pages that search finds, each by its best passage, through the code the server runs and from what it stored. */
async function found(dir: string, chatbot: string, base: string): Promise<string[][]> {
  const store = await openLowdbStore({ dir, clock: Date.now });
  const web = createWeb({ allow: [] });
  const log = { info() {}, error: console.error };
  const knowledge = new Ingestion({ store, web, clock: Date.now, log });
  const all: string[][] = [];
  for (const { question } of QUESTIONS) {
    const { found: passages } = await knowledge.search(chatbot, question, { limit: 30 });
    all.push([...new Set(passages.map(({ source }) => pageOf(source.file_name, base)))]);
  }
  await knowledge.close();
  await Promise.all([web.close(), store.close()]);
  return all;
}

function compare(answers: string[][], searches: string[][]): Asked[] {
  return QUESTIONS.map(({ question, pages }, at) => {
    const rank = (list: string[] = []): string => {
      const place = list.findIndex((page) => pages.includes(page)) + 1;
      return place === 0 ? '-' : String(place);
    };
    const [answer = [], search = []] = [answers[at], searches[at]];
    return {
      question,
      answer: rank(answer),
      search: rank(search),
      cited: answer[0] ?? 'nothing',
      found: search[0] ?? 'nothing',
    };
  });
}

async function call<T>(api: string, method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${ENV.API_KEY}`, 'content-type': 'application/json' };
  const reply = await fetch(api + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as T;
}
