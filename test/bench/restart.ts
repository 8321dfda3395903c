import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { defaultAgent } from '../../server/agents/agents.ts';
import { newUuid, timestamp } from '../../server/schema/ids.ts';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import { Writer } from './passages.ts';
import { median, startProcess, type ChildServer } from './server/processes.ts';
import { ENV, MAIN } from './server/targets.ts';

/** Milliseconds by the clock, and of the server's CPU, which a busy machine does not change as much. */
interface Row {
  measure: string;
  server: number;
  floor: number;
  ratio: number;
  cpu: number;
  floor_cpu: number;
  goal: string;
  met: 'yes' | 'no';
}

interface Times {
  wall: number;
  cpu: number;
}

const PAGES = 800;
const [ROUNDS, WARM_QUESTIONS] = [5, 20];
const [MAX_MS, MAX_RATIO] = [300, 2];

/**
 * What the first question after a restart costs, beside those after it, with a chatbot of 800 pages: asked once `/readyz` does
 * not say `warming` any more, and asked at once; where the index was saved, and where it was not.
 */
export async function bench(): Promise<Row[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'docent-bench-'));
  try {
    const { chatbot, questions } = await fillFolder(dataDir);
    const first = { atOnce: [] as Times[], ready: [] as Times[] };
    const found = { warmed: [] as Times[], atOnce: [] as Times[], later: [] as Times[], ready: [] as Times[] };
    for (let round = 0; round < ROUNDS; round++) {
      console.error(`restart: round ${round + 1} of ${ROUNDS}`);
      await rm(join(dataDir, 'indexes'), { recursive: true, force: true });
      await measure(dataDir, async (server) => {
        first.atOnce.push(await timeOf(server, () => ask(server, chatbot, questions[0]!)));
      });
      await measure(dataDir, async (server) => {
        first.ready.push(await timeOf(server, () => untilWarm(server)));
        await untilSaved(dataDir);
      });
      await measure(dataDir, async (server) => {
        found.ready.push(await timeOf(server, () => untilWarm(server)));
        found.warmed.push(await timeOf(server, () => ask(server, chatbot, questions[0]!)));
        for (const question of questions.slice(1))
          found.later.push(await timeOf(server, () => ask(server, chatbot, question)));
      });
      await measure(dataDir, async (server) => {
        found.atOnce.push(await timeOf(server, () => ask(server, chatbot, questions[0]!)));
      });
    }
    return [
      row(`first question after a restart, ${PAGES} pages, once warm`, found.warmed, found.later),
      row(`first question after a restart, ${PAGES} pages, at once`, found.atOnce, found.later),
      row('until /readyz does not say warming', found.ready, found.later, ''),
      row('first question, at once, without a saved index', first.atOnce, found.later, ''),
      row('until /readyz does not say warming, without a saved index', first.ready, found.later, ''),
    ];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function row(measure: string, times: Times[], later: Times[], goal = `<= ${MAX_RATIO} x later or ${MAX_MS} ms`): Row {
  const [server, floor] = [times, later].map((some) => median(some.map(({ wall }) => wall))) as [number, number];
  const [cpu, floor_cpu] = [times, later].map((some) => median(some.map((one) => one.cpu))) as [number, number];
  const met = goal === '' || server <= Math.max(MAX_MS, MAX_RATIO * floor) ? 'yes' : 'no';
  return { measure, server, floor, ratio: server / floor, cpu, floor_cpu, goal, met };
}

/** A chatbot with pages of made-up words, and questions about them, each of another page. */
async function fillFolder(dir: string): Promise<{ chatbot: string; questions: string[] }> {
  const store = await openLowdbStore({ dir, clock: Date.now });
  const writer = new Writer(PAGES * 20);
  const pages = Array.from({ length: PAGES }, () => writer.page());
  const now = timestamp(Date.now);
  const dated = { created_at: now, modified_at: now };
  const uuid = newUuid();
  const meta = {
    rate_limit: [100, 360] as [number, number],
    rate_limit_message: '',
    show_citations: true,
    visibility: 'public' as const,
  };
  const owner = store.owner.user.uuid;
  await store.createChatbot({ uuid, name: 'Bench', ...dated, meta, owner }, [defaultAgent(uuid, Date.now)]);
  for (const [at, page] of pages.entries()) {
    const file_name = `https://bench.example/${at}`;
    const file = {
      type: 'link' as const,
      status: 'success' as const,
      file_name,
      file_size: page.text.length,
      tokens: 0,
    };
    const source = { uuid: newUuid(), title: page.title, ...file, meta_json: '{}', ...dated };
    await store.createSource({ ...source, chatbot: uuid, identity: file_name });
    await store.putDocument(source.uuid, page);
  }
  await store.close();
  return { chatbot: uuid, questions: Array.from({ length: WARM_QUESTIONS + 1 }, () => writer.question(pages).text) };
}

async function measure(dataDir: string, act: (server: ChildServer) => Promise<void>): Promise<void> {
  const server = await startProcess([MAIN], { ...ENV, DATA_DIR: dataDir });
  try {
    await act(server);
  } finally {
    await server.end();
  }
}

async function timeOf(server: ChildServer, act: () => Promise<void>): Promise<Times> {
  const [start, cpu] = [performance.now(), server.cpu()];
  await act();
  return { wall: performance.now() - start, cpu: (server.cpu() - cpu) / 1e6 };
}

async function untilWarm({ port }: ChildServer): Promise<void> {
  for (;;) {
    const { status } = (await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as { status: string };
    if (status !== 'warming') return;
    await wait(20);
  }
}

async function untilSaved(dataDir: string): Promise<void> {
  const isSaved = (name: string): boolean => name.endsWith('.index');
  while (!(await readdir(join(dataDir, 'indexes'), { recursive: true }).catch(() => [])).some(isSaved)) await wait(50);
}

async function ask({ port }: ChildServer, chatbot: string, query: string): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}/chat/${chatbot}/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const text = await reply.text();
  if (!text.includes('event: done') || !text.includes('"finish_reason":"stop"'))
    throw new Error(`no answer: ${text.slice(-500)}`);
}
