import { inTransaction, type Sql } from '../connection.ts';
import type { DatabaseWatch } from '../outage.ts';
import { forgetSettlements } from './credits.ts';
import { forgetChanges } from './passages.ts';
import { forgetVisits } from './visits.ts';

/** One hour; of visitors, who are many, one minute. */
const [CLEAN_MS, VISITS_MS] = [3_600_000, 60_000];

/**
 * Removes what no process needs any more: before it resolves, and at each interval (ms), which for visitors is a minute at most.
 * What fails is tried again at the next.
 */
export async function startCleaning(
  sql: Sql,
  watch: DatabaseWatch,
  interval = CLEAN_MS,
): Promise<{ close(): Promise<void> }> {
  const attempt = (act: () => Promise<unknown>): Promise<unknown> => watch.run(act).catch(() => {});
  const cleanVisits = () => attempt(async () => forgetVisits(sql));
  const clean = () =>
    attempt(async () => {
      await removeMarked(sql);
      await forgetChanges(sql);
      await forgetSettlements(sql);
    });
  let cleaning = clean();
  // Beside it, the first of two calls would wait for a new connection, and the second go before it.
  await cleaning;
  let cleaningVisits = cleanVisits();
  await cleaningVisits;
  const timers = [
    setInterval(() => (cleaning = clean()), interval).unref(),
    setInterval(() => (cleaningVisits = cleanVisits()), Math.min(interval, VISITS_MS)).unref(),
  ];
  return {
    async close() {
      timers.forEach(clearInterval);
      await Promise.all([cleaning, cleaningVisits]);
    },
  };
}

/** Chatbots that a process has marked which ended before they were gone, however long that takes; not those that another removes now. */
const removeMarked = (sql: Sql): Promise<unknown> =>
  inTransaction(sql, async (tx) => {
    await tx`set local statement_timeout = 0`;
    return tx`
      delete from chatbots where uuid in (select uuid from chatbots where is_deleted for update skip locked)`;
  });
