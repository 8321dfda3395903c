import type { RouterContext } from '@koa/router';
import { Refusal } from '../../schema/errors.ts';
import type { User } from '../../store/store.ts';
import type { ApiDeps } from './operation.ts';

/** `[uses, seconds]` of one user: of what reaches other servers at once. */
export const FEW_USES = [20, 60] as const;

/** Counts one use of an operation by its user, over all processes. Throws `rate_limited` for one more than `FEW_USES`, which is not counted. */
export async function countUse(
  { takeUse }: Pick<ApiDeps, 'takeUse'>,
  { ctx, user, operation }: { ctx: RouterContext; user: User; operation: string },
): Promise<void> {
  const { retryAfter, fields } = await takeUse(operation, user.uuid, FEW_USES);
  ctx.set(fields);
  if (retryAfter === 0) return;
  const [uses, seconds] = FEW_USES;
  throw new Refusal(
    'rate_limited',
    `this may be done ${uses} times in ${seconds} seconds: wait ${retryAfter} seconds`,
    {
      retryAfter,
    },
  );
}
