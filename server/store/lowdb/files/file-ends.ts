import { close, fstatSync, open, read } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { hasCode } from './disk.ts';

/**
 * Whether the bytes are what a crash leaves of an append: the beginning of one JSON object's line, or nothing. An object
 * that goes on after its end, control characters and zeros come from damage.
 */
export function isTorn(tail: Uint8Array): boolean {
  let [depth, quoted] = [0, false];
  for (let at = 0; at < tail.length; at++) {
    const byte = tail[at]!;
    if (byte < 32 || (at === 0 ? byte !== OPEN : depth === 0)) return false;
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) quoted = !quoted;
    else if (!quoted && byte === OPEN) depth++;
    else if (!quoted && byte === CLOSE) depth--;
  }
  return true;
}

const [OPEN, CLOSE, QUOTE, BACKSLASH] = [123, 125, 34, 92];

const openFile = promisify(open);
const readInto = promisify(read);
const closeFile = promisify(close);

/** Up to so many bytes a file is read in one go: a second call costs more than the bytes. */
const MAX_WHOLE_READ_BYTES = 16_384;
/** Bytes of a longer file's two ends, the last of which hold the end of any message's line. */
const END_BYTES = 4096;

interface FileEnds {
  first: string;
  /** Whole lines behind the first, or the end of the last of them. Undefined where a torn line hides them. */
  last: string | undefined;
}

/**
 * The first line of what may be a long file, and what stands in its last bytes. Undefined where the file is gone, a folder,
 * or has no whole line. By descriptors: a list of ten thousand sessions with a `FileHandle` each keeps the garbage
 * collector busy for longer than the disk.
 */
export async function readEnds(path: string): Promise<FileEnds | undefined> {
  const file = await openFile(path, 'r').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  if (file === undefined) return undefined;
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) return undefined;
    const { size } = stats;
    const start = await bytesAt(file, 0, size > MAX_WHOLE_READ_BYTES ? END_BYTES : size);
    const first = start.indexOf(10);
    if (first >= 0)
      return { first: start.toString('utf8', 0, first), last: await readLast(file, start, size, first + 1) };
  } finally {
    await closeFile(file);
  }
  const [first = '', ...rest] = (await readFile(path, 'utf8')).split('\n');
  return rest.length === 0 ? undefined : { first, last: rest.slice(0, -1).join('\n') };
}

/** `start` are the first bytes of the file, of which the first line takes `from`. As Latin-1: what is sought is ASCII. */
async function readLast(file: number, start: Buffer, size: number, from: number): Promise<string | undefined> {
  const at = Math.max(from, size - END_BYTES);
  const bytes = size > MAX_WHOLE_READ_BYTES ? await bytesAt(file, at, END_BYTES) : start.subarray(at);
  const end = bytes.lastIndexOf(10);
  return end < 0 && bytes.length > 0 ? undefined : bytes.toString('latin1', 0, Math.max(0, end));
}

async function bytesAt(file: number, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await readInto(file, Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
