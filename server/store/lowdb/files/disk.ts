import { close, fdatasync, fsync, ftruncate, mkdirSync, open, statSync, write } from 'node:fs';
import { mkdir, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** Every call that changes the disk. A seam, so that tests can have the disk fail, fill up or lose its power. */
export interface Disk {
  open(path: string, flags: 'w' | 'wx' | 'r+' | 'r', mode?: number): Promise<number>;
  /** Writes all of `bytes` at `position`. */
  write(file: number, bytes: Uint8Array, position: number): Promise<void>;
  truncate(file: number, length: number): Promise<void>;
  datasync(file: number): Promise<void>;
  sync(file: number): Promise<void>;
  close(file: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  mkdir(path: string): Promise<void>;
  /** Told when a durable write has ended: without an argument, or with the error. */
  onWriteEnd?(error?: unknown): void;
}

function writeAll(file: number, bytes: Uint8Array, position: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let done = 0;
    const next = () =>
      write(file, bytes, done, bytes.length - done, position + done, (error, written) => {
        if (error) return reject(error);
        done += written;
        if (done < bytes.length) next();
        else resolve();
      });
    next();
  });
}

export const realDisk: Disk = {
  open: promisify(open),
  write: writeAll,
  truncate: promisify(ftruncate),
  datasync: promisify(fdatasync),
  sync: promisify(fsync),
  close: promisify(close),
  rename,
  unlink,
  mkdir: (path) => mkdir(path, { mode: 0o700 }),
};

export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes(String((error as NodeJS.ErrnoException | undefined)?.code));

/** For clean-up after a fault that is already being reported. */
export const ignore = (): void => {};

/** False where the disk does not say. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/**
 * Creates a folder and the missing ones above it, and returns the uppermost that it created. The error begins with `failure`.
 * In /proc, Node's own recursive mkdir never returns.
 */
export function createFolder(path: string, failure: string): string | undefined {
  if (isFolder(path)) return undefined;
  const uppermost = createFolder(dirname(path), failure);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(path)) throw new Error(`${failure}: ${(error as Error).message}`, { cause: error });
  }
  return uppermost ?? path;
}

/** Makes new, renamed and removed names of a folder durable. */
export async function syncFolder(disk: Disk, path: string): Promise<void> {
  const folder = await disk.open(path, 'r');
  try {
    await disk.sync(folder);
  } finally {
    await disk.close(folder);
  }
}

/** `pieces` are its new content. The file holds the old text or the new one, whole, whatever happens; new once this has resolved. */
export async function replaceFile(disk: Disk, path: string, pieces: Iterable<Uint8Array>): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const file = await disk.open(temporary, 'w', 0o600);
    try {
      let size = 0;
      for (const piece of pieces) {
        await disk.write(file, piece, size);
        size += piece.length;
      }
      await disk.sync(file);
    } finally {
      await disk.close(file);
    }
    await disk.rename(temporary, path);
    await syncFolder(disk, dirname(path));
  } catch (error) {
    await disk.unlink(temporary).catch(ignore);
    disk.onWriteEnd?.(error);
    throw error;
  }
  disk.onWriteEnd?.();
}

/** A file that is not there is removed already. */
export async function removeFile(disk: Disk, path: string): Promise<void> {
  await disk.unlink(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
}
