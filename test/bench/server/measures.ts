import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, askMany, openStream, type OpenStream, type Target } from './requests.ts';
import { emptyNode, median, openFilesLimit, startProcess, type ChildServer } from './processes.ts';
import { directTarget, ENV, MAIN, startPipe, startServer, type FakeModel, type Running } from './targets.ts';

/** Each measure alternates between pipe and server for several rounds and takes medians, since other work shares the machine. */

export interface Row {
  measure: string;
  server: number;
  /** The baseline: the pipe, or what the measure names. */
  floor: number;
  ratio: number;
  goal: string;
  met: 'yes' | 'no';
}

type Compared = { pipe: Running; server: Running };

const row = (measure: string, server: number, floor: number, goal: string, met: boolean): Row => ({
  measure,
  server,
  floor,
  ratio: server / floor,
  goal,
  met: met ? 'yes' : 'no',
});

const ratioRow = (measure: string, server: number, floor: number, most: number): Row =>
  row(measure, server, floor, `<= ${most} x floor`, server <= most * floor);

/** CPU of the idle process, in µs per second. */
async function idleCpu(process: ChildServer): Promise<number> {
  const before = process.cpu();
  await sleep(500);
  return (process.cpu() - before) / 500;
}

export async function cpuPerPacedChunk(model: FakeModel, compared: Compared): Promise<Row> {
  const count = 100;
  const one = async (running: Running): Promise<number> => {
    const idle = await idleCpu(running);
    await model.control({ mode: 'paced', pace: 20 });
    // Starts are spread over one interval, so that each chunk is a network event of its own.
    const opening = Array.from({ length: count }, async (_, at) => {
      await sleep((at * 20) / count);
      return openStream(running.target, running.target.firstText);
    });
    const streams = await Promise.all(opening);
    await sleep(300);
    const [cpu, { written }, began] = [running.cpu(), await model.count(), performance.now()];
    await sleep(2500);
    const [cpuAfter, after, seconds] = [running.cpu(), await model.count(), (performance.now() - began) / 1000];
    await model.control({ release: true });
    await finishAll(streams, after.written - written);
    return ((cpuAfter - cpu) / 1000 - idle * seconds) / (after.written - written);
  };
  const { pipe, server } = await rounds(3, compared, one);
  return ratioRow('CPU per paced chunk, 100 streams at 50/s (µs)', server, pipe, 1.2);
}

const hasEnded = (reply: string): boolean => reply.includes('[DONE]') || reply.includes('event: done');

/** Waits until every stream has ended; throws where one does not, or with fewer than 1,000 chunks in all. */
async function finishAll(streams: OpenStream[], chunks: number): Promise<void> {
  for (let tries = 0; tries < 100 && !streams.every((one) => hasEnded(one.received())); tries += 1) await sleep(50);
  const missing = streams.filter((one) => !hasEnded(one.received())).length;
  for (const { socket } of streams) socket.destroy();
  if (missing > 0 || chunks < 1000) throw new Error(`${missing} paced streams did not end; ${chunks} chunks`);
}

export async function cpuPerAnswer(model: FakeModel, compared: Compared, what: string, most: number): Promise<Row> {
  await model.control({ mode: 'whole' });
  const count = 600;
  await askMany(compared.server.target, count, 16);
  await askMany(compared.pipe.target, count, 16);
  const { pipe, server } = await rounds(5, compared, async (running) => {
    const before = running.cpu();
    await askMany(running.target, count, 16);
    return (running.cpu() - before) / 1000 / count;
  });
  return ratioRow(`CPU per ${what} (µs)`, server, pipe, most);
}

async function rounds(
  count: number,
  { pipe, server }: Compared,
  one: (running: Running) => Promise<number>,
): Promise<{ pipe: number; server: number }> {
  const figures = { pipe: [] as number[], server: [] as number[] };
  for (let round = 0; round < count; round += 1) {
    figures.pipe.push(await one(pipe));
    figures.server.push(await one(server));
  }
  return { pipe: median(figures.pipe), server: median(figures.server) };
}

/** Starts new processes: one that has served before has freed memory that new streams would reuse. */
export async function memoryPerStream(model: FakeModel): Promise<Row> {
  // A stream takes two sockets of the process, which has other files open too.
  const count = Math.min(9900, Math.floor((openFilesLimit() - 1000) / 2));
  const one = async (running: Running): Promise<number> => {
    await model.control({ mode: 'whole' });
    await askMany(running.target, 400, 16);
    await model.control({ mode: 'held' });
    await sleep(1000);
    const before = running.rss();
    const streams = await openMany(running.target, count);
    await sleep(2000);
    const kib = (running.rss() - before) / count;
    const { open } = await model.count();
    for (const { socket } of streams) socket.destroy();
    await model.control({ release: true });
    await running.end();
    if (open !== count) throw new Error(`${open} of ${count} streams were open`);
    return kib;
  };
  const pipe = await one(await startPipe(model));
  const server = await one(await startServer(model, true));
  return row(`memory per open stream, ${count} open (KiB)`, server, pipe, '<= 30 KiB', server <= 30);
}

