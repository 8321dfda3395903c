import { timestamp, type Clock } from '../../schema/ids.ts';
import { jsonIn } from '../../schema/json.ts';
import { isReply } from '../record-checks.ts';
import type { Store, StoredReply, Usage } from '../store.ts';
import type { PostgresContext } from './context.ts';
import { UsageSums } from './shared/usage-sums.ts';

/** Milliseconds that a reply is kept. */
const RETENTION_MS = 86_400_000;
/** Replies that are removed with each that is saved: more than come in, so that old ones go. */
const REMOVED_AT_ONCE = 10;

/** Replies to requests with an `Idempotency-Key`, and what answers have cost. */
export function countVerbs(
  { sql, run, nextOrder }: PostgresContext,
  clock: Clock,
): Pick<Store, 'reply' | 'saveReply' | 'addUsage' | 'usage'> {
  const adding = new UsageSums((sum) => {
    const { owner, chatbot, day, model, messages, credits, tokens } = sum;
    const n = nextOrder();
    return sql`
        insert into usage (owner, chatbot, day, model, messages, credits, tokens, n)
        values (${owner}, ${chatbot}, ${day}, ${model}, ${messages}, ${credits}, ${tokens}, ${n})
        on conflict (owner, day, chatbot, model) do update set messages = usage.messages + excluded.messages,
          credits = usage.credits + excluded.credits, tokens = usage.tokens + excluded.tokens, n = least(usage.n, excluded.n)`;
  });
  const oldest = (): string => timestamp(() => clock() - RETENTION_MS);

  return {
    reply: (key) =>
      run(async () => {
        const [row] = await sql<{ record: string }[]>`
          select record from replies where key = ${key} and created_at > ${oldest()}`;
        // A damaged one is none, as on files.
        const reply = row && jsonIn(row.record);
        return isReply(reply) ? (reply as StoredReply) : undefined;
      }),
    async saveReply(reply) {
      const { key, created_at } = reply;
      const record = JSON.stringify(reply);
      await run(
        () => sql`
          with old as (
            delete from replies where key in (
              select key from replies where created_at <= ${oldest()} limit ${REMOVED_AT_ONCE} for update skip locked))
          insert into replies (key, created_at, record) values (${key}, ${created_at}, ${record})
          on conflict (key) do update set created_at = excluded.created_at, record = excluded.record`,
      );
    },
    addUsage: (usage) => run(() => adding.add(usage)),
    usage: (owner, from, to) =>
      run(async () => {
        const rows = await sql<Usage[]>`
          select owner, chatbot, day, model, messages::float8 as messages, credits, tokens::float8 as tokens from usage
          where owner = ${owner} and day between ${from} and ${to} order by day, n`;
        return rows.map((row) => ({ ...row }));
      }),
  };
}
