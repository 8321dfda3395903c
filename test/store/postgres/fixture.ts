import { randomBytes } from 'node:crypto';
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
