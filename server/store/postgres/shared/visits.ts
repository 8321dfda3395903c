import { createHash } from 'node:crypto';
import type { Visits } from '../../visits.ts';
import type { PostgresContext } from '../context.ts';

/** Times kept of each visitor: the highest count of a limit. */
const KEPT_TIMES = 100;
/** Milliseconds after its last visit that a visitor is kept, longer than any window; and between two clean-ups. */
const [KEPT_VISITOR_MS, VISITS_CLEAN_MS] = [600_000, 60_000];

interface Row {
  is_counted: boolean;
  times: number[];
  now: number;
}

/** By digest, so that no table has a visitor's address. By the database's clock, which all processes share. */
export function visitsOf({ sql, run }: PostgresContext): Visits {
  let cleanedAt = performance.now();

  const clean = () => sql`
    delete from visits where key in (
      select key from visits where last_at < now() - ${KEPT_VISITOR_MS}::float8 * interval '1 ms' for update skip locked)`;

  return {
    take: (key, count, seconds) =>
      run(async () => {
        const digest = createHash('sha256').update(key).digest();
        // What a crash loses is a fraction of a second of counts: no reply waits for the disk.
        const [row] = await sql<Row[]>`
          insert into visits as v (key, times, is_counted)
          values (${digest}, array[extract(epoch from clock_timestamp())::float8 * 1000], true)
          on conflict (key) do update set (times, is_counted, last_at) = (
            select case when fits then v.times[greatest(1, cardinality(v.times) - ${KEPT_TIMES} + 2):] || at else v.times end,
              fits, now()
            from (
              -- Once the row is locked: those that waited for it count in their order.
              select at, blocking is null or least(blocking, at) + ${seconds * 1000}::float8 <= at as fits
              from (
                select extract(epoch from clock_timestamp())::float8 * 1000 as at,
                  v.times[cardinality(v.times) - ${count} + 1] as blocking) as found) as checked)
          returning is_counted, to_json(times) as times, extract(epoch from clock_timestamp())::float8 * 1000 as now,
            set_config('synchronous_commit', 'off', true)`;
        if (performance.now() - cleanedAt > VISITS_CLEAN_MS) {
          cleanedAt = performance.now();
          await clean();
        }
        const { is_counted, times, now } = row!;
        return { isCounted: is_counted, times, now };
      }),
  };
}
