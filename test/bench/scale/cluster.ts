import { mkdtemp, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSchema } from '../../store/postgres/fixture.ts';
import { startPostgres, type PostgresServer } from '../../store/postgres/server.ts';
import { startProcess, type ChildServer } from '../server/processes.ts';
import { createChatbot, ENV, MAIN, type FakeModel } from '../server/targets.ts';

/** Servers of one store, each a process of the built server, and how their visitors reach them. */
export interface Cluster {
  name: string;
  processes: number;
  /** They have a database. */
  isShared: boolean;
  chatbot: string;
  servers: ChildServer[];
  /** The port of the next server in turn. */
  next(): number;
  /** Milliseconds of CPU of all its processes so far. */
  cpu(): number;
  /** SIGKILL to one of them. */
  kill(at: number): Promise<void>;
  /** In place of one that was killed, at another port. */
  restart(at: number): Promise<void>;
  end(): Promise<void>;
}

export interface Size {
  processes: number;
  /** On files without it. */
  database?: Database | undefined;
  /** Without it answers quote. */
  withModel: boolean;
}

export interface Database extends PostgresServer {
  /** Milliseconds of CPU of all its processes so far; NaN for one that runs elsewhere. */
  cpu(): number;
}

/** Milliseconds of a tick, in which /proc/PID/stat counts. */
const TICK_MS = 10;

/** A server of its own that waits for the disk, unless DATABASE_URL names one. */
export async function startDatabase(): Promise<Database> {
  const server = await startPostgres({ isDurable: true });
  if (!server) throw new Error('the bench scale needs PostgreSQL: install it, or set DATABASE_URL');
  const { pid } = server;
  return { ...server, cpu: () => (pid === undefined ? NaN : cpuOfTree(pid)) };
}

/** Of a process and its children, those that have ended included. */
function cpuOfTree(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  const ticks = children.reduce((sum, child) => sum + ticksOf(child, 2), ticksOf(String(pid), 4));
  return ticks * TICK_MS;
}

/** The first `count` of: user and system time, those of children that have ended. */
function ticksOf(pid: string, count: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 11 + count).reduce((sum, field) => sum + Number(field), 0);
  } catch {
    return 0; // It has just ended: it counts with its parent's.
  }
}

export async function startCluster(model: FakeModel, { processes, database, withModel }: Size): Promise<Cluster> {
  const schema = database && (await makeSchema(database.url));
  const folders: string[] = [];
  const start = async (at: number): Promise<ChildServer> => {
    folders[at] ??= await mkdtemp(join(tmpdir(), 'docent-bench-'));
    return startProcess([MAIN], {
      ...ENV,
      DATA_DIR: folders[at],
      FETCH_ALLOW: `127.0.0.1:${model.port}`,
      ...(schema && { DATABASE_URL: schema.url }),
      ...(withModel && { LLM_BASE_URL: `http://127.0.0.1:${model.port}/v1`, LLM_MODEL: 'fake' }),
    });
  };
  const servers: ChildServer[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.end()));
    await schema?.drop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  };
  try {
    for (let at = 0; at < processes; at++) servers.push(await start(at));
    const [first] = servers as [ChildServer];
    const chatbot = await createChatbot(`http://127.0.0.1:${first.port}/api/v1`, `http://127.0.0.1:${model.port}/site`);
    let turn = 0;
    return {
      name: `${schema ? 'PostgreSQL' : 'files'}, ${processes} ${processes === 1 ? 'process' : 'processes'}`,
      processes,
      isShared: schema !== undefined,
      chatbot,
      servers,
      next: () => servers[turn++ % processes]!.port,
      cpu: () => servers.reduce((sum, server) => sum + server.cpu(), 0) / 1e6,
      kill: (at) => servers[at]!.end(),
      async restart(at) {
        servers[at] = await start(at);
      },
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}
