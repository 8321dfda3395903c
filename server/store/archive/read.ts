import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { crc32 } from 'node:zlib';
import { ArchiveFault, ARCHIVE_VERSION, parseLine, type ArchiveHead, type Counts, type Entry } from './format.ts';

/** Of a line at most: a text of 100 MB with many escapes. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

const CUT = 'the archive is cut off: its last line is missing';

interface Archive {
  head: ArchiveHead;
  /** Those behind the head. Throws an `ArchiveFault` where one is damaged, or at the end where the archive is not whole. */
  entries: AsyncGenerator<Entry & { at: number }>;
}

/** Begins to read an archive, compressed by gzip or not. Throws an `ArchiveFault` where it is none, or of a newer version. */
export async function readArchive(chunks: AsyncIterable<Uint8Array>): Promise<Archive> {
  const entries = entriesIn(linesIn(decompress(chunks)));
  const first = await entries.next();
  if (first.done || first.value.kind !== 'archive') throw new ArchiveFault('the file is no archive of docent');
  return { head: first.value.value, entries };
}

async function* entriesIn(lines: AsyncIterable<Buffer>): AsyncGenerator<Entry & { at: number }> {
  const counts: Counts = {};
  let [at, sum, isEnded] = [0, 0, false];
  for await (const line of lines) {
    at++;
    if (isEnded) throw new ArchiveFault(`line ${at} of the archive stands behind its end`);
    const entry = isUtf8(line) ? parseLine(line.toString('utf8', 0, line.length - 1)) : undefined;
    if (at === 1) checkVersion(line);
    if (!entry)
      throw new ArchiveFault(at === 1 ? 'the file is no archive of docent' : `line ${at} of the archive is damaged`);
    if (entry.kind === 'end') {
      const isWhole = entry.value.crc32 === sum && JSON.stringify(entry.value.counts) === JSON.stringify(counts);
      if (!isWhole) throw new ArchiveFault('the archive is damaged: its checksum is another one');
      isEnded = true;
      continue;
    }
    sum = crc32(line, sum);
    counts[entry.kind] = (counts[entry.kind] ?? 0) + 1;
    yield { ...entry, at };
  }
  if (!isEnded) throw new ArchiveFault(CUT);
}

/** A newer version may have another head. */
function checkVersion(line: Buffer): void {
  const version = Number(/^\{"archive":\{"version":(\d{1,9})[,}]/.exec(line.toString('latin1', 0, 64))?.[1] ?? NaN);
  if (version > ARCHIVE_VERSION)
    throw new ArchiveFault(
      `the archive was written by a newer version of docent (archive ${version}): import it with that version`,
    );
}

/** With the line feed at the end of each. */
async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end; (end = chunk.indexOf(10, from)) >= 0; from = end + 1) {
      yield Buffer.concat([...held, chunk.subarray(from, end + 1)]);
      [held, size] = [[], 0];
    }
    held.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > MAX_LINE_BYTES) throw new ArchiveFault('the file is no archive of docent: a line is too long');
  }
  if (size > 0) throw new ArchiveFault(CUT);
}

async function* decompress(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const rest = chunks[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  for (let next; start.length < 2 && !(next = await rest.next()).done;) start = Buffer.concat([start, next.value]);
  const all = Readable.from(behind(start, rest), { objectMode: false });
  if (start[0] !== 0x1f || start[1] !== 0x8b) return yield* all;
  const unzip = createGunzip();
  all.once('error', (error) => unzip.destroy(error));
  try {
    yield* all.pipe(unzip);
  } catch (error) {
    // Of zlib, not of the disk.
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_'))
      throw new ArchiveFault('the archive is cut off or damaged: it cannot be decompressed', { cause: error });
    throw error;
  }
}

async function* behind(start: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (start.length > 0) yield start;
  for (let next; !(next = await rest.next()).done;) yield next.value;
}
