import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A child process with its figures from /proc. */
export interface ChildServer {
  port: number;
  /** Time from spawn until the line with its port, in ms. */
  startMs: number;
  /** CPU time so far in ns, of all threads, garbage collection and disk writes included. */
  cpu(): number;
  /** Resident memory in KiB. */
  rss(): number;
  end(): Promise<void>;
}

/** Starts `node …args` and waits for the JSON line on its standard output that holds its port. */
export async function startProcess(args: string[], env: NodeJS.ProcessEnv = {}): Promise<ChildServer> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  // Leaves nothing running when a measure fails.
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  let stderr = '';
  child.stderr.on('data', (piece) => (stderr = `${stderr}${piece}`.slice(-2000)));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await Promise.race([
    portOf(child),
    exited.then(() => Promise.reject(new Error(`${args[0]} ended: ${stderr}`))),
  ]);
  const startMs = performance.now() - start;
  const proc = `/proc/${child.pid}`;
  return {
    port,
    startMs,
    cpu: () => readdirSync(`${proc}/task`).reduce((sum, thread) => sum + threadCpu(`${proc}/task/${thread}`), 0),
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`${proc}/status`, 'utf8'))?.[1]),
    end() {
      child.kill('SIGKILL');
      return exited;
    },
  };
}

/** Keeps reading the output after that, as a log collector does. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    if (!child.stdout) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const port = line.includes('"port"') ? (JSON.parse(line) as { port?: number }).port : undefined;
      if (port) resolve(port);
    });
  });
}

function threadCpu(task: string): number {
  try {
    return Number(readFileSync(`${task}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0; // The thread has just ended.
  }
}

/** Milliseconds until an empty node process writes its first line. */
export function emptyNode(): Promise<number> {
  const start = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['-e', 'console.log(1)'], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.once('data', () => resolve(performance.now() - start));
  });
}

/** The limit of open files and sockets per process. */
export function openFilesLimit(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  return Number(/Max open files\s+(\d+)/.exec(limits)?.[1] ?? 1024);
}

export const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
