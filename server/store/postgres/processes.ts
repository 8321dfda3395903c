import type { StoreLog } from '../log.ts';
import type { Sql } from './connection.ts';

/** Milliseconds between two signs of life, and without one after which a process is taken for dead: its answers are interrupted. */
const [BEAT_MS, DEAD_AFTER_MS] = [5000, 15_000];

/** Notes that a process runs, until `end`, and takes those for dead that do not say so any more. */
export async function beginProcess(
  sql: Sql,
  uuid: string,
  log: StoreLog | undefined,
): Promise<{ end(): Promise<void> }> {
  const beat = async (): Promise<void> => {
    await sql`
      insert into processes (uuid) values (${uuid}) on conflict (uuid) do update set seen_at = now()`;
    // The answers that it was making have no writer from then on.
    await sql`delete from processes where seen_at < now() - ${DEAD_AFTER_MS}::float8 * interval '1 ms'`;
  };
  await beat();
  let beating = Promise.resolve();
  const timer = setInterval(() => {
    beating = beat().catch((error: unknown) => log?.warn({ err: error }, 'the database does not answer'));
  }, BEAT_MS).unref();
  return {
    async end() {
      clearInterval(timer);
      await beating;
      await sql`delete from processes where uuid = ${uuid}`;
    },
  };
}
