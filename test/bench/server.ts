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
import { startFakeModel, startPipe, startServer } from './server/targets.ts';

/**
 * Compares the built server with a node:http pipe to the same fake model, in alternation. `args` selects measures: answer, quote,
 * paced, first, stalled, memory, idle, start.
 */
export async function bench(args: string[]): Promise<Row[]> {
  if (process.platform !== 'linux') throw new Error('this bench reads CPU and memory from /proc: it needs Linux');
  const isSelected = (name: string): boolean => args.length === 0 || args.includes(name);
  const rows: Row[] = [];
  const measure = async (name: string, run: () => Promise<Row | Row[]>): Promise<void> => {
    if (!isSelected(name)) return;
    console.error(`server: ${name} …`);
    rows.push(...[await run()].flat());
  };
  const model = await startFakeModel();
  const [pipe, server, quoting] = await Promise.all([
    startPipe(model),
    startServer(model, true),
    startServer(model, false),
  ]);
  const dataDir = await mkdtemp(join(tmpdir(), 'docent-bench-'));
  try {
    // First, since it warms up the JIT.
    await measure('answer', () => cpuPerAnswer(model, { pipe, server }, 'whole answer of 40 chunks', 1.5));
    await measure('quote', () => cpuPerAnswer(model, { pipe, server: quoting }, 'quoted answer, no model', 0.9));
    await measure('paced', () => cpuPerPacedChunk(model, { pipe, server }));
    await measure('first', () => firstByte(model, { pipe, server }));
    await Promise.all([pipe.end(), server.end(), quoting.end()]);
    await measure('stalled', () => stalledReader(model));
    await measure('memory', () => memoryPerStream(model));
    await measure('idle', () => idleMemory(model));
    await measure('start', () => startTime(dataDir));
  } finally {
    await Promise.all([pipe.end(), server.end(), quoting.end(), model.end()]);
    await rm(dataDir, { recursive: true, force: true });
  }
  return rows;
}
