import type { ReplyClaims } from '../../shared/reply-claims.ts';
import type { PostgresContext } from '../context.ts';

export const replyClaimsOf = ({ sql, run, process }: PostgresContext): ReplyClaims => ({
  claim: (key) =>
    run(async () => {
      const { count } = await sql`
        insert into reply_claims (key, process) select ${key}, uuid from processes where uuid = ${process}
        on conflict do nothing`;
      return count > 0;
    }),
  async release(key) {
    await run(() => sql`delete from reply_claims where key = ${key} and process = ${process}`);
  },
});
