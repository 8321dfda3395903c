import { createHash } from 'node:crypto';
import type { Visit, VisitLimit, Visits } from '../../visits.ts';
import type { Fragment, Queries } from '../connection.ts';
import type { PostgresContext } from '../context.ts';

/** Times kept of each visitor: the highest count of a limit. */
const KEPT_TIMES = 100;
/** Milliseconds after its last visit that a visitor is kept, longer than any window. */
const KEPT_VISITOR_MS = 600_000;

export interface VisitRow {
  is_counted: boolean | null;
  times: number[] | null;
  now: number;
}

/** By digest, so that no table has a visitor's address. By the database's clock, which all processes share. */
export const visitsOf = ({ sql, run }: PostgresContext): Visits => ({
  take: (key, count, seconds) =>
    run(async () => {
      const [row] = await sql<VisitRow[]>`
        with counted as (${countVisit(sql, { key, count, seconds })})
        select is_counted, to_json(times) as times, extract(epoch from clock_timestamp())::float8 * 1000 as now,
          ${withoutWaiting(sql)}
        from counted`;
      return visitOf(row!);
    }),
});

/** A statement that counts a visit where `condition` holds, and returns `is_counted` and `times`. */
export const countVisit = (
  sql: Queries,
  { key, count, seconds }: VisitLimit,
  condition: Fragment = sql`true`,
): Fragment => sql`
  insert into visits as v (key, times, is_counted)
  select ${createHash('sha256').update(key).digest()}::bytea, array[extract(epoch from clock_timestamp())::float8 * 1000], true
  where ${condition}
  on conflict (key) do update set (times, is_counted, last_at) = (
    select case when fits then v.times[greatest(1, cardinality(v.times) - ${KEPT_TIMES} + 2):] || at else v.times end, fits, now()
    from (
      -- Once the row is locked: those that waited for it count in their order.
      select at, blocking is null or least(blocking, at) + ${seconds * 1000}::float8 <= at as fits
      from (
        select extract(epoch from clock_timestamp())::float8 * 1000 as at,
          v.times[cardinality(v.times) - ${count} + 1] as blocking) as found) as checked)
  returning is_counted, times`;

/** In a statement whose reply need not wait for the disk: what a crash loses of counts is a fraction of a second. */
export const withoutWaiting = (sql: Queries): Fragment => sql`set_config('synchronous_commit', 'off', true)`;

export const visitOf = ({ is_counted, times, now }: VisitRow): Visit => ({
  isCounted: is_counted === true,
  times: times ?? [],
  now,
});

/** No limit needs them any more. */
export const forgetVisits = (sql: Queries) => sql`
  delete from visits where key in (
    select key from visits where last_at < now() - ${KEPT_VISITOR_MS}::float8 * interval '1 ms' for update skip locked)`;
