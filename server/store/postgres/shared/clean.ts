import { inTransaction, type Sql } from '../connection.ts';
import type { DatabaseWatch } from '../outage.ts';
import { forgetSettlements } from './credits.ts';
import { forgetChanges } from './passages.ts';

/** One hour. */
const CLEAN_MS = 3_600_000;

/** Removes what no process needs any more: before it resolves, and at each interval (ms). What fails is tried again at the next. */
export async function startCleaning(
  sql: Sql,
  watch: DatabaseWatch,
  interval = CLEAN_MS,
): Promise<{ close(): Promise<void> }> {
  const clean = (): Promise<void> =>
    watch
      .run(async () => {
        await removeMarked(sql);
        await forgetChanges(sql);
        await forgetSettlements(sql);
      })
      .catch(() => {});
  let cleaning = clean();
  // Beside it, the first of two calls would wait for a new connection, and the second go before it.
  await cleaning;
  const timer = setInterval(() => (cleaning = clean()), interval).unref();
  return {
    close() {
      clearInterval(timer);
      return cleaning;
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
