import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { FairQueue } from '../../async/fair-queue.ts';
import { Unreadable } from './errors.ts';

export type Kind = 'pdf' | 'docx' | 'xlsx';

export interface Parsing {
  bytes: Uint8Array;
  signal: AbortSignal;
  /** Whose file it is. */
  user: string;
}

/** What the parser's process says. `page`, `html` and `row` come in order, long ones in several pieces. */
export type Line =
  | { title: string }
  | { page: number; text: string }
  | { html: string }
  | { sheet: string }
  | { row: string[] }
  | { refused: 'no text' | 'content type' }
  | { failed: string }
  | { done: true };

/** The same path beside the sources and beside the built server. */
const PROGRAM = './parser/parse.mjs';
/** Milliseconds that a file may take: a small one little, and each megabyte more. */
const LEAST_TIME = 20_000;
const TIME_PER_MEGABYTE = 5_000;
const MOST_TIME = 120_000;
export const deadlineOf = (bytes: number): number =>
  Math.min(MOST_TIME, LEAST_TIME + TIME_PER_MEGABYTE * Math.floor(bytes / 1024 ** 2));
/** Files read at the same time. */
const AT_ONCE = 2;
/** Megabytes of JavaScript's own memory; the process ends itself when it takes 768 MB in all. */
const HEAP = 512;

const queue = new FairQueue({ concurrency: AT_ONCE });

/**
 * What a file says, line by line, read in a process of its own; two files at a time, users in rotation. Rejects with
 * `Unreadable` where the file is broken or locked, and with other errors where it is too much.
 */
export async function* parsed(kind: Kind, { bytes, signal, user }: Parsing): AsyncGenerator<Line> {
  const release = await queue.acquire(user);
  try {
    signal.throwIfAborted();
    yield* linesOf(kind, bytes, signal);
  } finally {
    release();
  }
}

async function* linesOf(kind: Kind, bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Line> {
  const child = start(kind);
  // A process that could not be started says so here, and is no reason for ours to end.
  const ended = once(child, 'close').catch(() => {});
  const kill = (): void => void child.kill('SIGKILL');
  const deadline = deadlineOf(bytes.length);
  const timer = setTimeout(kill, deadline);
  signal.addEventListener('abort', kill, { once: true });
  try {
    child.stdin!.on('error', () => {}).end(bytes);
    for await (const text of createInterface({ input: child.stdout! })) {
      const line = JSON.parse(text) as Line;
      if ('refused' in line) throw new Unreadable(line.refused);
      if ('failed' in line) throw new Error(line.failed);
      if ('done' in line) return;
      yield line;
    }
    signal.throwIfAborted();
    throw new Error(`reading took too much memory, or more than ${deadline / 1000} seconds`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
    kill();
    await ended;
  }
}

/** The environment, with its keys, is not handed on to what reads a stranger's file. */
function start(kind: Kind): ChildProcess {
  const program = fileURLToPath(new URL(PROGRAM, import.meta.url));
  const options = [`--max-old-space-size=${HEAP}`, program, kind];
  return spawn(process.execPath, options, { env: {}, stdio: ['pipe', 'pipe', 'ignore'] });
}
