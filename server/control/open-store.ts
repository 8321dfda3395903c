import type { Clock } from '../schema/ids.ts';
import { refuseMarkedFolder } from './folder-mark.ts';
import { openLowdbStore, type LowdbOptions } from '../store/lowdb/lowdb.ts';
import type { ImportTarget } from '../store/archive/import.ts';
import type { SnapshotReader, SnapshotStore } from '../store/archive/snapshot.ts';

/** Where a server has its data. */
export type Engine = 'files' | 'postgres';

export interface StoreLocation {
  /** Has the socket of the commands, and where no database is named all data. */
  dataDir: string;
  databaseUrl: string | undefined;
  /** Connections to the database at most. */
  databasePool: number;
}

/** Opens PostgreSQL where its address is given, which other processes may have open, else the data folder. Throws where another process has that. */
export async function openStore(
  { dataDir, databaseUrl, databasePool: max }: StoreLocation,
  options: Omit<LowdbOptions, 'dir'>,
): Promise<SnapshotStore> {
  if (databaseUrl === undefined) {
    refuseMarkedFolder(dataDir);
    return openLowdbStore({ ...options, dir: dataDir });
  }
  const { openPostgresStore } = await import('../store/postgres/postgres.ts');
  const { clock, log, health } = options;
  return openPostgresStore({ url: databaseUrl, max, clock, log, health });
}

export const engineOf = ({ databaseUrl }: StoreLocation): Engine => (databaseUrl === undefined ? 'files' : 'postgres');

/** The owner's uuid, another in each installation; undefined where the database holds no data of docent. */
export const findInstallation = async (databaseUrl: string): Promise<string | undefined> =>
  (await import('../store/postgres/moving/archive.ts')).findInstallation({ url: databaseUrl });

/** For an export, beside servers that have the database open. Throws where another process has the data folder. */
export async function openReader({ dataDir, databaseUrl }: StoreLocation, clock: Clock): Promise<SnapshotReader> {
  if (databaseUrl === undefined) {
    refuseMarkedFolder(dataDir);
    return openLowdbStore({ dir: dataDir, clock });
  }
  return (await import('../store/postgres/moving/archive.ts')).openPostgresReader({ url: databaseUrl, clock });
}

/** Where an archive is imported to: PostgreSQL where its address is given, else the data folder. */
export function importTarget({ dataDir, databaseUrl }: StoreLocation): ImportTarget {
  return async (options) => {
    if (databaseUrl === undefined) {
      refuseMarkedFolder(dataDir);
      return (await import('../store/lowdb/import.ts')).importToLowdb({ ...options, dir: dataDir });
    }
    return (await import('../store/postgres/moving/archive.ts')).importToPostgres({ ...options, url: databaseUrl });
  };
}
