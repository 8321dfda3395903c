import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createParser } from 'eventsource-parser';
import { pino, type Logger } from 'pino';
import type { AgentRouter } from '../../server/agents/routing/router.ts';
import { AnswerRuns, NO_META, type AnswerResult, type Respond } from '../../server/answer/runs.ts';
import type { Run } from '../../server/answer/run.ts';
import { createApp } from '../../server/app.ts';
import { createAudit } from '../../server/http/audit.ts';
import { createAuth } from '../../server/http/auth.ts';
import { createHealth } from '../../server/health/health.ts';
import type { Knowledge } from '../../server/knowledge/knowledge.ts';
import type { Sites } from '../../server/knowledge/crawl/sites.ts';
import type { Schedules } from '../../server/knowledge/crawl/schedule.ts';
import { createCatalogue } from '../../server/model/catalogue.ts';
import { handleSequentially } from '../../server/http/pipelining.ts';
import { createStaticFiles } from '../../server/http/static.ts';
import { createChatRouter, type ChatRouterOptions } from '../../server/proxy/router.ts';
import { remoteUpstream } from '../../server/proxy/upstream/remote.ts';
import { localUpstream } from '../../server/proxy/upstream/upstream.ts';
import { newUuid, timestamp, type Clock } from '../../server/schema/ids.ts';
import type { Store, StoredChatbot } from '../../server/store/store.ts';
import type { ChatEvent } from '../../server/types.ts';
import { openStoreOf } from '../engine/engine.ts';

/** The chat API in the real app over real HTTP with the real store; answers and the clock are the test's. */
export interface ChatServer {
  base: string;
  port: number;
  dir: string;
  store: Store;
  runs: AnswerRuns;
  /** Lines of the log. */
  logged: string[];
  clock: { now: number };
  /** Every reply that is not finished. */
  replies: Set<ServerResponse>;
  /** Answers the next questions. */
  respond: Respond;
  chatbot(meta?: Partial<StoredChatbot['meta']>): Promise<StoredChatbot>;
  stop(options?: { keep?: boolean }): Promise<void>;
}

export const API_KEY = 'the-key-of-the-tests';

interface ChatServerOptions {
  dir?: string;
  /** The folder of the build. */
  dist?: string;
  upstream?: {
    url: string;
    apiKey: string;
    timeouts?: { connect?: number; firstByte?: number; betweenChunks?: number };
    answerTimeout?: number;
  };
  routerOptions?: Partial<ChatRouterOptions>;
  /** Opens the store; that of `dir` by default (test/engine/engine.ts). */
  openStore?: (options: { clock: Clock; log: Logger }) => Promise<Store>;
}

export async function startChatServer({
  dir: given,
  dist,
  upstream,
  routerOptions = {},
  openStore,
}: ChatServerOptions = {}): Promise<ChatServer> {
  const dir = given ?? (await mkdtemp(join(tmpdir(), 'docent-')));
  const logged: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  const time = { now: Date.now() };
  const clock = () => time.now;
  const store = await (openStore ? openStore({ clock, log }) : openStoreOf({ dir, clock, log }));
  const health = createHealth();
  const runs = new AnswerRuns({ store, clock, log });
  const respond: Respond = (question, run) => docent.respond(question, run);
  const other = upstream
    ? remoteUpstream({ ...upstream, store, clock, log, health })
    : localUpstream({ store, respond });
  const app = createApp({
    docs: (_ctx, next) => next(),
    store,
    knowledge: {} as Knowledge,
    schedules: {} as Schedules,
    sites: {} as Sites,
    runs,
    router: {} as AgentRouter,
    respond,
    catalogue: createCatalogue(),
    caller: { isBlocked: async () => false, call: () => Promise.reject(new Error('no call')) },
    serverModels: [],
    audit: createAudit({ store, clock, log }),
    takeUse: async () => ({ retryAfter: 0, fields: {} }),
    base: 'http://localhost:8080',
    clock,
    log,
    authenticate: createAuth(store, API_KEY),
    assets: await createStaticFiles({ dir: dist ?? join(dir, 'none') }),
    chat: createChatRouter({
      store,
      runs,
      upstream: other,
      clock,
      log,
      trustProxyHops: 0,
      publicUrl: undefined,
      ...routerOptions,
    }),
    console: undefined,
    demo: undefined,
    health,
    draining: () => false,
  });
  const handle = app.callback();
  const inTurn = handleSequentially((request, response) => void handle(request, response));
  const replies = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    replies.add(response.once('close', () => replies.delete(response)));
    inTurn(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;

  const docent: ChatServer = {
    base: `http://127.0.0.1:${port}`,
    port,
    dir,
    store,
    runs,
    logged,
    clock: time,
    replies,
    respond: answerWith('You have 30 days.'),
    async chatbot(meta = {}) {
      const now = timestamp(clock);
      const chatbot: StoredChatbot = {
        uuid: newUuid(),
        name: 'Shop',
        created_at: now,
        modified_at: now,
        owner: store.owner.user.uuid,
        meta: {
          rate_limit: [100, 1],
          rate_limit_message: 'Slow down, please',
          show_citations: true,
          visibility: 'public',
          ...meta,
        },
      };
      await store.createChatbot(chatbot, []);
      return chatbot;
    },
    async stop({ keep = false } = {}) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await runs.interrupt();
      await other.close();
      await store.close();
      if (!keep) await rm(dir, { recursive: true, force: true });
    },
  };
  return docent;
}

