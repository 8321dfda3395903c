import postgres from 'postgres';
import { retry } from '../../async/retry.ts';
import type { Sql } from './connection.ts';
import { STEPS } from './schema-steps.ts';
import { checkEncoding, checkVersion } from './start-faults.ts';

/** Of no meaning; the same in every version, so that two that start at once take turns. */
const LOCK = 4_712_025;

/** The version that this code reads and writes. */
export const SCHEMA_VERSION = STEPS.length;

/** Milliseconds that a step waits for a table: whoever wants to use it waits behind the step. */
const LOCK_MS = 1000;
/** Milliseconds between attempts: some three minutes, with the waits. */
const DELAYS = [250, 500, 1000, ...Array<number>(60).fill(2000)];
/** Of PostgreSQL: serialization failure, deadlock, lock not available. */
const CONTENDED = new Set(['40001', '40P01', '55P03']);
const isContended = (error: unknown): boolean => error instanceof postgres.PostgresError && CONTENDED.has(error.code);

/**
 * Brings the schema up to date, by one process at a time, while servers of the version before work on. Throws where a newer version
 * of Docent has changed it, and where the tables are in use whenever it tries. `target`: an earlier version, for tests of its
 * migration.
 */
export async function migrate(sql: Sql, target = SCHEMA_VERSION, delays: readonly number[] = DELAYS): Promise<void> {
  await checkServer(sql);
  try {
    await retry(() => migrateOnce(sql, target), isContended, delays);
  } catch (error) {
    if (!isContended(error)) throw error;
    const { message } = error as Error;
    throw new Error(
      `the tables could not be brought up to date, since others are at work in them (${message}): start again when long work, such as an export, has ended`,
      { cause: error },
    );
  }
}

async function checkServer(sql: Sql): Promise<void> {
  const [server] = await sql<{ version: string; encoding: string }[]>`
    select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding`;
  checkVersion(Number(server!.version));
  checkEncoding(server!.encoding);
}

async function migrateOnce(sql: Sql, target: number): Promise<void> {
  await sql.begin(async (step) => {
    // A step may take long, and so may the process that has the lock.
    await step`set local statement_timeout = 0`;
    await step`select pg_advisory_xact_lock(${LOCK})`;
    await step.unsafe(`set local lock_timeout = ${LOCK_MS}`);
    await step`create table if not exists schema_version (version integer not null)`;
    const [row] = await step<VersionRow[]>`select version from schema_version`;
    const version = row?.version ?? 0;
    refuseNewer(version);
    for (const one of STEPS.slice(version, target)) await step.unsafe(one);
    if (row) await step`update schema_version set version = ${target}`;
    else await step`insert into schema_version values (${target})`;
  });
}

/** For a reader, which changes nothing. Throws unless the schema is of this version. */
export async function checkSchema(sql: Sql): Promise<void> {
  const [there] = await sql<{ name: string | null }[]>`select to_regclass('schema_version')::text as name`;
  const [row] = there!.name === null ? [] : await sql<VersionRow[]>`select version from schema_version`;
  if (!row) throw new Error('the database holds no data of docent');
  refuseNewer(row.version);
  if (row.version < SCHEMA_VERSION)
    throw new Error(
      `the database was written by an older version of docent (schema ${row.version}): start a server of this version, which brings it up to date`,
    );
}

interface VersionRow {
  version: number;
}

function refuseNewer(version: number): void {
  if (version > SCHEMA_VERSION)
    throw new Error(
      `the database was written by a newer version of docent (schema ${version}): install that version, or restore a backup that was made before`,
    );
}
