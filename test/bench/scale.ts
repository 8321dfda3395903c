import { loadavg, availableParallelism } from 'node:os';
import { startFakeModel, type FakeModel } from './server/targets.ts';
import { startCluster, startDatabase, type Cluster, type Database } from './scale/cluster.ts';
import { durableMessage } from './scale/durable.ts';
import { killOne, type KilledRow } from './scale/killing.ts';
import { alternate, holdStreams, loadWidget, middle, times, type Measured } from './scale/loads.ts';
import { memoryOver, type MemoryRow } from './scale/memory.ts';
import { Visitors, type Times } from './scale/visitors.ts';

/**
 * One server on files, and one and several on PostgreSQL that waits for the disk, behind a round-robin of the bench itself. All share
 * the machine with the bench, the database and the fake model, which writes 40 chunks at 50 a second.
 *
 * `args`: measures, all without one: widget, quoted, model, streams, kill, durable, memory; `--quick` for a size of seconds.
 */
export async function bench(args: string[]): Promise<Result> {
  if (process.platform !== 'linux') throw new Error('this bench reads CPU and memory from /proc: it needs Linux');
  const size = args.includes('--quick') ? QUICK : FULL;
  const names = args.filter((arg) => !arg.startsWith('-'));
  const unknown = names.find((name) => !MEASURES.includes(name));
  if (unknown) throw new Error(`no such measure: ${unknown}; there are: ${MEASURES.join(', ')}`);
  const isSelected = (name: string): boolean => names.length === 0 || names.includes(name);
  const before = loadavg()[0]!;
  const model = await startFakeModel();
  const database = await startDatabase();
  const result: Result = { machine: '', loads: [], cpu_ms: [], killed: [], memory: [], goals: [] };
  const parts = { result, size, model, database, isSelected };
  try {
    await withoutModel(parts);
    await withModel(parts);
    if (isSelected('durable')) {
      const { message, insert } = await durableMessage(database, size.durable);
      result.goals.push(goal('a durable message, against a bare INSERT (ms)', message, insert, '<=', 1.5));
    }
    if (isSelected('memory')) {
      result.memory = await memoryOver(model, database, size.sessions);
      const [first, last] = [result.memory[0]!.rss_mb, result.memory.at(-1)!.rss_mb];
      result.goals.push(goal('memory after the most sessions, against the fewest (MB)', last, first, '<=', 1.2));
    }
  } finally {
    await Promise.all([model.end(), database.stop()]);
  }
  const load = [before, loadavg()[0]!].map((one) => one.toFixed(1));
  result.machine = `${availableParallelism()} cores; load average ${load[0]} before, ${load[1]} after`;
  return result;
}

const MEASURES = ['widget', 'quoted', 'model', 'streams', 'kill', 'durable', 'memory'];

/** Of each round, on each cluster. */
interface Sizes {
  processes: number[];
  rounds: number;
  widgets: number;
  asks: number;
  /** Answers of the model, all at once. */
  answers: number;
  streams: number;
  kill: { visitors: number; seconds: number };
  durable: number;
  sessions: number[];
}

const FULL: Sizes = {
  processes: [1, 2, 4],
  rounds: 3,
  widgets: 400,
  asks: 400,
  answers: 200,
  streams: 2000,
  kill: { visitors: 50, seconds: 8 },
  durable: 15,
  sessions: [10_000, 50_000, 100_000],
};
const QUICK: Sizes = {
  processes: [1, 2],
  rounds: 1,
  widgets: 10,
  asks: 24,
  answers: 10,
  streams: 20,
  kill: { visitors: 4, seconds: 1 },
  durable: 1,
  sessions: [32, 64],
};

interface LoadRow {
  servers: string;
  measure: string;
  a_second: number;
  first_byte_ms: number;
  first_byte_p99: number;
  first_text_ms: number;
}

interface CpuRow {
  servers: string;
  each: string;
  servers_ms: number;
  database_ms: number;
  bench_ms: number;
}

interface GoalRow {
  measure: string;
  value: number;
  floor: number;
  ratio: number;
  goal: string;
  met: 'yes' | 'no';
}

interface Result {
  machine: string;
  loads: LoadRow[];
  cpu_ms: CpuRow[];
  killed: KilledRow[];
  memory: MemoryRow[];
  goals: GoalRow[];
}

interface Parts {
  result: Result;
  size: Sizes;
  model: FakeModel;
  database: Database;
  isSelected: (name: string) => boolean;
}

function goal(measure: string, value: number, floor: number, sign: '<=' | '>=', ratio: number): GoalRow {
  const isMet = sign === '<=' ? value <= ratio * floor : value >= ratio * floor;
  return { measure, value, floor, ratio: value / floor, goal: `${sign} ${ratio}`, met: isMet ? 'yes' : 'no' };
}

/** On files, and on PostgreSQL. */
async function startAll({ size, model, database }: Parts, hasModel: boolean): Promise<Cluster[]> {
  const clusters = [await startCluster(model, { processes: 1, withModel: hasModel })];
  for (const processes of size.processes)
    clusters.push(await startCluster(model, { processes, database, withModel: hasModel }));
  return clusters;
}