export const answerResult = (more: Partial<AnswerResult> = {}): AnswerResult => ({
  finish_reason: 'stop',
  citations: {},
  meta: NO_META,
  ...more,
});

/** Answers every question with these pieces, a turn of the event loop apart. */
export const answerWith =
  (...pieces: string[]): Respond =>
  async (_, run) => {
    for (const piece of pieces) {
      run.append(piece);
      await new Promise(setImmediate);
    }
    return answerResult({ finish_reason: run.stopped ? 'stopped' : 'stop' });
  };

/** An answer that the test writes. */
export interface ManualAnswer {
  respond: Respond;
  /** These wait until the question has arrived. */
  write(text: string): Promise<void>;
  end(result?: Partial<AnswerResult>): Promise<void>;
  fail(error: unknown): Promise<void>;
}

export function manualAnswer(): ManualAnswer {
  let came: (question: { run: Run; resolve(result: AnswerResult): void; reject(error: unknown): void }) => void;
  const question = new Promise<Parameters<typeof came>[0]>((done) => (came = done));
  return {
    respond: (_, run) =>
      new Promise((resolve, reject) => {
        run.onStop = () => resolve(answerResult({ finish_reason: 'stopped' }));
        came({ run, resolve, reject });
      }),
    write: async (text) => (await question).run.append(text),
    end: async (result) => (await question).resolve(answerResult(result)),
    fail: async (error) => (await question).reject(error),
  };
}

export type SeenEvent = ChatEvent & { id?: string };

export function parseEvents(text: string): SeenEvent[] {
  const seen: SeenEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data, id }) => {
      seen.push({ event, data: JSON.parse(data), ...(id === undefined ? {} : { id }) } as unknown as SeenEvent);
    },
  });
  parser.feed(text);
  return seen;
}

export const textOf = (events: SeenEvent[]): string =>
  events.map((one) => (one.event === 'delta' ? one.data.text : '')).join('');

export const post = (url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

export async function ask(docent: ChatServer, chatbot: string, body: unknown): Promise<SeenEvent[]> {
  const reply = await post(`${docent.base}/chat/${chatbot}/ask`, body);
  if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`);
  return parseEvents(await reply.text());
}

export const uuidOf = (events: SeenEvent[], event: 'session' | 'message'): string => {
  const found = events.find((one) => one.event === event);
  if (!found || !('uuid' in found.data)) throw new Error(`no ${event} event`);
  return found.data.uuid;
};

/** An open stream whose events can be looked at while it goes on. */
export interface WatchedStream {
  status: number;
  text(): string;
  events(): SeenEvent[];
  /** Waits until the stream's text so far passes. */
  until(passes: (events: SeenEvent[]) => boolean): Promise<SeenEvent[]>;
  done: Promise<SeenEvent[]>;
  leave(): void;
}

export async function watch(url: string, init: RequestInit = {}): Promise<WatchedStream> {
  const leaving = new AbortController();
  const reply = await fetch(url, { ...init, signal: leaving.signal });
  let text = '';
  let checks: (() => void)[] = [];
  const read = async (): Promise<SeenEvent[]> => {
    const decoder = new TextDecoder();
    for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      for (const check of checks) check();
    }
    return parseEvents(text);
  };
  const done = read();
  done.catch(() => {});
  return {
    status: reply.status,
    text: () => text,
    events: () => parseEvents(text),
    until: (passes) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!passes(parseEvents(text))) return;
          checks = checks.filter((one) => one !== check);
          resolve(parseEvents(text));
        };
        checks.push(check);
        check();
      }),
    done,
    leave: () => leaving.abort(),
  };
}

export const watchAsk = (docent: ChatServer, chatbot: string, body: unknown): Promise<WatchedStream> =>
  watch(`${docent.base}/chat/${chatbot}/ask`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

export const messagesOf = async (docent: ChatServer, chatbot: string, session: string) =>
  (await fetch(`${docent.base}/chat/${chatbot}/session/${session}/messages`)).json();