async function openMany(target: Target, count: number): Promise<OpenStream[]> {
  const streams: OpenStream[] = [];
  let left = count;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      streams.push(await openStream(target, target.firstText));
    }
  };
  await Promise.all(Array.from({ length: 64 }, one));
  return streams;
}

export async function firstByte(model: FakeModel, compared: Compared): Promise<Row[]> {
  await model.control({ mode: 'whole' });
  const direct = directTarget(model);
  const times = { direct: [] as number[], pipe: [] as number[], server: [] as number[] };
  for (let round = 0; round < 5; round += 1) {
    times.direct.push(...(await askMany(direct, 60, 1)));
    times.pipe.push(...(await askMany(compared.pipe.target, 60, 1)));
    times.server.push(...(await askMany(compared.server.target, 60, 1)));
  }
  const [pipe, server] = [median(times.pipe) - median(times.direct), median(times.server) - median(times.direct)];
  const burst = await rounds(7, compared, async ({ target }) => median(await burstOf100(target)));
  return [
    ratioRow('first text added, one at a time, p50 (ms)', server, pipe, 2),
    ratioRow('first text, 100 arrivals in 0.1 s, p50 (ms)', burst.server, burst.pipe, 5),
  ];
}

/** Sends 100 questions, one per millisecond. */
function burstOf100(target: Target): Promise<number[]> {
  const one = async (_: unknown, at: number): Promise<number> => {
    await sleep(at);
    return ask(target);
  };
  return Promise.all(Array.from({ length: 100 }, one));
}

/** Memory per client that stops reading after the first event of a long answer. */
export async function stalledReader(model: FakeModel): Promise<Row> {
  const [readers, answerBytes] = [200, 95 * 4096];
  const server = await startServer(model, true);
  await askMany(server.target, 400, 16);
  await sleep(1000);
  await model.control({ mode: 'large' });
  const before = server.rss();
  const stalled: OpenStream[] = [];
  for (let at = 0; at < readers; at += 1) stalled.push(await openStream(server.target, 'event: message', true));
  await sleep(3000);
  const kib = (server.rss() - before) / readers;
  for (const { socket } of stalled) socket.destroy();
  await server.end();
  const most = 64 + answerBytes / 1024;
  return row(
    `a stalled reader of a ${answerBytes / 1024} KiB answer (KiB)`,
    kib,
    most,
    '64 KiB + the answer',
    kib <= most,
  );
}

/** V8 gives memory back once nothing has happened for some time. */
const IDLE_MS = 120_000;
const MAX_IDLE_MB = 90;

/** Resident memory of a process that nobody asks anything: as it starts, and after a site was read and one answer given. */
export async function idleMemory(model: FakeModel): Promise<Row[]> {
  await model.control({ mode: 'whole' });
  const dataDir = await mkdtemp(join(tmpdir(), 'docent-bench-'));
  const started = await startProcess([MAIN], { ...ENV, DATA_DIR: dataDir });
  const asked = await startServer(model, true);
  await ask(asked.target);
  await sleep(IDLE_MS);
  const [before, after] = [started, asked].map((server) => (server.rss() * 1024) / 1e6) as [number, number];
  await Promise.all([started.end(), asked.end()]);
  await rm(dataDir, { recursive: true, force: true });
  return [
    row('idle process (MB)', before, MAX_IDLE_MB, `<= ${MAX_IDLE_MB} MB`, before <= MAX_IDLE_MB),
    row('idle process after the first answer (MB)', after, MAX_IDLE_MB, `<= ${MAX_IDLE_MB} MB`, after <= MAX_IDLE_MB),
  ];
}

export async function startTime(dataDir: string): Promise<Row> {
  const [servers, empty] = [[] as number[], [] as number[]];
  for (let round = 0; round < 7; round += 1) {
    empty.push(await emptyNode());
    const server = await startProcess([MAIN], { ...ENV, DATA_DIR: dataDir });
    servers.push(server.startMs);
    await server.end();
  }
  return ratioRow('start to listening, against an empty node (ms)', median(servers), median(empty), 4);
}