async function withoutModel(parts: Parts): Promise<void> {
  const { size, isSelected } = parts;
  if (!isSelected('widget') && !isSelected('quoted')) return;
  const clusters = await startAll(parts, false);
  try {
    // First, since it warms up the JIT.
    for (const cluster of clusters) await asks(size.asks, 16, false)(cluster);
    if (isSelected('widget')) {
      const loaded = await measure(parts, clusters, 'widget load', (cluster) =>
        times(size.widgets, 16, () => loadWidget(cluster)),
      );
      scaleGoal(parts, 'widget loads a second', clusters, loaded);
    }
    if (!isSelected('quoted')) return;
    const alone = await measure(parts, clusters, 'quoted answer, one at a time', asks(size.asks / 8, 1, false));
    const many = await measure(parts, clusters, 'quoted answer, 16 at a time', asks(size.asks, 16, false));
    compare(parts, 'quoted answer', clusters, { alone, many });
    scaleGoal(parts, 'quoted answers a second', clusters, many);
  } finally {
    await Promise.all(clusters.map((cluster) => cluster.end()));
  }
}

async function withModel(parts: Parts): Promise<void> {
  const { size, isSelected, model, result } = parts;
  if (!['model', 'streams', 'kill'].some(isSelected)) return;
  const clusters = await startAll(parts, true);
  try {
    await model.control({ mode: 'timed', pace: 20 });
    for (const cluster of clusters) await asks(size.answers, size.answers, true)(cluster);
    if (isSelected('model')) {
      const alone = await measure(parts, clusters, "model's answer, 5 at a time", asks(size.answers / 10, 5, true));
      const measureName = `model's answer, ${size.answers} at a time`;
      const many = await measure(parts, clusters, measureName, asks(2 * size.answers, size.answers, true));
      compare(parts, "model's answer", clusters, { alone, many });
    }
    for (const cluster of clusters) {
      if (isSelected('streams')) {
        console.error(`scale: ${size.streams} open streams, ${cluster.name} …`);
        const held = await holdStreams(model, cluster, size.streams);
        result.loads.push({
          ...EMPTY_LOAD,
          servers: cluster.name,
          measure: `${held} open streams held, all ended whole`,
        });
      }
      if (!isSelected('kill')) continue;
      console.error(`scale: killing one of ${cluster.name} …`);
      result.killed.push(await killOne(model, cluster, size.kill));
    }
  } finally {
    await Promise.all(clusters.map((cluster) => cluster.end()));
  }
}

const EMPTY_LOAD = { a_second: NaN, first_byte_ms: NaN, first_byte_p99: NaN, first_text_ms: NaN };

/** Whose answers are read back after the measure. */
const asked: Visitors[] = [];

/** Questions, whose answers are checked. */
const asks =
  (count: number, atOnce: number, hasModel: boolean) =>
  async (cluster: Cluster): Promise<Times[]> => {
    const visitors = new Visitors(cluster, hasModel);
    const taken = await times(Math.ceil(count), atOnce, () => visitors.ask());
    asked.push(visitors);
    return taken;
  };

async function measure(
  { result, size, database }: Parts,
  clusters: Cluster[],
  name: string,
  act: (cluster: Cluster) => Promise<(Times | undefined)[]>,
): Promise<Measured> {
  console.error(`scale: ${name} …`);
  const measured = await alternate(clusters, size.rounds, database, act);
  for (const visitors of asked.splice(0)) await visitors.check();
  for (const cluster of clusters) {
    const load = middle(measured, cluster);
    result.loads.push({
      servers: cluster.name,
      measure: name,
      a_second: load.rate,
      first_byte_ms: load.byte,
      first_byte_p99: load.byte99,
      first_text_ms: load.text,
    });
    result.cpu_ms.push({
      servers: cluster.name,
      each: name,
      servers_ms: load.ours,
      database_ms: load.database,
      bench_ms: load.generator,
    });
  }
  return measured;
}

/** One process on PostgreSQL against one on files. */
function compare(
  { result }: Parts,
  what: string,
  [files, one]: Cluster[],
  { alone, many }: { alone: Measured; many: Measured },
): void {
  const [onFiles, onDatabase] = [middle(alone, files!), middle(alone, one!)];
  const [cpuOnFiles, cpuOnDatabase] = [middle(many, files!).ours, middle(many, one!).ours];
  result.goals.push(
    goal(`${what}: first byte p50, PostgreSQL against files (ms)`, onDatabase.byte, onFiles.byte, '<=', 1.2),
    goal(`${what}: first text p50, PostgreSQL against files (ms)`, onDatabase.text, onFiles.text, '<=', 1.2),
    goal(`${what}: CPU of the servers, PostgreSQL against files (ms)`, cpuOnDatabase, cpuOnFiles, '<=', 1.3),
  );
}

/** The most processes against one, on PostgreSQL. */
function scaleGoal({ result }: Parts, what: string, clusters: Cluster[], measured: Measured): void {
  const [one, most] = [clusters[1]!, clusters.at(-1)!];
  const [slow, fast] = [middle(measured, one).rate, middle(measured, most).rate];
  result.goals.push(goal(`${what}, ${most.processes} processes against 1`, fast, slow, '>=', 1.8));
}
