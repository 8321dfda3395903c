import { createHash, randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { StoreFixture } from '../contract.ts';

/** A schema with tables of its own. */
export interface Schema {
  /** The database's address, with the schema in it. */
  url: string;
  drop(): Promise<void>;
}

export async function makeSchema(
  database: string,
  name = `docent_test_${randomBytes(6).toString('hex')}`,
): Promise<Schema> {
  const run = async (act: (sql: postgres.Sql) => Promise<unknown>): Promise<void> => {
    const sql = postgres(database, { max: 1, onnotice: () => {} });
    await act(sql).finally(() => sql.end());
  };
  await run((sql) => sql`create schema if not exists ${sql(name)}`);
  const url = new URL(database);
  url.searchParams.set('search_path', name);
  return { url: url.href, drop: () => run((sql) => sql`drop schema ${sql(name)} cascade`) };
}

/** Makes schemas of the database at `url`, in which the contracts open a store. */
export const postgresSchema = (database: string) => async (): Promise<StoreFixture> => {
  const { url, drop } = await makeSchema(database);
  return { open: () => openPostgresStore({ url, clock: Date.now }), clear: drop };
};

/** The schema that goes with a data folder, where `TEST_STORE=postgres` has the servers of the tests keep their data there. */
export async function databaseFor(dataDir: string): Promise<{ env: NodeJS.ProcessEnv; drop(): Promise<void> }> {
  if (process.env['TEST_STORE'] !== 'postgres') return { env: {}, drop: async () => {} };
  const database = process.env['TEST_DATABASE_URL'];
  if (!database) throw new Error('TEST_STORE=postgres, but no server is there');
  const { url, drop } = await makeSchema(
    database,
    `docent_${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`,
  );
  return { env: { DATABASE_URL: url }, drop };
}
