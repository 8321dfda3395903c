import { resolve } from 'node:path';
import type { Clock } from '../schema/ids.ts';
import { createFolder } from '../store/lowdb/files/disk.ts';
import { lockFolder } from '../store/lowdb/files/lock.ts';
import { openLowdbStore, type LowdbOptions } from '../store/lowdb/lowdb.ts';
import type { ImportTarget } from '../store/archive/import.ts';
import type { SnapshotReader, SnapshotStore } from '../store/archive/snapshot.ts';

export interface StoreLocation {
  /** Holds the socket of the commands, and where no database is named all data. */
  dataDir: string;
  databaseUrl: string | undefined;
}

/**
 * Opens PostgreSQL where its address is given, else the data folder. Throws where another process has the folder, or, unless it
 * is shared, the database.
 */
export async function openStore(
  { dataDir, databaseUrl }: StoreLocation,
  options: Omit<LowdbOptions, 'dir'>,
  { isShared = false }: { isShared?: boolean } = {},
): Promise<SnapshotStore> {
  if (databaseUrl === undefined) return openLowdbStore({ ...options, dir: dataDir });
  const { openPostgresStore } = await import('../store/postgres/postgres.ts');
  const dir = resolve(dataDir);
  createFolder(dir, `cannot create the data folder ${dir}`);
  const lock = await lockFolder(dir);
  try {
    const { clock, log, health } = options;
    const store = await openPostgresStore({ url: databaseUrl, clock, log, health, isAlone: !isShared });
    return { ...store, close: () => store.close().finally(() => lock.release()) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** For an export, beside servers that have the database open. Throws where another process has the data folder. */
export async function openReader({ dataDir, databaseUrl }: StoreLocation, clock: Clock): Promise<SnapshotReader> {
  if (databaseUrl === undefined) return openLowdbStore({ dir: dataDir, clock });
  return (await import('../store/postgres/moving/archive.ts')).openPostgresReader({ url: databaseUrl, clock });
}

/** Where an archive is imported to: PostgreSQL where its address is given, else the data folder. */
export function importTarget({ dataDir, databaseUrl }: StoreLocation): ImportTarget {
  return async (options) => {
    if (databaseUrl === undefined)
      return (await import('../store/lowdb/import.ts')).importToLowdb({ ...options, dir: dataDir });
    return (await import('../store/postgres/moving/archive.ts')).importToPostgres({ ...options, url: databaseUrl });
  };
}
