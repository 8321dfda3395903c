import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A process under measure, and what Linux says of it. */
export interface Measured {
  port: number;
  /** Milliseconds from the start to the line that says it listens. */
  startMs: number;
  /** Nanoseconds of CPU so far, all threads: those of garbage collection and of disk writes count. */
  cpu(): number;
  /** KiB. */
  rss(): number;
  end(): Promise<void>;
}

/** Starts `node …args` and waits for the JSON line on its standard output that holds its port. */
export async function startProcess(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Measured> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  // A measure that fails leaves nothing running.
  const end = (): boolean => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  let complaint = '';
  child.stderr.on('data', (piece) => (complaint = `${complaint}${piece}`.slice(-2000)));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await Promise.race([
    portOf(child),
    exited.then(() => Promise.reject(new Error(`${args[0]} ended: ${complaint}`))),
  ]);
  const startMs = performance.now() - began;
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

/** The rest of the output is read and dropped, as a log collector would read it. */
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
    return 0; // the thread has just ended
  }
}

/** Milliseconds until an empty node process writes its first line. */
export function emptyNode(): Promise<number> {
  const began = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['-e', 'console.log(1)'], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.once('data', () => resolve(performance.now() - began));
  });
}

/** Files, sockets among them, that a process here may have open. */
export function openFilesLimit(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  return Number(/Max open files\s+(\d+)/.exec(limits)?.[1] ?? 1024);
}

export const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
