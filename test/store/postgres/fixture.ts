import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import type { StoreFixture } from '../contract.ts';

/** Makes schemas of the database at `url`, in which the contracts open a store. */
export const postgresSchema = (url: string) => async (): Promise<StoreFixture> => {
  const schema = `docent_test_${randomBytes(6).toString('hex')}`;
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`create schema ${sql(schema)}`;
  return {
    open: () => openPostgresStore({ url, schema, clock: Date.now }),
    async clear() {
      await sql`drop schema ${sql(schema)} cascade`;
      await sql.end();
    },
  };
};
