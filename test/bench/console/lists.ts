import { emptyNode, median } from '../server/processes.ts';
import { createChatbot, startFakeModel } from '../server/targets.ts';
import { startMeasured, visitorsOf, type Got, type Measured } from './client.ts';
import { COMMON, conversations, LABEL, PAGE, RARE } from './made-up.ts';
import type { Kept } from './stores.ts';

export interface Row {
  measure: string;
  median: number;
  worst: number;
  /** A request of one record, in the same round. */
  floor: number;
  /** Of the server, with what its visitors cost meanwhile: a busy machine does not change it as much. */
  cpu_ms: number;
  /** The longest delay of the server's event loop meanwhile; the median of the rounds. */
  loop_ms: number;
  goal: string;
  met: string;
}

const ROUNDS = 9;
const [MAX_LIST_MS, MAX_LOOP_MS, MAX_REPLAY_MS] = [200, 20, 300];
const AGENTS = ['Orders', 'Repairs', 'Returns', 'Shipping', 'Accounts'];

/** What is not given was not measured. */
export const rowOf = (measure: string, more: Partial<Row>): Row => ({
  measure,
  median: NaN,
  worst: NaN,
  floor: NaN,
  cpu_ms: NaN,
  loop_ms: NaN,
  goal: '',
  met: '',
  ...more,
});

/** What the console asks of a chatbot with that many conversations. */
export async function measureLists(engine: string, kept: Kept, count: number): Promise<Row[]> {
  const rows: Row[] = [];
  const add = (measure: string, more: Partial<Row>) => rows.push(rowOf(`${engine}: ${measure}`, more));
  const { chatbot, agent } = await prepare(kept);
  console.error(`console: ${engine}: ${count} conversations …`);
  await kept.fill(conversations(chatbot, agent, count));
  const empty = await emptyNode();
  const server = await startMeasured(kept.env);
  try {
    add('start', { median: server.startMs, floor: empty });
    const path = `/api/v1/chatbot/${chatbot}`;
    await server.get(path);
    await server.loopDelay();
    const first = await server.get(`${path}/conversations`);
    add('first list after a start', { median: first.ms, loop_ms: await server.loopDelay() });
    add(...(await buildIndex(server, path)));
    const idle = visitorsOf(server, chatbot);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const alone = await idle.stop();
    const visitors = visitorsOf(server, chatbot);
    const list = `${path}/conversations`;
    const lists: [string, string, (got: Got) => boolean][] = [
      ['first page of the list', list, hasRecords(25)],
      ['search: a word of three conversations', `${list}?search=${RARE}`, hasRecords(3)],
      ['search: a word of each tenth answer', `${list}?search=${COMMON}`, hasRecords(25)],
      ['search: the beginning of a word', `${list}?search=${COMMON.slice(0, 3)}`, hasRecords(25)],
      ['search: two words', `${list}?search=${COMMON}+${RARE.slice(0, 4)}`, () => true],
      ['search: a word of none', `${list}?search=qqqqq`, hasRecords(0)],
      ['search: Han, of none', `${list}?search=${encodeURIComponent('退货')}`, hasRecords(0)],
      ['not known', `${list}?has=unknown`, hasRecords(25)],
      ['voted down, a word', `${list}?has=rated_down&search=${COMMON}`, () => true],
      ['voted up, a word of none', `${list}?has=rated_up&search=qqqqq`, hasRecords(0)],
      ['label', `${list}?label=${LABEL}`, hasRecords(25)],
      ['label of none', `${list}?label=none`, hasRecords(0)],
      ['page', `${list}?page=${PAGE}`, hasRecords(25)],
      ['page of none', `${list}?page=nowhere`, hasRecords(0)],
      ['the oldest days', `${list}?to=${dayBefore(89)}`, hasRecords(25)],
      ['a day that has none', `${list}?to=2001-01-01`, hasRecords(0)],
      ['agent of none', `${list}?agent=${'f'.repeat(32)}`, hasRecords(0)],
    ];
    for (const [measure, address, isRight] of lists)
      add(measure, await repeat(server, path, () => server.get(address), isRight, MAX_LIST_MS));
    const agents = JSON.parse((await server.get(`${path}/agents`)).text) as { uuid: string }[];
    const change = { agents: agents.map(({ uuid }, at) => ({ uuid, bias: at / 10, stickness: 1 })) };
    const replay = () => server.post(`${path}/agents/replay`, change);
    add(
      'replay of 1,000 messages',
      await repeat(server, path, replay, ({ text }) => text.includes('"replayed":1000'), MAX_REPLAY_MS),
    );
    const isGaps = ({ text }: Got): boolean => text.includes('"gaps":[{');
    add('gaps', await repeat(server, path, () => server.get(`${path}/gaps`), isGaps, Infinity, 3));
    const before = server.rss();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, server.rss())), 50);
    await server.loopDelay();
    const exported = await drain(server, `${list}/export?format=csv`);
    clearInterval(watch);
    add(
      `export of all, ${Math.round(exported.bytes / 1e6)} MB (memory grew by ${Math.round((most - before) / 1024)} MiB)`,
      { median: exported.ms, loop_ms: await server.loopDelay() },
    );
    const beside = await visitors.stop();
    add('a visitor’s answer meanwhile (floor: before)', {
      median: median(beside),
      worst: Math.max(...beside),
      floor: median(alone),
    });
    add('a visitor’s answer before: the slowest', { worst: Math.max(...alone) });
    add('memory of the server, MiB', { median: server.rss() / 1024 });
  } finally {
    await server.end();
  }
  const again = await startMeasured(kept.env);
  try {
    await again.get(`/api/v1/chatbot/${chatbot}`);
    await again.loopDelay();
    const found = await again.get(`/api/v1/chatbot/${chatbot}/conversations?search=qqqqq`);
    add('first search after a restart', { median: found.ms, loop_ms: await again.loopDelay() });
    add(...(await buildIndex(again, `/api/v1/chatbot/${chatbot}`)));
  } finally {
    await again.end();
  }
  return rows;
}

