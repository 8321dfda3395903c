import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { asRefusal, Refusal } from '../schema/errors.ts';

/** Replies with the JSON of a `Refusal`; anything else thrown is logged, and a 500 that says its request id and no more. */
export function replyWithErrors(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      // Of the file that the reply was to be.
      ctx.remove('Content-Disposition');
      const refusal = asRefusal(error);
      if (refusal) {
        if (refusal.status >= 500 && !refusal.logged)
          log.warn({ req: ctx.state['id'], code: refusal.code, err: refusal.cause }, refusal.message);
        ctx.set(refusal.headers);
        ctx.status = refusal.status;
        const isLost = refusal.mayBeStored && !isRead(ctx.method);
        const isRepeatable = ctx.state['isRepeatable'] === true;
        ctx.body = { ...refusal.body(), ...(isLost && { error: isRepeatable ? LOST_WITH_KEY : LOST }) };
      } else {
        log.error({ req: ctx.state['id'], err: error }, 'request failed');
        ctx.status = 500;
        ctx.body = new Refusal('internal', `something failed here; request ${ctx.state['id']}`).body();
      }
    }
  };
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

const LOST =
  'the database of the server was lost before it replied: what was sent may be stored, look before you send it again';
const LOST_WITH_KEY =
  'the database of the server was lost before it replied: send it again with the same Idempotency-Key, which stores it once';
