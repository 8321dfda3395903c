import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boot, type DocentServer } from '../server/boot.ts';
import { databaseOf } from './engine/engine.ts';
import { conformance, type Exchange } from './api/contract/conformance.ts';
import type { Disk } from '../server/store/lowdb/files/disk.ts';
import { recordExchanges } from './api/contract/recorded-exchanges.ts';

/** The whole server in this process, over real HTTP on 127.0.0.1 and a data folder of its own. */
export interface Running {
  base: string;
  dataDir: string;
  booted: DocentServer;
  /** Calls /api/v1 with the key: `body` is sent as JSON where there is one. */
  api(method: string, path: string, body?: unknown): Promise<Reply>;
  /** The reply itself, which has to be as the server's own document says; `path` is whole, from /api on. */
  checked(method: string, path: string, reply: Reply): Promise<Reply>;
  /** Fails where any JSON reply under /api, however it was asked for, was not as the document says. */
  stop(): Promise<void>;
}

export interface Reply {
  status: number;
  headers: Headers;
  // The shape differs by operation; each test says what it expects of it.
  body: any; // oxlint-disable-line no-explicit-any
}

export const API_KEY = 'the-key-of-the-tests';

/** `consoleDir`: the folder of the console's page, in place of the build's. */
export async function start(env: NodeJS.ProcessEnv = {}, disk?: Disk, consoleDir?: string): Promise<Running> {
  const dataDir = env['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'docent-')));
  let booted: DocentServer | undefined;
  const hearing = recordExchanges();
  const server = createServer((request, response) => {
    hearing.hear(request, response);
    booted?.handler(request, response);
  });
  // A backlog for a thousand connections at once.
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', 4096, done));
  const PORT = String((server.address() as AddressInfo).port);
  const DATABASE_URL = disk || env['DATABASE_URL'] ? undefined : await databaseOf(dataDir);
  const own = { API_KEY, DATA_DIR: dataDir, DATABASE_URL, DEMO: '0', LOG_LEVEL: 'silent', ...env, PORT };
  booted = await boot(own, { disk, probeInterval: 50, ...(consoleDir && { consoleDir }) });
  const running = booted;
  const base = `http://127.0.0.1:${PORT}`;
  const checked = checkedAgainst(`${base}/api/v1/openapi.json`);
  return {
    base,
    dataDir,
    booted,
    api: async (method, path, body) =>
      checked(method, `/api/v1${path}`, await call(`${base}/api/v1${path}`, method, body)),
    checked,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await running.close();
      if (!env['DATA_DIR']) await rm(dataDir, { recursive: true, force: true });
      hearing.check();
    },
  };
}

/** Checks replies against the document at `url`, which is fetched once. Long lists are checked a piece at a time. */
function checkedAgainst(url: string): Running['checked'] {
  let faultsOf: Promise<(exchange: Exchange) => string[]> | undefined;
  return async (method, path, reply) => {
    faultsOf ??= fetch(url).then(async (document) => conformance(await document.json()));
    const check = await faultsOf;
    for (const body of pieces(reply.body)) {
      const faults = check({ method, path, ...reply, body });
      if (faults.length > 0) throw new Error(`${method} ${path} answered ${reply.status}: ${faults.join('; ')}`);
      await new Promise(setImmediate);
    }
    return reply;
  };
}

function pieces(body: unknown): unknown[] {
  if (!Array.isArray(body) || body.length <= 200) return [body];
  return Array.from({ length: Math.ceil(body.length / 200) }, (_, i) => body.slice(i * 200, (i + 1) * 200));
}

async function call(url: string, method: string, body: unknown): Promise<Reply> {
  const reply = await fetch(url, {
    method,
    headers: {
      Authorization: `Bearer ${API_KEY}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  const json = reply.headers.get('content-type')?.startsWith('application/json');
  return { status: reply.status, headers: reply.headers, body: json ? JSON.parse(text) : text };
}

/** A site to scrape: path → HTML, or a handler. Its address wants FETCH_ALLOW. */
export async function site(
  pages: Record<string, string | ((request: IncomingMessage, response: ServerResponse) => void)>,
): Promise<{ base: string; host: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? '/'];
    if (typeof page === 'function') return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(page ?? 'nothing here');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    base: `http://${host}`,
    host,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Asks again until the answer satisfies; fails after `patience` ms with what there was last. */
export async function until<T>(ask: () => Promise<T>, enough: (answer: T) => boolean, patience = 40_000): Promise<T> {
  const end = Date.now() + patience;
  for (;;) {
    const answer = await ask();
    if (enough(answer)) return answer;
    if (Date.now() > end) throw new Error(`still not so: ${JSON.stringify(answer)}`);
    await new Promise((done) => setTimeout(done, 15));
  }
}
