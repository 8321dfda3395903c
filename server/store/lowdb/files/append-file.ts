import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode, ignore, replaceFile, syncFolder, type Disk } from './disk.ts';
import { isTorn } from './file-ends.ts';
import type { Adapter } from './lowdb-file.ts';
import { yieldTurn } from '../../../async/time-slice.ts';

/** Keeps idle files open, so that the next line costs no `open`. */
export class OpenFiles {
  readonly #limit: number;
  readonly #idle = new Set<AppendFile>();
  readonly #closing = new Set<Promise<void>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  markBusy(file: AppendFile): void {
    this.#idle.delete(file);
  }

  markIdle(file: AppendFile): void {
    this.#idle.add(file);
    if (this.#idle.size > this.#limit) for (const oldest of this.#idle) return this.close(oldest);
  }

  /** Without waiting for it: `closeAll` does. */
  close(file: AppendFile): void {
    const closing = file.close().catch(ignore);
    this.#closing.add(closing);
    void closing.then(() => this.#closing.delete(closing));
  }

  async closeAll(): Promise<void> {
    for (const file of this.#idle) this.close(file);
    await Promise.all(this.#closing);
  }
}

/**
 * A lowdb adapter: a file of lines. A list that has grown is appended to the file, any other list replaces it.
 * Its writes must not overlap (see BatchWriter).
 */
export class AppendFile implements Adapter<string[]> {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #open: OpenFiles;
  #file: number | undefined;
  /** The list that the file holds: its first `#count` lines, in `#size` bytes. */
  #list: string[] | undefined;
  #count = 0;
  #size = 0;
  /** The file may have bytes after `#size`: a line that was torn, or that could not be synced. */
  #overlong = false;
  /** A failed write may have replaced the file: it has the old list or the new one. */
  #mayBeReplaced = false;
  /** Whether the file's name is synced: a process may be killed between creating a file and that. */
  #isNameSynced = true;
  /** False: the next write is not synced; the next durable one syncs it too. */
  durable = true;
  /** When read, the file had bytes that no crash leaves: not UTF-8, or behind the last line and not torn (see `isTorn`). */
  damaged = false;

  constructor(disk: Disk, path: string, open: OpenFiles) {
    this.#disk = disk;
    this.#path = path;
    this.#open = open;
  }

  /** Whole lines only: a torn line at the end was never acknowledged. Null without any. */
  async read(): Promise<string[] | null> {
    const bytes = await readFile(this.#path).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return Buffer.alloc(0);
      throw error;
    });
    this.#size = bytes.lastIndexOf(10) + 1;
    this.#overlong = bytes.length > this.#size;
    this.#isNameSynced = false;
    this.damaged = !isTorn(bytes.subarray(this.#size)) || !isUtf8(bytes.subarray(0, this.#size));
    if (this.#size === 0) return null;
    this.#list = await linesOf(bytes.subarray(0, this.#size));
    this.#count = this.#list.length;
    return this.#list;
  }

  write(lines: string[]): Promise<void> {
    if (lines === this.#list && !this.#mayBeReplaced) return this.#append(lines);
    return this.#list ? this.#replace(lines) : this.#create(lines);
  }

  #reportWrite(): void {
    if (this.durable) this.#disk.onWriteEnd?.();
  }

  /** The next write opens it again. */
  async close(): Promise<void> {
    this.#open.markBusy(this);
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await this.#disk.close(file);
  }

  /** Closes the file without waiting for that. */
  closeWithoutWaiting(): void {
    this.#open.close(this);
  }

  async #create(lines: string[]): Promise<void> {
    const bytes = bytesOf(lines);
    try {
      this.#file = await this.#disk.open(this.#path, 'wx', 0o600);
    } catch (error) {
      this.#disk.onWriteEnd?.(error);
      throw error;
    }
    try {
      await this.#disk.write(this.#file, bytes, 0);
      this.#isNameSynced = false;
      if (this.durable) await this.#syncBoth(this.#file);
    } catch (error) {
      await this.close().catch(ignore);
      await this.#disk.unlink(this.#path).catch(ignore);
      this.#disk.onWriteEnd?.(error);
      throw error;
    }
    this.#setContent(lines, bytes.length);
    this.#reportWrite();
  }

  async #append(lines: string[]): Promise<void> {
    const bytes = bytesOf(lines.slice(this.#count));
    this.#open.markBusy(this);
    try {
      const file = (this.#file ??= await this.#disk.open(this.#path, 'r+'));
      if (this.#overlong) await this.#truncate(file);
      this.#overlong = true;
      await this.#disk.write(file, bytes, this.#size);
      if (this.durable) await (this.#isNameSynced ? this.#disk.datasync(file) : this.#syncBoth(file));
      this.#overlong = false;
    } catch (error) {
      await this.#recover();
      this.#disk.onWriteEnd?.(error);
      throw error;
    }
    this.#setContent(lines, this.#size + bytes.length);
    this.#reportWrite();
  }

  async #replace(lines: string[]): Promise<void> {
    await this.close().catch(ignore);
    let size = 0;
    this.#mayBeReplaced = true;
    await replaceFile(
      this.#disk,
      this.#path,
      linePieces(lines, (length) => (size += length)),
    );
    this.#mayBeReplaced = this.#overlong = false;
    this.#isNameSynced = true;
    this.#setContent(lines, size);
  }

  async #syncBoth(file: number): Promise<void> {
    const naming = syncFolder(this.#disk, dirname(this.#path));
    naming.catch(ignore);
    await this.#disk.datasync(file);
    await naming;
    this.#isNameSynced = true;
  }

  #setContent(lines: string[], size: number): void {
    this.#list = lines;
    this.#count = lines.length;
    this.#size = size;
    if (this.#file !== undefined) this.#open.markIdle(this);
  }

  async #truncate(file: number): Promise<void> {
    await this.#disk.truncate(file, this.#size);
    this.#overlong = false;
  }

  /** Truncates what was not acknowledged. Where that fails too, the next write does it first. */
  async #recover(): Promise<void> {
    if (this.#file !== undefined && this.#overlong) await this.#truncate(this.#file).catch(ignore);
    await this.close().catch(ignore);
  }
}

const bytesOf = (lines: string[]): Buffer => Buffer.from(`${lines.join('\n')}\n`);

/** Bytes decoded, or encoded, between two yields: about a millisecond. */
const PIECE_BYTES = 512 * 1024;

/** `onPiece` receives the length of each piece in bytes. */
function* linePieces(lines: string[], onPiece: (length: number) => void): Generator<Uint8Array> {
  let [from, length] = [0, 0];
  for (let at = 0; at < lines.length; at++) {
    length += lines[at]!.length;
    if (length < PIECE_BYTES && at + 1 < lines.length) continue;
    const piece = bytesOf(lines.slice(from, at + 1));
    onPiece(piece.length);
    yield piece;
    [from, length] = [at + 1, 0];
  }
}

/** `bytes` end with a line's end. */
async function linesOf(bytes: Buffer): Promise<string[]> {
  const lines: string[] = [];
  for (let from = 0; from < bytes.length;) {
    if (from > 0) await yieldTurn();
    const end = bytes.indexOf(10, Math.min(from + PIECE_BYTES, bytes.length - 1));
    for (const line of bytes.toString('utf8', from, end).split('\n')) lines.push(line);
    from = end + 1;
  }
  return lines;
}
