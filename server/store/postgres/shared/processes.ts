import { setTimeout as wait } from 'node:timers/promises';
import { retry } from '../../../async/retry.ts';
import { Refusal } from '../../../schema/errors.ts';
import { inTransaction, type Queries, type Sql } from '../connection.ts';
import type { DatabaseWatch } from '../outage.ts';

/** Milliseconds between two signs of life, and without one after which a process is taken for dead: its answers are interrupted. */
const [BEAT_MS, DEAD_AFTER_MS] = [2000, 10_000];
/** Milliseconds between two looks whether another process is gone, and at most: one that was killed counts as dead by then. */
const [LOOK_MS, PATIENCE_MS] = [500, DEAD_AFTER_MS + 10_000];

/** Milliseconds between attempts to say that the process ends: a database that is back is seen within half a second. */
const END_DELAYS = [500, 1000];

/** Another process has the database open. */
export class DatabaseInUse extends Error {}

interface ProcessOptions {
  sql: Sql;
  uuid: string;
  watch: DatabaseWatch;
  /** It begins once no other process runs, and none begins beside it. */
  isImporting?: boolean | undefined;
  /** Milliseconds that it waits for others to end before it throws `DatabaseInUse`; 20 s by default. */
  patience?: number | undefined;
}

export interface OwnProcess {
  end(): Promise<void>;
}

/** Notes that a process runs, until `end`, and takes those for dead that do not say so any more. */
export async function beginProcess({
  sql,
  uuid,
  watch,
  isImporting = false,
  patience = PATIENCE_MS,
}: ProcessOptions): Promise<OwnProcess> {
  let beatAt = performance.now();
  const removeDead = (queries: Queries) =>
    queries`delete from processes where seen_at < now() - ${DEAD_AFTER_MS}::float8 * interval '1 ms'`;

  const beat = async (queries: Queries): Promise<void> => {
    const pause = performance.now() - beatAt;
    await queries`
      insert into processes (uuid, is_importing, keeps_words) values (${uuid}, ${isImporting}, true)
      on conflict (uuid) do update set seen_at = now()`;
    beatAt = performance.now();
    // After an outage of the database the others get the time to say that they run.
    if (pause > 2 * BEAT_MS) return;
    // The answers that it was making have no writer from then on.
    await removeDead(queries);
  };

  /** How many others kept it from beginning; 0: it has begun. */
  const begin = (): Promise<number> =>
    inTransaction(sql, async (tx) => {
      await tx`lock table processes in exclusive mode`;
      const [row] = await tx<{ others: number; importing: number }[]>`
        select count(*)::integer as others, count(*) filter (where is_importing)::integer as importing from processes
        where seen_at >= now() - ${DEAD_AFTER_MS}::float8 * interval '1 ms'`;
      const { others, importing } = row!;
      // Without any change: an import has locked the tables that name processes. One that is taken for dead is waited for so, too.
      const inTheWay = isImporting ? others : importing;
      if (inTheWay > 0) return inTheWay;
      await removeDead(tx);
      await beat(tx);
      return 0;
    });

  const end = Date.now() + patience;
  for (let inTheWay = await begin(); inTheWay > 0; inTheWay = await begin()) {
    if (Date.now() > end) throw new DatabaseInUse(isImporting ? inUseBy(inTheWay) : IMPORTED_INTO);
    await wait(LOOK_MS);
  }

  async function beatWith(needsRoom: boolean): Promise<void> {
    // First of all: the others would take one without room for dead.
    await beat(sql);
    if (needsRoom) await takeRoom(sql);
  }

  let beating = Promise.resolve();
  const beatOnce = (): void => {
    // What fails is reported by the watch.
    beating = watch.write(() => beatWith(watch.isUnwritable)).catch(() => {});
  };
  const timer = setInterval(beatOnce, BEAT_MS).unref();
  watch.onReturn(beatOnce);
  return {
    async end() {
      clearInterval(timer);
      await beating;
      const remove = () => watch.run(() => sql`delete from processes where uuid = ${uuid}`);
      const isAway = (error: unknown): boolean => error instanceof Refusal;
      // Where the database stays away, the others take it for dead after a while.
      await retry(remove, isAway, END_DELAYS).catch((error: unknown) => {
        if (!isAway(error)) throw error;
      });
    },
  };
}

/** Writes more than a full disk has room for, and gives it back: one row fits into a page that is there. */
const takeRoom = (sql: Sql): Promise<void> =>
  inTransaction(sql, async (tx) => {
    await tx`create table room_probe as select n from generate_series(1, 10000) n`;
    await tx`drop table room_probe`;
  });

const inUseBy = (others: number): string =>
  others === 1
    ? 'the database is in use by another process of docent: stop that one'
    : `the database is in use by ${others} other processes of docent: stop all of them`;
const IMPORTED_INTO = 'an import into the database is under way: start again when it has ended';
