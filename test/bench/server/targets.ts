import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VisitorMessage } from '../../../server/types.ts';
import type { Target } from './requests.ts';
import { startProcess, type ChildServer } from './processes.ts';

export const KEY = 'the-key-of-the-server-bench';
const PAGES = ['shipping', 'returns', 'warranty', 'payments', 'contact', 'about'];
export const QUESTIONS = [
  'How long do I have to return something?',
  'Who pays for the way back when I return a bag?',
  'How long is the warranty?',
  'Which payments do you take?',
];
export const QUESTIONS_PER_SESSION = 4;

/** The end of the fake model's answer; its marker is removed where the first passage does not support the sentence. */
export const MODEL_ANSWER_END = /unused( \[1\])?$/;

export interface FakeModel extends ChildServer {
  /** See fake-model.mjs. */
  control(order: { mode?: string; pace?: number; release?: boolean }): Promise<void>;
  count(): Promise<{ written: number; open: number }>;
}

export async function startFakeModel(): Promise<FakeModel> {
  const child = await startProcess([join('test', 'bench', 'server', 'fake-model.mjs')]);
  const base = `http://127.0.0.1:${child.port}`;
  return {
    ...child,
    async control(order) {
      await (await fetch(`${base}/control`, { method: 'POST', body: JSON.stringify(order) })).text();
    },
    count: async () => (await fetch(`${base}/count`)).json() as Promise<{ written: number; open: number }>,
  };
}

const completion = (port: number): Target => ({
  port,
  firstText: 'data:',
  question: () => ({
    path: '/v1/chat/completions',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: QUESTIONS[0] }] }),
    check(reply) {
      const events = reply.split('"content"').length - 1;
      if (events !== 40 || !reply.endsWith('data: [DONE]\n\n')) throw new Error(`incomplete: ${reply}`);
    },
  }),
});

/** The fake model without a proxy. */
export const directTarget = (model: FakeModel): Target => completion(model.port);

export type Running = ChildServer & { target: Target };

export async function startPipe(model: FakeModel): Promise<Running> {
  const upstream = `http://127.0.0.1:${model.port}/v1/chat/completions`;
  const child = await startProcess([join('test', 'bench', 'server', 'pipe.mjs'), upstream]);
  return { ...child, target: completion(child.port) };
}

/** The built server with a chatbot that has ingested the demo's pages; without a model its answers are extractive. */
export async function startServer(model: FakeModel, withModel: boolean): Promise<Running> {
  const dataDir = await mkdtemp(join(tmpdir(), 'docent-bench-'));
  const child = await startProcess([MAIN], {
    ...ENV,
    DATA_DIR: dataDir,
    FETCH_ALLOW: `127.0.0.1:${model.port}`,
    ...(withModel ? { LLM_BASE_URL: `http://127.0.0.1:${model.port}/v1`, LLM_MODEL: 'fake' } : {}),
  });
  const end = async (): Promise<void> => {
    await child.end();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const chatbot = await createChatbot(`http://127.0.0.1:${child.port}/api/v1`, `http://127.0.0.1:${model.port}/site`);
    return { ...child, end, target: chatTarget(child.port, chatbot, withModel) };
  } catch (error) {
    await end();
    throw error;
  }
}

export const MAIN = join('dist', 'server', 'main.js');
export const ENV = {
  HOST: '127.0.0.1',
  PORT: '0',
  API_KEY: KEY,
  DEMO: '0',
  TRUST_PROXY_HOPS: '1',
  MAX_ANSWERS: '10000',
};

/** Creates a chatbot, adds the pages and waits until they are ingested. */
export async function createChatbot(api: string, site: string): Promise<string> {
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const reply = await fetch(`${api}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };
  const limits = { rate_limit: [100, 360], visibility: 'public', show_citations: true };
  const { uuid } = (await call('POST', '/chatbot/create', { name: 'Bench', ...limits })) as { uuid: string };
  for (const page of PAGES) await call('POST', `/chatbot/${uuid}/data-source/url`, { url: `${site}/${page}.html` });
  for (let tries = 0; tries < 200; tries += 1) {
    const sources = (await call('GET', `/chatbot/${uuid}/data-sources`)) as { status: string }[];
    if (sources.every(({ status }) => status === 'success')) return uuid;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the site was not ingested');
}

/** Each visitor has a session and an address, so a rate limit, of its own, and asks `QUESTIONS_PER_SESSION` times. */
function chatTarget(port: number, chatbot: string, withModel: boolean): Target {
  const returning: { address: string; session: string; turn: number }[] = [];
  let visitors = 0;
  const newVisitor = (): { address: string; session: undefined; turn: number } => {
    visitors += 1;
    return { address: `10.${visitors >> 16}.${(visitors >> 8) & 255}.${visitors & 255}`, session: undefined, turn: 0 };
  };
  return {
    port,
    firstText: 'event: delta',
    question() {
      const { address, session, turn } = returning.shift() ?? newVisitor();
      return {
        path: `/chat/${chatbot}/ask`,
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify({ query: QUESTIONS[turn % QUESTIONS.length], ...(session ? { session } : {}) }),
        check(reply) {
          checkDone(reply, withModel);
          const uuid = session ?? /^event: session\ndata: \{"uuid":"(\w+)"/m.exec(reply)?.[1] ?? '';
          if (turn + 1 < QUESTIONS_PER_SESSION) returning.push({ address, session: uuid, turn: turn + 1 });
        },
      };
    },
  };
}

function checkDone(reply: string, withModel: boolean): void {
  const last = /event: done\ndata: (.*)\n\n$/.exec(reply)?.[1] ?? '{}';
  const { response = '', finish_reason, cite_data_json = '{}' } = JSON.parse(last) as Partial<VisitorMessage>;
  const isExpected = withModel ? MODEL_ANSWER_END.test(response) : response.includes('[1]');
  const isCited = cite_data_json !== '{}';
  if (!isExpected || finish_reason !== 'stop' || isCited !== response.includes('[1]'))
    throw new Error(`not the expected answer: ${reply}`);
}
