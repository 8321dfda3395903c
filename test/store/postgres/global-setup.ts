import { startPostgres } from './server.ts';

/** Starts the database of the tests with `TEST_STORE=postgres`. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  const server = await startPostgres();
  if (server) process.env['TEST_DATABASE_URL'] = server.url;
  return server?.stop;
}
