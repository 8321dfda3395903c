import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeModel } from '../fakes/model.ts';
import { median, startProcess } from './server/processes.ts';
import { askMany, type Target } from './server/requests.ts';
import { ENV, MAIN } from './server/targets.ts';

const ROUNDS = 20;
const QUESTIONS_A_ROUND = 20;
const AGENTS = 4;

/**
 * Time to the first text with four background agents whose calls to the model never return, and without, in alternation. After
 * a few questions as many calls hang as the server allows; the rest wait.
 */
export async function bench(): Promise<object[]> {
  const model = await startFakeModel({
    script: ({ body }) =>
      JSON.stringify(body).includes('json_object') ? { hangAfter: 0 } : { pieces: ['You may ', 'return it.'] },
  });
  const dataDir = await mkdtemp(join(tmpdir(), 'docent-bench-'));
  const env = { ...ENV, DATA_DIR: dataDir, LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' };
  const server = await startProcess([MAIN], env);
  try {
    const [without, beside] = [await chatbotTarget(server.port, 0), await chatbotTarget(server.port, AGENTS)];
    await askMany(without, 100, 1);
    const times = { without: [] as number[], beside: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      console.error(`background: round ${round + 1} of ${ROUNDS}`);
      times.without.push(...(await askMany(without, QUESTIONS_A_ROUND, 1)));
      times.beside.push(...(await askMany(beside, QUESTIONS_A_ROUND, 1)));
    }
    const hanging = model.requests.filter(({ body }) => JSON.stringify(body).includes('json_object')).length;
    if (hanging < AGENTS) throw new Error(`${hanging} calls of background agents arrived`);
    const [floor, figure] = [median(times.without), median(times.beside)];
    return [
      {
        measure: `first text, ${AGENTS} background agents that never return, p50 (ms)`,
        server: figure,
        floor,
        ratio: figure / floor,
        goal: '<= 1.05 x without',
        met: figure <= 1.05 * floor ? 'yes' : 'no',
      },
    ];
  } finally {
    await server.end();
    await model.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** A chatbot with so many background agents; each question comes from a visitor of its own. */
async function chatbotTarget(port: number, agents: number): Promise<Target> {
  const call = async (path: string, body: object): Promise<{ uuid: string }> => {
    const headers = { authorization: `Bearer ${ENV.API_KEY}`, 'content-type': 'application/json' };
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return reply.json() as Promise<{ uuid: string }>;
  };
  const { uuid } = await call('/chatbot/create', { name: 'Bench', visibility: 'public', rate_limit: [100, 360] });
  const tags = [{ name: 'Returns', color: '#336699', criteria: 'Asks about returning an item.' }];
  for (let at = 0; at < agents; at += 1) {
    const agent = await call(`/chatbot/${uuid}/agent/create`, { name: `Tagger ${at}`, type: 'background', tags });
    await call(`/agent/${agent.uuid}/update`, { enabled: true });
  }
  let visitors = 0;
  return {
    port,
    firstText: 'event: delta',
    question() {
      visitors += 1;
      const address = `10.${agents}.${visitors >> 8}.${visitors & 255}`;
      return {
        path: `/chat/${uuid}/ask`,
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify({ query: 'May I return a lamp after two weeks?' }),
        check(reply) {
          if (!reply.includes('event: done')) throw new Error(`incomplete: ${reply}`);
        },
      };
    },
  };
}
