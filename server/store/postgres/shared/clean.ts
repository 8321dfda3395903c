import type { Sql } from '../connection.ts';
import type { DatabaseWatch } from '../outage.ts';
import { forgetSettlements } from './credits.ts';
import { forgetChanges } from './passages.ts';

/** One hour. */
const CLEAN_MS = 3_600_000;

/** Removes what no process needs any more: now, and at each interval (ms). What fails is tried again at the next. */
export function startCleaning(sql: Sql, watch: DatabaseWatch, interval = CLEAN_MS): { close(): Promise<void> } {
  const clean = (): Promise<void> =>
    watch
      .run(async () => {
        await forgetChanges(sql);
        await forgetSettlements(sql);
      })
      .catch(() => {});
  let cleaning = clean();
  const timer = setInterval(() => (cleaning = clean()), interval).unref();
  return {
    close() {
      clearInterval(timer);
      return cleaning;
    },
  };
}
