import { setTimeout as wait } from 'node:timers/promises';
import { inTransaction, type Queries, type Sql } from '../connection.ts';
import type { DatabaseWatch } from '../outage.ts';

/** Milliseconds between two signs of life, and without one after which a process is taken for dead: its answers are interrupted. */
const [BEAT_MS, DEAD_AFTER_MS] = [2000, 10_000];
/** Milliseconds between two looks whether another process is gone, and at most: one that was killed counts as dead by then. */
const [LOOK_MS, PATIENCE_MS] = [500, DEAD_AFTER_MS + 10_000];

/** Another process has the database open. */
export class DatabaseInUse extends Error {}

interface ProcessOptions {
  sql: Sql;
  uuid: string;
  watch: DatabaseWatch;
  /** Throws `DatabaseInUse` where another process runs, and does not end in time. */
  isAlone?: boolean | undefined;
}

/** Notes that a process runs, until `end`, and takes those for dead that do not say so any more. */
export async function beginProcess({
  sql,
  uuid,
  watch,
  isAlone = false,
}: ProcessOptions): Promise<{ end(): Promise<void> }> {
  let beatAt = performance.now();
  const beat = async (queries: Queries): Promise<void> => {
    const pause = performance.now() - beatAt;
    await queries`
      insert into processes (uuid) values (${uuid}) on conflict (uuid) do update set seen_at = now()`;
    beatAt = performance.now();
    // After an outage of the database the others get the time to say that they run.
    if (pause > 2 * BEAT_MS) return;
    // The answers that it was making have no writer from then on.
    await queries`delete from processes where seen_at < now() - ${DEAD_AFTER_MS}::float8 * interval '1 ms'`;
  };

  /** Whether it has begun: not while another runs. */
  const beginAlone = (): Promise<boolean> =>
    inTransaction(sql, async (tx) => {
      await tx`lock table processes in exclusive mode`;
      await beat(tx);
      const [{ count }] = (await tx`select count(*)::integer as count from processes`) as [{ count: number }];
      if (count > 1) await tx`delete from processes where uuid = ${uuid}`;
      return count === 1;
    });

  if (isAlone) {
    for (const end = Date.now() + PATIENCE_MS; !(await beginAlone()); await wait(LOOK_MS)) {
      if (Date.now() > end)
        throw new DatabaseInUse('the database is in use by another process of docent: stop that one');
    }
  } else await beat(sql);

  let beating = Promise.resolve();
  const timer = setInterval(() => {
    // What fails is reported by the watch.
    beating = watch.run(() => beat(sql)).catch(() => {});
  }, BEAT_MS).unref();
  return {
    async end() {
      clearInterval(timer);
      await beating;
      await sql`delete from processes where uuid = ${uuid}`;
    },
  };
}
