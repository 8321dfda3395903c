import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../store/postgres/server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    database: { url: string; prefix: string };
  }
}

/** One PostgreSQL for all files of the project; see test/engine/engine.ts. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  if (!server) throw new Error('PostgreSQL is missing: install it, or name a database by DATABASE_URL');
  const prefix = `docent_test_${randomBytes(4).toString('hex')}_`;
  project.provide('database', { url: server.url, prefix });
  return async () => {
    await dropSchemas(server.url, prefix);
    await server.stop();
  };
}

async function dropSchemas(url: string, prefix: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const schemas = await sql<{ name: string }[]>`
    select nspname as name from pg_namespace where starts_with(nspname, ${prefix})`;
  for (const { name } of schemas) await sql`drop schema ${sql(name)} cascade`;
  await sql.end();
}
