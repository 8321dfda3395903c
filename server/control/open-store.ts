import { resolve } from 'node:path';
import { createFolder } from '../store/lowdb/files/disk.ts';
import { lockFolder } from '../store/lowdb/files/lock.ts';
import { openLowdbStore, type LowdbOptions } from '../store/lowdb/lowdb.ts';
import type { Store } from '../store/store.ts';

interface StoreLocation {
  /** Holds the socket of the commands, and where no database is named all data. */
  dataDir: string;
  databaseUrl: string | undefined;
}

/** Opens PostgreSQL where its address is given, else the data folder. Throws where another process has the folder or the database. */
export async function openStore(
  { dataDir, databaseUrl }: StoreLocation,
  options: Omit<LowdbOptions, 'dir'>,
): Promise<Store> {
  if (databaseUrl === undefined) return openLowdbStore({ ...options, dir: dataDir });
  const { openPostgresStore } = await import('../store/postgres/postgres.ts');
  const dir = resolve(dataDir);
  createFolder(dir, `cannot create the data folder ${dir}`);
  const lock = await lockFolder(dir);
  try {
    const { clock, log, health } = options;
    const store = await openPostgresStore({ url: databaseUrl, clock, log, health, isAlone: true });
    return { ...store, close: () => store.close().finally(() => lock.release()) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
