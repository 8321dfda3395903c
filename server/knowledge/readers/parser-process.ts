import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { FairQueue } from '../../async/fair-queue.ts';
import { Unreadable } from './errors.ts';

export type FileKind = 'pdf' | 'docx' | 'xlsx';

export interface FileToParse {
  bytes: Uint8Array;
  signal: AbortSignal;
  /** Files of different users take turns. */
  user: string;
}

/** A line of the parser's output. `page`, `html` and `row` come in order, long ones in several lines. */
export type ParserLine =
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
/** Milliseconds that a file may take, by its size. */
const MIN_TIME_MS = 20_000;
const MS_PER_MEGABYTE = 5_000;
const MAX_TIME_MS = 120_000;
export const deadlineOf = (bytes: number): number =>
  Math.min(MAX_TIME_MS, MIN_TIME_MS + MS_PER_MEGABYTE * Math.floor(bytes / 1024 ** 2));
/** Parser processes that run at the same time. */
const MAX_PROCESSES = 2;
/** The JavaScript heap; the process also ends itself when it takes 768 MB in all. */
const MAX_HEAP_MEGABYTES = 512;

const queue = new FairQueue({ concurrency: MAX_PROCESSES });

/**
 * Parses a file in a process of its own, two files at a time, users in rotation. Rejects with `Unreadable` where the file
 * is broken or encrypted, and with another error where it exceeds a limit.
 */
export async function* parseFile(kind: FileKind, { bytes, signal, user }: FileToParse): AsyncGenerator<ParserLine> {
  const release = await queue.acquire(user);
  try {
    signal.throwIfAborted();
    yield* parserLines(kind, bytes, signal);
  } finally {
    release();
  }
}

async function* parserLines(kind: FileKind, bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<ParserLine> {
  const child = start(kind);
  // A process that cannot be started emits `error`, which `once` takes: unhandled, it would end the server.
  const ended = once(child, 'close').catch(() => {});
  const kill = (): void => void child.kill('SIGKILL');
  const deadline = deadlineOf(bytes.length);
  const timer = setTimeout(kill, deadline);
  signal.addEventListener('abort', kill, { once: true });
  try {
    child.stdin!.on('error', () => {}).end(bytes);
    for await (const text of createInterface({ input: child.stdout! })) {
      const line = JSON.parse(text) as ParserLine;
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

/** Runs without environment: the file is untrusted, and the environment has API keys. */
function start(kind: FileKind): ChildProcess {
  const program = fileURLToPath(new URL(PROGRAM, import.meta.url));
  const options = [`--max-old-space-size=${MAX_HEAP_MEGABYTES}`, program, kind];
  return spawn(process.execPath, options, { env: {}, stdio: ['pipe', 'pipe', 'ignore'] });
}
