import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { removeFile, syncFolder, type Disk } from './disk.ts';
import { isTorn } from './file-ends.ts';

/** Bytes of the whole lines of a file that a crash has torn the last line of; undefined where its end is whole, or damaged. */
export function sizeBeforeTorn(path: string): number | undefined {
  if (endsWithLine(path)) return undefined;
  const bytes = readFileSync(path);
  const size = bytes.lastIndexOf(10) + 1;
  return isTorn(bytes.subarray(size)) ? size : undefined;
}

/**
 * Where the next line of a file goes: behind its first `size` bytes. `isTorn`: what is behind them is left of a crash. `isOpen`: they
 * end in the middle of a line that no crash leaves.
 */
export function endOfLines(path: string): { size: number; isTorn: boolean; isOpen: boolean } {
  const whole = sizeBeforeTorn(path);
  if (whole !== undefined) return { size: whole, isTorn: true, isOpen: false };
  return { size: statSync(path).size, isTorn: false, isOpen: !endsWithLine(path) };
}

/** Removes what is behind `size`; of a file that holds no whole line, the file. Durable once it has resolved. */
export async function cutTorn(disk: Disk, path: string, size: number): Promise<void> {
  if (size === 0) {
    await removeFile(disk, path);
    return syncFolder(disk, dirname(path));
  }
  const file = await disk.open(path, 'r+');
  try {
    await disk.truncate(file, size);
    await disk.sync(file);
  } finally {
    await disk.close(file);
  }
}

/** True for a folder, too. Synchronous: of a hundred thousand files one byte each is read. */
function endsWithLine(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) return true;
    const last = Buffer.alloc(1);
    return stats.size > 0 && readSync(file, last, 0, 1, stats.size - 1) === 1 && last[0] === 10;
  } finally {
    closeSync(file);
  }
}
