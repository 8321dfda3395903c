import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { realDisk, syncFolder } from '../../../server/store/lowdb/files/disk.ts';

const KILOBYTE = Buffer.alloc(1024, 'a');

export interface Floor {
  /** Appends 1 KB and syncs it. */
  append(): Promise<void>;
  /** 1 KB to a temporary file, sync, rename, sync the folder. */
  replace(): Promise<void>;
  /** A new file of 1 KB: sync it and its folder. */
  create(): Promise<void>;
  close(): void;
}

/** The least that a durable write can cost on this disk. */
export function floorIn(dir: string): Floor {
  const log = openSync(join(dir, 'floor.log'), 'w');
  let size = 0;
  let created = 0;
  return {
    async append() {
      await realDisk.write(log, KILOBYTE, size);
      await realDisk.datasync(log);
      size += KILOBYTE.length;
    },
    async replace() {
      const file = await realDisk.open(join(dir, 'floor.tmp'), 'w', 0o600);
      await realDisk.write(file, KILOBYTE, 0);
      await realDisk.sync(file);
      await realDisk.close(file);
      await realDisk.rename(join(dir, 'floor.tmp'), join(dir, 'floor.json'));
      await syncFolder(realDisk, dir);
    },
    async create() {
      const file = await realDisk.open(join(dir, `floor.${created++}`), 'wx', 0o600);
      await realDisk.write(file, KILOBYTE, 0);
      await realDisk.datasync(file);
      await syncFolder(realDisk, dir);
      await realDisk.close(file);
    },
    close: () => closeSync(log),
  };
}
