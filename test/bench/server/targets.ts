import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VisitorMessage } from '../../../server/types.ts';
import type { Target } from './asking.ts';
import { startProcess, type Measured } from './processes.ts';

const KEY = 'the-key-of-the-server-bench';
const PAGES = ['shipping', 'returns', 'warranty', 'payments', 'contact', 'about'];
const QUESTIONS = [
  'How long do I have to return something?',
  'Who pays for the way back when I return a bag?',
  'How long is the warranty?',
  'Which payments do you take?',
];
/** Questions that a visitor asks in one session. */
const TURNS = 4;

/** The end of the fake model's answer; the marker stays where the passage found first bears the sentence. */
const ENDING = /unused( \[1\])?$/;

export interface Fake extends Measured {
  tell(order: { mode?: string; pace?: number; release?: boolean }): Promise<void>;
  count(): Promise<{ written: number; open: number }>;
}

export async function startFake(): Promise<Fake> {
  const child = await startProcess([join('test', 'bench', 'server', 'fake.mjs')]);
  const base = `http://127.0.0.1:${child.port}`;
  return {
    ...child,
    async tell(order) {
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
      if (events !== 40 || !reply.endsWith('data: [DONE]\n\n')) throw new Error(`lost: ${reply}`);
    },
  }),
});

/** The model server itself, with nothing between. */
export const direct = (fake: Fake): Target => completion(fake.port);

export type Running = Measured & { target: Target };

export async function startPipe(fake: Fake): Promise<Running> {
  const upstream = `http://127.0.0.1:${fake.port}/v1/chat/completions`;
  const child = await startProcess([join('test', 'bench', 'server', 'pipe.mjs'), upstream]);
  return { ...child, target: completion(child.port) };
}

/** The product as it is built, with a chatbot that has learnt the demo's pages; without a model it quotes them. */
export async function startServer(fake: Fake, withModel: boolean): Promise<Running> {
  const dataDir = await mkdtemp(join(tmpdir(), 'docent-bench-'));
  const child = await startProcess([MAIN], {
    ...ENV,
    DATA_DIR: dataDir,
    FETCH_ALLOW: `127.0.0.1:${fake.port}`,
    ...(withModel ? { LLM_BASE_URL: `http://127.0.0.1:${fake.port}/v1`, LLM_MODEL: 'fake' } : {}),
  });
  const end = async (): Promise<void> => {
    await child.end();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const chatbot = await teach(`http://127.0.0.1:${child.port}/api/v1`, `http://127.0.0.1:${fake.port}/site`);
    return { ...child, end, target: door(child.port, chatbot, withModel) };
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

async function teach(api: string, site: string): Promise<string> {
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
  throw new Error('the site was not learnt');
}

/** Each question comes from a visitor who has a session and a limit of their own and asks `TURNS` times. */
function door(port: number, chatbot: string, withModel: boolean): Target {
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
          const own = session ?? /^event: session\ndata: \{"uuid":"(\w+)"/m.exec(reply)?.[1] ?? '';
          if (turn + 1 < TURNS) returning.push({ address, session: own, turn: turn + 1 });
        },
      };
    },
  };
}

function checkDone(reply: string, withModel: boolean): void {
  const last = /event: done\ndata: (.*)\n\n$/.exec(reply)?.[1] ?? '{}';
  const { response = '', finish_reason, cite_data_json = '{}' } = JSON.parse(last) as Partial<VisitorMessage>;
  const right = withModel ? ENDING.test(response) : response.includes('[1]');
  const cited = cite_data_json !== '{}';
  if (!right || finish_reason !== 'stop' || cited !== response.includes('[1]'))
    throw new Error(`not the answer: ${reply}`);
}
