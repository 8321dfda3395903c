import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cpuPerAnswer,
  cpuPerPacedChunk,
  firstByte,
  idleMemory,
  memoryPerStream,
  stalledReader,
  startTime,
  type Row,
} from './server/measures.ts';
import { startFake, startPipe, startServer } from './server/targets.ts';

/**
 * The built server against a bare node:http pipe to the same fake model, in the same minute (GOALS: pipe = 1.0). Takes
 * names of measures to run only those: answer, quote, paced, first, stalled, memory, idle, start.
 */
export async function bench(args: string[]): Promise<Row[]> {
  if (process.platform !== 'linux') throw new Error('this bench reads CPU and memory from /proc: it needs Linux');
  const wanted = (name: string): boolean => args.length === 0 || args.includes(name);
  const rows: Row[] = [];
  const measure = async (name: string, run: () => Promise<Row | Row[]>): Promise<void> => {
    if (!wanted(name)) return;
    console.error(`server: ${name} …`);
    rows.push(...[await run()].flat());
  };
  const fake = await startFake();
  const [pipe, server, quoting] = await Promise.all([
    startPipe(fake),
    startServer(fake, true),
    startServer(fake, false),
  ]);
  const dataDir = await mkdtemp(join(tmpdir(), 'docent-bench-'));
  try {
    // The first to run, so that what follows finds compiled code.
    await measure('answer', () => cpuPerAnswer(fake, { pipe, server }, 'whole answer of 40 chunks', 1.5));
    await measure('quote', () => cpuPerAnswer(fake, { pipe, server: quoting }, 'quoted answer, no model', 0.9));
    await measure('paced', () => cpuPerPacedChunk(fake, { pipe, server }));
    await measure('first', () => firstByte(fake, { pipe, server }));
    await Promise.all([pipe.end(), server.end(), quoting.end()]);
    await measure('stalled', () => stalledReader(fake));
    await measure('memory', () => memoryPerStream(fake));
    await measure('idle', () => idleMemory(fake));
    await measure('start', () => startTime(dataDir));
  } finally {
    await Promise.all([pipe.end(), server.end(), quoting.end(), fake.end()]);
    await rm(dataDir, { recursive: true, force: true });
  }
  return rows;
}
