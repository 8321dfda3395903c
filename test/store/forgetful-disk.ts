import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { realDisk, type Disk } from '../../server/store/lowdb/files/disk.ts';

/** What of a file or a folder is in the disk's memory, and what has been synced. */
interface Node {
  bytes: Buffer;
  synced: Buffer;
  entries: Map<string, Node>;
  syncedEntries: Map<string, Node>;
  /** Which sync that was. */
  turn: number;
}

const node = (): Node => ({
  bytes: Buffer.alloc(0),
  synced: Buffer.alloc(0),
  entries: new Map(),
  syncedEntries: new Map(),
  turn: 0,
});

/**
 * The real disk, which also keeps a second account of what would be left if the power failed now: the contents that
 * were synced, under the names whose folders were synced. Everything else is dropped, which is harsher than a disk is.
 */
export interface ForgetfulDisk extends Disk {
  /** Writes what would be left into a new folder. */
  cutInto(target: string): Promise<void>;
}

export function forgetfulDisk(root: string): ForgetfulDisk {
  const top = node();
  const open = new Map<number, Node>();
  let turns = 0;
  const find = (path: string): Node => {
    const parts = relative(root, path).split('/').filter(Boolean);
    return parts.reduce((at, part) => at.entries.get(part) ?? missing(path), top);
  };
  const folderOf = (path: string): Node => find(dirname(path));
  /** Before the real call: another one may find the name there while this one's answer is still on its way. */
  const enter = (path: string): Node => {
    const { entries } = folderOf(path);
    const known = entries.get(basename(path)) ?? node();
    entries.set(basename(path), known);
    return known;
  };
  return {
    async open(path, flags, mode) {
      if (relative(root, path).startsWith('..')) return realDisk.open(path, flags, mode);
      if (flags === 'w' || flags === 'wx') enter(path).bytes = Buffer.alloc(0);
      const at = find(path);
      const file = await realDisk.open(path, flags, mode);
      open.set(file, at);
      return file;
    },
    async write(file, bytes, position) {
      await realDisk.write(file, bytes, position);
      const at = open.get(file)!;
      const grown = Buffer.alloc(Math.max(at.bytes.length, position + bytes.length));
      at.bytes.copy(grown);
      Buffer.from(bytes).copy(grown, position);
      at.bytes = grown;
    },
    async truncate(file, length) {
      await realDisk.truncate(file, length);
      const at = open.get(file)!;
      at.bytes = at.bytes.subarray(0, length);
    },
    async datasync(file) {
      // What is written while the sync is under way may or may not be in it: here it is not.
      const { bytes } = open.get(file)!;
      await realDisk.datasync(file);
      open.get(file)!.synced = bytes;
    },
    async sync(file) {
      const at = open.get(file);
      const [turn, bytes, entries] = [++turns, at?.bytes, new Map(at?.entries)];
      await realDisk.sync(file);
      // Of two that overlap, the one that began first may end last.
      if (at && bytes && turn > at.turn) [at.turn, at.synced, at.syncedEntries] = [turn, bytes, entries];
    },
    async close(file) {
      open.delete(file);
      await realDisk.close(file);
    },
    async rename(from, to) {
      await realDisk.rename(from, to);
      const moved = find(from);
      folderOf(from).entries.delete(basename(from));
      folderOf(to).entries.set(basename(to), moved);
    },
    async unlink(path) {
      await realDisk.unlink(path);
      folderOf(path).entries.delete(basename(path));
    },
    async mkdir(path) {
      enter(path);
      await realDisk.mkdir(path);
    },
    async cutInto(target) {
      const thisMoment = [...left(top, target)];
      for (const [path, bytes] of thisMoment) {
        if (bytes) await writeFile(path, bytes);
        else await mkdir(path, { recursive: true });
      }
    },
  };
}

function missing(path: string): never {
  throw new Error(`the store used ${path} without its disk knowing of it`);
}

/** What is synced under a folder: paths, with the bytes where they are files. */
function* left(folder: Node, path: string): Generator<[path: string, bytes?: Buffer]> {
  yield [path];
  for (const [name, child] of folder.syncedEntries) {
    if (name.includes('.')) yield [join(path, name), child.synced];
    else yield* left(child, join(path, name));
  }
}