/** A chatbot with sources and agents, by a server that ends then. */
export async function prepare(kept: Kept): Promise<{ chatbot: string; agent: string }> {
  const model = await startFakeModel();
  const server = await startMeasured({ ...kept.env, FETCH_ALLOW: `127.0.0.1:${model.port}` });
  try {
    const chatbot = await createChatbot(
      `http://127.0.0.1:${server.port}/api/v1`,
      `http://127.0.0.1:${model.port}/site`,
    );
    for (const name of AGENTS) {
      const made = {
        name,
        type: 'user-facing',
        description: `Answers questions about ${name.toLowerCase()} of the shop`,
      };
      const { uuid } = JSON.parse((await server.post(`/api/v1/chatbot/${chatbot}/agent/create`, made)).text) as {
        uuid: string;
      };
      await server.post(`/api/v1/agent/${uuid}/update`, { enabled: true });
      const examples = ['where', 'how', 'when'].map((word) => `${word} do I see my ${name.toLowerCase()}`);
      await server.post(`/api/v1/agent/${uuid}/routing`, { examples });
    }
    const [first] = JSON.parse((await server.get(`/api/v1/chatbot/${chatbot}/agents`)).text) as { uuid: string }[];
    return { chatbot, agent: first!.uuid };
  } finally {
    await Promise.all([server.end(), model.end()]);
  }
}

/** Searches until one search looks through all. */
async function buildIndex(server: Measured, path: string): Promise<[string, Partial<Row>]> {
  const [start, cpu] = [performance.now(), server.cpu()];
  const worst: number[] = [];
  for (;;) {
    const { ms, next } = await server.get(`${path}/conversations?search=qqqqq`);
    worst.push(ms);
    if (next === '') break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const took = performance.now() - start;
  const loop = await server.loopDelay();
  return [
    `until a search looks through all (worst: of ${worst.length} searches meanwhile)`,
    {
      median: took,
      cpu_ms: (server.cpu() - cpu) / 1e6,
      worst: Math.max(...worst),
      loop_ms: loop,
      goal: `worst <= ${MAX_LIST_MS} ms, loop <= ${MAX_LOOP_MS} ms`,
      met: Math.max(...worst) <= MAX_LIST_MS && loop <= MAX_LOOP_MS ? 'yes' : 'no',
    },
  ];
}

async function repeat(
  server: Measured,
  floorPath: string,
  act: () => Promise<Got>,
  isRight: (got: Got) => boolean,
  most: number,
  rounds = ROUNDS,
): Promise<Partial<Row>> {
  const [times, floors, delays, cpu]: [number[], number[], number[], number[]] = [[], [], [], []];
  let wrong = '';
  for (let round = 0; round < rounds; round++) {
    floors.push((await server.get(floorPath)).ms);
    await server.loopDelay();
    const before = server.cpu();
    const got = await act();
    cpu.push((server.cpu() - before) / 1e6);
    delays.push(await server.loopDelay());
    wrong ||= isRight(got) ? '' : got.text.slice(0, 200);
    times.push(got.ms);
  }
  const [middle, loop] = [median(times), median(delays)];
  return {
    median: middle,
    worst: Math.max(...times),
    floor: median(floors),
    cpu_ms: median(cpu),
    loop_ms: loop,
    goal: Number.isFinite(most) ? `<= ${most} ms, loop <= ${MAX_LOOP_MS} ms` : `loop <= ${MAX_LOOP_MS} ms`,
    met: wrong ? `wrong: ${wrong}` : middle <= most && loop <= MAX_LOOP_MS ? 'yes' : 'no',
  };
}

const hasRecords =
  (count: number) =>
  ({ text }: Got): boolean =>
    (JSON.parse(text) as unknown[]).length === count;

const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

async function drain(server: Measured, path: string): Promise<{ ms: number; bytes: number }> {
  const start = performance.now();
  const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: server.headers });
  let bytes = 0;
  for await (const piece of reply.body!) bytes += (piece as Uint8Array).length;
  return { ms: performance.now() - start, bytes };
}
