import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { readConfig, type Config } from '../config.ts';
import { archiveStream } from '../control/archive-stream.ts';
import { importTarget, openReader } from '../control/open-store.ts';
import { streamFromSocket } from '../control/socket.ts';
import { newUuid } from '../schema/ids.ts';
import { objectIn } from '../schema/json.ts';
import type { ArchiveEnd, Counts } from '../store/archive/format.ts';
import { importArchive } from '../store/archive/import.ts';
import { EXIT_INTERRUPTED, pluralize, type LateCommand, type Terminal } from './command.ts';
import { checkServer, throughServer } from './connect.ts';
import { clearBar } from './progress.ts';

/** Milliseconds between two lines of progress. */
const SHOW_MS = 200;
/** Of the end of an archive: more than its last line. */
const TAIL_BYTES = 4096;

export const archiveCommands: Record<string, LateCommand> = {
  export: {
    synopsis: 'FILE',
    summary: 'write all there is into one file, while servers run',
    details: `FILE is replaced once the archive is whole. A name that ends in .gz is compressed; - is standard output. The archive holds visitors'
conversations, what keys are checked with, and the secrets that functions send: only you can read the file.
`,
    minWords: 1,
    maxWords: 1,
    async actLate(_, [path = ''], _options, terminal, env) {
      const config = readConfig(env);
      const { source, close } = await openArchive(config);
      const stopped = new AbortController();
      const ignore = terminal.onInterrupt?.(() => {
        stopped.abort();
        source.destroy(new Error('stopped'));
      });
      try {
        const counts = await (path === '-'
          ? copy(source, { stream: terminal.stdout!, name: 'to standard output' }, terminal)
          : save(source, path, terminal));
        terminal.err(`exported ${describeCounts(counts)}\n`);
        return 0;
      } catch (error) {
        if (stopped.signal.aborted) return EXIT_INTERRUPTED;
        throw error;
      } finally {
        ignore?.();
        await close();
      }
    },
  },
  import: {
    synopsis: 'FILE [--replace]',
    summary: 'put an archive into an empty data folder or database, whole or not at all',
    details: `No server may run meanwhile. FILE may be compressed; - is standard input. What is there already is only replaced with --replace, which
deletes all of it.
`,
    minWords: 1,
    maxWords: 1,
    options: { replace: { type: 'boolean' } },
    async actLate(_, [path = ''], { replace = false }, terminal, env) {
      const size = path === '-' ? undefined : (await stat(path)).size;
      const source = path === '-' ? terminal.stdin! : createReadStream(path);
      const progress = createProgress(terminal, size);
      const chunks = pipelineTo(source, progress.count);
      const options = { clock: Date.now, replaces: replace };
      const counts = await importArchive(chunks, importTarget(readConfig(env)), options).finally(progress.end);
      terminal.err(`imported ${describeCounts(counts)}\n`);
      return 0;
    },
  },
};

/** From the server that has the folder; where there is none, from the folder or the database itself. */
const openArchive = (config: Config): Promise<{ source: Readable; close(): Promise<void> }> =>
  throughServer(
    async () => {
      await checkServer(config);
      const source = await streamFromSocket(config.dataDir, '/control/export');
      return { source, close: () => Promise.resolve() };
    },
    async () => {
      const reader = await openReader(config, Date.now);
      return { source: archiveStream(reader, Date.now), close: () => reader.close() };
    },
  );

/** Writes beside the file first: it is whole, or as it was. */
async function save(source: Readable, path: string, terminal: Terminal): Promise<Counts> {
  const there = await stat(path).catch(() => undefined);
  if (there && !there.isFile()) throw new Error(`${path} is no file`);
  const temporary = `${path}.${newUuid()}.tmp`;
  try {
    const file = createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true });
    const counts = await copy(source, { stream: file, name: path }, terminal, path.endsWith('.gz'));
    await rename(temporary, path);
    return counts;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

interface Target {
  stream: NodeJS.WritableStream;
  /** As it stands behind "cannot write". */
  name: string;
}

async function copy(source: Readable, { stream: to, name }: Target, terminal: Terminal, zips = false): Promise<Counts> {
  const progress = createProgress(terminal);
  let tail = Buffer.alloc(0);
  const watch = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES);
      progress.count(chunk.length);
      yield chunk;
    }
  };
  const end = to === terminal.stdout ? { end: false } : {};
  let refused: unknown;
  to.once('error', (error) => (refused = error));
  try {
    if (zips) await pipeline(source, watch, createGzip(), to, end);
    else await pipeline(source, watch, to, end);
  } catch (error) {
    if (error !== refused) throw error;
    throw new Error(`cannot write ${name}: ${(error as Error).message}`, { cause: error });
  } finally {
    progress.end();
  }
  const last = tail.toString().trimEnd().split('\n').at(-1)!;
  const { counts } = (objectIn(last)['end'] ?? {}) as Partial<ArchiveEnd>;
  if (!counts) throw new Error('the archive has no end');
  return counts;
}

async function* pipelineTo(source: Readable, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of source as AsyncIterable<Buffer>) {
    count(chunk.length);
    yield chunk;
  }
}

/** Shows how far it is where standard error is a terminal. `total`: bytes, where they are known. */
function createProgress({ err, showsProgress }: Terminal, total?: number) {
  const isShown = showsProgress?.() ?? false;
  let [done, shownAt] = [0, 0];
  return {
    count(bytes: number): void {
      done += bytes;
      if (!isShown || performance.now() - shownAt < SHOW_MS) return;
      shownAt = performance.now();
      err(`${clearBar}${megabytes(done)}${total ? ` of ${megabytes(total)}` : ''}`);
    },
    end(): void {
      if (isShown) err(clearBar);
    },
  };
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export const describeCounts = ({ chatbot = 0, source = 0, session = 0, message = 0 }: Counts): string =>
  [
    pluralize(chatbot, 'chatbot'),
    pluralize(source, 'source'),
    pluralize(session, 'conversation'),
    pluralize(message, 'message'),
  ].join(', ');
