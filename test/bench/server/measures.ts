import { setTimeout as sleep } from 'node:timers/promises';
import { ask, askMany, hold, type Target } from './asking.ts';
import { emptyNode, median, openFilesLimit, startProcess, type Measured } from './processes.ts';
import { direct, ENV, MAIN, startPipe, startServer, type Fake, type Running } from './targets.ts';

/** Each measure runs pipe and server in turns, several rounds, and takes medians: the machine is shared and noisy. */

export interface Row {
  measure: string;
  server: number;
  /** The floor: the bare pipe, or what the measure names. */
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

/** Microseconds of CPU a second that the process spends on nothing. */
async function idleCpu(process: Measured): Promise<number> {
  const before = process.cpu();
  await sleep(500);
  return (process.cpu() - before) / 500;
}

export async function cpuPerPacedChunk(fake: Fake, compared: Compared): Promise<Row> {
  const streams = 100;
  const one = async (running: Running): Promise<number> => {
    const idle = await idleCpu(running);
    await fake.tell({ mode: 'paced', pace: 20 });
    // Spread over one pace, as visitors are: each token is a network event of its own.
    const opening = Array.from({ length: streams }, async (_, at) => {
      await sleep((at * 20) / streams);
      return hold(running.target, running.target.firstText);
    });
    const held = await Promise.all(opening);
    await sleep(300);
    const [cpu, { written }, began] = [running.cpu(), await fake.count(), performance.now()];
    await sleep(2500);
    const [cpuAfter, after, seconds] = [running.cpu(), await fake.count(), (performance.now() - began) / 1000];
    await fake.tell({ release: true });
    await whole(held, after.written - written);
    return ((cpuAfter - cpu) / 1000 - idle * seconds) / (after.written - written);
  };
  const { pipe, server } = await rounds(3, compared, one);
  return ratioRow('CPU per paced chunk, 100 streams at 50/s (µs)', server, pipe, 1.2);
}

const ended = (reply: string): boolean => reply.includes('[DONE]') || reply.includes('event: done');

/** Nothing is lost: every stream has come to its end. */
async function whole(held: Awaited<ReturnType<typeof hold>>[], chunks: number): Promise<void> {
  for (let tries = 0; tries < 100 && !held.every((one) => ended(one.received())); tries += 1) await sleep(50);
  const missing = held.filter((one) => !ended(one.received())).length;
  for (const { socket } of held) socket.destroy();
  if (missing > 0 || chunks < 1000) throw new Error(`${missing} paced streams did not end; ${chunks} chunks`);
}

export async function cpuPerAnswer(fake: Fake, compared: Compared, what: string, most: number): Promise<Row> {
  await fake.tell({ mode: 'whole' });
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

/** Fresh processes: in one that has worked, new streams would fill memory that is there already. */
export async function memoryPerStream(fake: Fake): Promise<Row> {
  // A stream is two sockets of the process, and it has files of its own.
  const streams = Math.min(9900, Math.floor((openFilesLimit() - 1000) / 2));
  const one = async (running: Running): Promise<number> => {
    await fake.tell({ mode: 'whole' });
    await askMany(running.target, 400, 16);
    await fake.tell({ mode: 'held' });
    await sleep(1000);
    const before = running.rss();
    const held = await openMany(running.target, streams);
    await sleep(2000);
    const kib = (running.rss() - before) / streams;
    const { open } = await fake.count();
    for (const { socket } of held) socket.destroy();
    await fake.tell({ release: true });
    await running.end();
    if (open !== streams) throw new Error(`${open} of ${streams} streams were open`);
    return kib;
  };
  const pipe = await one(await startPipe(fake));
  const server = await one(await startServer(fake, true));
  return row(`memory per open stream, ${streams} open (KiB)`, server, pipe, '<= 30 KiB', server <= 30);
}

async function openMany(target: Target, count: number): Promise<Awaited<ReturnType<typeof hold>>[]> {
  const held: Awaited<ReturnType<typeof hold>>[] = [];
  let left = count;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      held.push(await hold(target, target.firstText));
    }
  };
  await Promise.all(Array.from({ length: 64 }, one));
  return held;
}

export async function firstByte(fake: Fake, compared: Compared): Promise<Row[]> {
  await fake.tell({ mode: 'whole' });
  const bare = direct(fake);
  const times = { bare: [] as number[], pipe: [] as number[], server: [] as number[] };
  for (let round = 0; round < 5; round += 1) {
    times.bare.push(...(await askMany(bare, 60, 1)));
    times.pipe.push(...(await askMany(compared.pipe.target, 60, 1)));
    times.server.push(...(await askMany(compared.server.target, 60, 1)));
  }
  const [pipe, server] = [median(times.pipe) - median(times.bare), median(times.server) - median(times.bare)];
  const burst = await rounds(7, compared, async ({ target }) => median(await arrivals(target)));
  return [
    ratioRow('first text added, one at a time, p50 (ms)', server, pipe, 2),
    ratioRow('first text, 100 arrivals in 0.1 s, p50 (ms)', burst.server, burst.pipe, 5),
  ];
}

/** A hundred questions, one each millisecond. */
function arrivals(target: Target): Promise<number[]> {
  const one = async (_: unknown, at: number): Promise<number> => {
    await sleep(at);
    return ask(target);
  };
  return Promise.all(Array.from({ length: 100 }, one));
}

/** Readers that read nothing after the first event of a long answer, while it is made, stored and over. */
export async function stalledReader(fake: Fake): Promise<Row> {
  const [readers, answer] = [200, 95 * 4096];
  const server = await startServer(fake, true);
  await askMany(server.target, 400, 16);
  await sleep(1000);
  await fake.tell({ mode: 'large' });
  const before = server.rss();
  const stalled: Awaited<ReturnType<typeof hold>>[] = [];
  for (let at = 0; at < readers; at += 1) stalled.push(await hold(server.target, 'event: message', true));
  await sleep(3000);
  const kib = (server.rss() - before) / readers;
  for (const { socket } of stalled) socket.destroy();
  await server.end();
  const most = 64 + answer / 1024;
  return row(`a stalled reader of a ${answer / 1024} KiB answer (KiB)`, kib, most, '64 KiB + the answer', kib <= most);
}

export async function idleMemory(fake: Fake): Promise<Row> {
  await fake.tell({ mode: 'whole' });
  const server = await startServer(fake, true);
  await ask(server.target);
  await sleep(2000);
  const mb = (server.rss() * 1024) / 1e6;
  await server.end();
  return row('idle process after the first answer (MB)', mb, 90, '<= 90 MB', mb <= 90);
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
