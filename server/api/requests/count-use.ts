import type { RouterContext } from '@koa/router';
import { Refusal } from '../../schema/errors.ts';
import type { User } from '../../store/store.ts';
import type { ApiDeps } from './operation.ts';

/** `[uses, seconds]` of one user: of what reaches other servers at once. */
export const FEW_USES = [20, 60] as const;

/** The same of what sends mail. */
export const FEW_MAILS = [10, 360] as const;

/** Counts one use of an operation by its user, over all processes. Throws `rate_limited` for one more than `limit`, which is not counted. */
export async function countUse(
  { takeUse }: Pick<ApiDeps, 'takeUse'>,
  { ctx, user, operation }: { ctx: RouterContext; user: User; operation: string },
  limit: readonly [uses: number, seconds: number] = FEW_USES,
): Promise<void> {
  const { retryAfter, fields } = await takeUse(operation, user.uuid, limit);
  ctx.set(fields);
  if (retryAfter === 0) return;
  const [uses, seconds] = limit;
  throw new Refusal(
    'rate_limited',
    `this may be done ${uses} times in ${seconds} seconds: wait ${retryAfter} seconds`,
    {
      retryAfter,
    },
  );
}
