import { createHash } from 'node:crypto';
import postgres from 'postgres';
import type { SnapshotStore } from '../../server/store/archive/snapshot.ts';
import { openLowdbStore, type LowdbOptions } from '../../server/store/lowdb/lowdb.ts';
import { openPostgresStore } from '../../server/store/postgres/postgres.ts';
import { makeSchema } from '../store/postgres/fixture.ts';

/**
 * The engine under the servers of a test: files, and PostgreSQL where the project of that name (vite.config.ts) runs the same
 * test again. There a schema stands for each data folder, so that a test that starts a server again finds what it stored.
 */
const database = process.env['TEST_DATABASE_URL'];

/** For tests of what only one engine has: `it.runIf(onFiles)`. */
export const onFiles = database === undefined;

/** Schemas of one run, which are dropped at its end, begin with this. */
const prefix = process.env['TEST_SCHEMA_PREFIX'];

/** The address of the schema that stands for a data folder, which is made where it is missing; undefined on files. */
export async function databaseOf(dataDir: string): Promise<string | undefined> {
  if (database === undefined) return undefined;
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  return (await makeSchema(database, `${prefix}${digest}`)).url;
}

/** The store of the servers that are started with a data folder. */
export async function openStoreOf({ dir, ...options }: LowdbOptions): Promise<SnapshotStore> {
  const url = await databaseOf(dir);
  return url === undefined ? openLowdbStore({ dir, ...options }) : openPostgresStore({ url, ...options });
}

/** Reads and changes rows of the schema that stands for a data folder; undefined on files. */
export async function queryRows(dataDir: string, query: string): Promise<Record<string, unknown>[] | undefined> {
  const url = await databaseOf(dataDir);
  if (url === undefined) return undefined;
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe(query);
  } finally {
    await sql.end();
  }
}
