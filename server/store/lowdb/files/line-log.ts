import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ignore, syncFolder, type Disk } from './disk.ts';
import { endOfLines } from './torn-lines.ts';

/** Files of lines that are written and read at their ends alone, however long they are. */

/**
 * Adds lines to a file, which is made where it is missing. All are durable once it has resolved; of what the disk refuses nothing
 * stays. What a crash has left of a line goes first; other damage at the end stays, as a line of its own. Calls for one file must not overlap.
 */
export async function appendLines(disk: Disk, path: string, lines: readonly string[]): Promise<void> {
  const isNew = !existsSync(path);
  try {
    const { size, isTorn, isOpen } = isNew ? { size: 0, isTorn: false, isOpen: false } : endOfLines(path);
    const bytes = Buffer.from(`${isOpen ? '\n' : ''}${lines.join('\n')}\n`);
    const file = await disk.open(path, isNew ? 'wx' : 'r+', 0o600);
    try {
      if (isTorn) await disk.truncate(file, size);
      await disk.write(file, bytes, size);
      await disk.datasync(file);
      // With every write: a process may have been killed between the first one and the end of its sync.
      await syncFolder(disk, dirname(path));
    } catch (error) {
      await disk.truncate(file, size).catch(ignore);
      throw error;
    } finally {
      await disk.close(file);
    }
  } catch (error) {
    disk.onWriteEnd?.(error);
    throw error;
  }
  disk.onWriteEnd?.();
}

const BLOCK_BYTES = 64 * 1024;
const LINE_FEED = 10;

/** Where the last line feed of the first `to` bytes is; -1 for none. */
const lastFeed = (block: Buffer, to: number): number => (to === 0 ? -1 : block.lastIndexOf(LINE_FEED, to - 1));

/** The lines of a file, the last first, as they are asked for; without what a crash has left of one. */
export async function* linesFromEnd(path: string): AsyncGenerator<string> {
  const file = await open(path, 'r');
  try {
    const { size } = endOfLines(path);
    /** The end of a line that begins in a block before. */
    let rest: Buffer[] = [];
    for (let end = size; end > 0;) {
      const start = Math.max(0, end - BLOCK_BYTES);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(end - start), 0, end - start, start);
      const block = buffer.subarray(0, bytesRead);
      let to = block.length;
      for (let at = lastFeed(block, to); at >= 0; at = lastFeed(block, to)) {
        const line = Buffer.concat([block.subarray(at + 1, to), ...rest]).toString();
        if (line !== '') yield line;
        [rest, to] = [[], at];
      }
      rest = [block.subarray(0, to), ...rest];
      end = start;
    }
    const first = Buffer.concat(rest).toString();
    if (first !== '') yield first;
  } finally {
    await file.close();
  }
}
