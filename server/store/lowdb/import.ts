import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { targetNotEmpty, type ImportOptions } from '../archive/import.ts';
import { accountsOf, readAccounts } from './accounts/account-file.ts';
import { createFolder, realDisk } from './files/disk.ts';
import { lockFolder } from './files/lock.ts';
import { StoredRecord } from './files/record.ts';
import { holdsRecords, openLowdbStore } from './lowdb.ts';
import { commitImport, finishImport, stagingFolder } from './staging.ts';

interface LowdbImport<T> extends ImportOptions<T> {
  /** The data folder; made where it is missing. */
  dir: string;
}

/**
 * Puts what `fill` stores in place of what the folder holds, once it has resolved; where it rejects, the folder is as before.
 * Throws where the folder is in use, or holds something that is not to be replaced.
 */
export async function importToLowdb<T>({ dir: path, owner, clock, replaces, fill }: LowdbImport<T>): Promise<T> {
  const dir = resolve(path);
  createFolder(dir, `cannot create the data folder ${dir}`);
  const lock = await lockFolder(dir);
  try {
    await finishImport(dir);
    if (!replaces && !isEmpty(dir)) throw targetNotEmpty(`the data folder ${dir}`);
    const staging = stagingFolder(dir);
    createFolder(staging, `cannot import into ${dir}`);
    await StoredRecord.create(realDisk, join(staging, 'store.json'), accountsOf(owner));
    const store = await openLowdbStore({ dir: staging, clock });
    try {
      const filled = await fill(store).finally(() => store.close());
      await commitImport(dir);
      return filled;
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  } finally {
    await lock.release();
  }
}

/** Whether a start alone has made what is there. */
function isEmpty(dir: string): boolean {
  const path = join(dir, 'store.json');
  if (holdsRecords(dir)) return false;
  if (!existsSync(path)) return true;
  const { users, keys } = readAccounts(path);
  return users.length === 1 && keys.length === 0;
}
